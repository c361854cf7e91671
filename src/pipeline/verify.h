// verify(): the checker's own check. Seeds each class of fault that the evidence can carry into the user's own traffic, in memory, runs the
// same rules over it, and counts what they find and what they accuse falsely. Reads the inputs once for each class and twice before.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/fault_seeder.h"
#include "pipeline/scan.h"

namespace mcpscan::pipeline {

struct VerifyRow {
  std::string fault, rule;               // "two replies of different tools exchanged", reply-mismatch
  std::uint64_t seeded = 0, found = 0;
  std::uint64_t false_alarms = 0;        // findings at low or above that neither the seeds nor the evidence itself account for
  std::vector<std::string> accused;      // the rules of those
  std::string why_not;                   // why nothing could be seeded
};

struct VerifyResult {
  std::uint64_t calls = 0, sessions = 0; // answered tools/calls that could carry a fault, and their sessions
  std::uint64_t calls_left_out = 0;      // over Limits::verify_calls
  std::uint64_t findings = 0;            // of the evidence itself, at low or above
  std::vector<VerifyRow> rows;           // one a class
  std::vector<Error> problems;           // as ScanResult::problems
};

// At most `most` faults of a class. An input that can be read once only is a problem.
VerifyResult verify(const ScanOptions& options, const Knowledge& knowledge, const Limits& limits, std::size_t most,
                    FunctionRef<void(const std::string&, std::uint64_t)> progress);

}  // namespace mcpscan::pipeline
