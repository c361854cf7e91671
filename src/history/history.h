// History: what runs have found, kept in one SQLite file: which evidence was read how far, what each session and tool did in each quarter of
// an hour, and how often each finding occurred. Not the evidence itself: no message and no secret is kept, only names, counts and places.
// A run is one transaction, begun before evidence is read: of two runs at once the second waits, and a run that is killed leaves nothing.
// Ownership: one connection. Threads: one. Nothing is thrown; a file that is newer, damaged or another program's is never changed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/zone.h"
#include "model/run_record.h"
#include "model/summary.h"

namespace mcpscan::history {

enum class Access : std::uint8_t { read, write };

struct KnownFile {
  std::int64_t number = 0;
  std::string source;
  model::FileMark mark;
};

// What a run has to know of the earlier ones.
struct Known {
  std::vector<KnownFile> files;
  std::vector<model::SessionMemory> sessions;
  std::vector<model::SourceShape> shapes;
};

class History {
 public:
  // `path` empty: in memory, for one run. `wait_ms`: how long a run may wait for another one to end. With Access::read the file must exist.
  static Result<std::unique_ptr<History>> open(const std::string& path, Access access, std::int64_t wait_ms);
  ~History();
  History(const History&) = delete;
  History& operator=(const History&) = delete;

  // From here to record() no other run writes.
  Status begin();
  Result<Known> known();
  // Takes the run in, lets go what is older than `kept_days` (retention.h; 0: nothing) and ends the transaction.
  Status record(const model::RunRecord& run, std::int64_t kept_days = 0);
  // `day` counts from 1970-01-01 in the zone's calendar; none: the last one with evidence.
  Result<model::Summary> summarise(const Zone& zone, std::optional<std::int64_t> day);

 private:
  struct State;
  explicit History(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace mcpscan::history
