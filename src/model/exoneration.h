// Exoneration: the proof that one hop is innocent on this evidence, or the refusal with its reasons. Facts and counts only; how they read is
// the report's. Built by engine/exoneration.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"
#include "model/finding.h"

namespace mcpscan::model {

struct Exoneration {
  // "answered under their own id": `held` of `of`; a check fails when the rest is not explained by `note`.
  struct Check {
    std::string what;
    std::uint64_t held = 0, of = 0;
    std::string note;
  };
  // Why it is refused: in words, and the finding that says so (empty: no finding, something is missing).
  struct Refusal {
    std::string reason, finding;
  };
  // Calls that were in flight together, or sent one right after the other on one connection.
  struct Batch {
    Time at;
    std::string session;
    std::uint64_t size = 0;
    std::uint64_t right = 0;              // own id, own stream
    std::uint64_t repeats_own = 0;        // and the payload repeats what only this call asked for
    std::uint64_t wrong = 0;              // named by a finding
    std::uint64_t left = 0;               // given up by the client before the reply
    std::string position, mode;           // of the slow call; of the connections
    std::vector<std::string> timed_out;   // calls that the client reported as timed out
    std::string landed_in;                // where the client shows their payload
    SourceRef source;
  };
  // Batches of one size, position and mode together.
  struct SweepRow {
    std::uint64_t size = 0;
    std::string position, mode;
    std::uint64_t batches = 0, calls = 0, right = 0, repeats_own = 0, left = 0, wrong = 0;
  };

  Party party = Party::unknown;
  bool cleared = false;
  bool of_part = false;                   // of the evidence a part was chosen: by --since, --until, --filter
  std::string judged_at;                  // the vantage point whose record carries the claim, with its files
  std::uint64_t calls = 0, tools_calls = 0, sessions = 0;
  Time first, last;
  std::vector<Check> checks;
  std::vector<Refusal> refusals;
  std::vector<std::string> limits;        // what the claim does not reach
  std::vector<Batch> batches;
  std::uint64_t batches_left_out = 0;
  std::vector<SweepRow> sweep;
};

}  // namespace mcpscan::model
