// One day of the history beside the day and the week before: what happened, which incidents are new, go on or are over, who is behind them,
// and what could not be judged. Where several sources show the same traffic, each session and tool counts where most was seen of it.
// Throws SQLite::Exception. Bound: kSummaryRows rows a list.
#pragma once

#include <cstdint>
#include <optional>

#include "base/zone.h"
#include "model/summary.h"

namespace SQLite {
class Database;
}

namespace mcpscan::history {

model::Summary summarise_day(SQLite::Database& database, const Zone& zone, std::optional<std::int64_t> day);

}  // namespace mcpscan::history
