// Whether the books of each input of a scan add up: used, ignored and malformed are all there was.
#pragma once

#include <catch2/catch.hpp>

#include "pipeline/scan.h"

namespace mcpscan::tests {

inline void check_books(const pipeline::ScanResult& result) {
  for (const auto& input : result.report.inputs) {
    std::uint64_t sum = input.books.used;
    for (const auto* side : {&input.books.ignored, &input.books.malformed}) {
      for (const auto& [reason, count] : *side) sum += count;
    }
    INFO(input.path);
    CHECK(sum == input.books.total);
  }
}

}  // namespace mcpscan::tests
