// Rows of one run into the tables. What later evidence cannot change is added to what is there; what was judged because the evidence ended
// is replaced, and so is everything of a file that was read from its beginning again. What tells no time is counted, marked as such, on the last
// quarter that its file shows in this run, else that the run shows, else in which it was read; on kNoQuarter where not even that is known.
// Both throw SQLite::Exception.
#pragma once

#include <vector>

#include "history/history.h"

namespace SQLite {
class Database;
}

namespace mcpscan::history {

std::vector<KnownFile> known_files(SQLite::Database& database);
void record_run(SQLite::Database& database, const model::RunRecord& run);

}  // namespace mcpscan::history
