// SurroundingsMemo: what describe_surroundings() said of the texts that came last, by the whole text: a gateway writes the same words and
// session before hundreds of bodies. Owns copies of the texts; what it gives points into the text that was asked about.
// Threads: one a worker. Bound: kTexts texts of kTextBytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ingest/text/line_memo.h"
#include "ingest/text/memo_table.h"
#include "ingest/text/surroundings.h"

namespace mcpscan::pipeline {

class SurroundingsMemo {
 public:
  static constexpr std::size_t kTexts = 1024, kFirstTexts = 64;   // two a session, of those busy at a time
  static constexpr std::size_t kTextBytes = 200;

  ingest::Surroundings of(std::string_view before_body);

 private:
  using Part = ingest::LineMemo::Part;
  struct Known {
    std::string text;
    ingest::Surroundings told;
    Part session, peer;
    std::uint64_t serial = 0;   // of what it holds; another text may take its place
  };
  ingest::MemoTable<Known, kTexts, kFirstTexts> known_;
};

}  // namespace mcpscan::pipeline
