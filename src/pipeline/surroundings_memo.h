// SurroundingsMemo: what describe_surroundings() said of the texts that came last, by the whole text: a gateway writes the same words and
// session before hundreds of bodies. Owns copies of the texts; what it gives points into the text that was asked about.
// Threads: one a worker. Bound: kTexts texts of kTextBytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ingest/text/memo_table.h"
#include "ingest/text/surroundings.h"

namespace mcpscan::pipeline {

class SurroundingsMemo {
 public:
  static constexpr std::size_t kTexts = 1024, kFirstTexts = 64;   // two a session, of those busy at a time
  static constexpr std::size_t kTextBytes = 200;

  ingest::Surroundings of(std::string_view before_body);

 private:
  // A part of the text, by its place in it.
  struct Part {
    std::uint16_t at = 0, size = 0;
    bool take(std::string_view part, std::string_view text);
    std::string_view in(std::string_view text) const { return size == 0 ? std::string_view{} : text.substr(at, size); }
  };
  struct Known {
    std::string text;
    ingest::Surroundings told;
    Part session, peer;
    std::uint64_t serial = 0;   // of what it holds; another text may take its place
  };
  ingest::MemoTable<Known, kTexts, kFirstTexts> known_;
};

}  // namespace mcpscan::pipeline
