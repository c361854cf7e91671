// What a history lets go: everything of quarters that are older than so many days. Not what is needed to read on: marks of files and names of
// sessions stay as long as they are used. Within the run's transaction. Throws SQLite::Exception.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>

#include "base/time.h"

namespace mcpscan::history {

// Days that stay where nobody says otherwise: the same day of the year before can still be looked at.
constexpr std::int64_t kKeptDays = 400;
// The week before is compared with, and must not be cut.
constexpr std::int64_t kFewestDays = 8;

// `now`: when the run takes place, may be unknown. Counted from the newest evidence or from now, whichever is earlier: neither a log of long ago
// nor a clock that is years ahead empties a history. `days` 0: nothing goes.
void retire(SQLite::Database& database, Time now, std::int64_t days);

}  // namespace mcpscan::history
