#include "history/retention.h"

#include <algorithm>

#include "model/run_record.h"

namespace mcpscan::history {
namespace {

constexpr std::int64_t kQuartersADay = kDay / model::kQuarter;

// With the oldest quarter that stays, or the oldest time of a run.
void remove(SQLite::Database& database, const char* sql, std::int64_t oldest) {
  SQLite::Statement statement(database, sql);
  if (statement.getBindParameterCount() > 0) statement.bind(1, oldest);
  statement.exec();
}

}  // namespace

void retire(SQLite::Database& database, Time now, std::int64_t days) {
  const auto newest = database.execAndGet("SELECT max(quarter) FROM (SELECT quarter FROM traffic UNION ALL SELECT quarter FROM occurrences) WHERE quarter < 9223372036854775807");  // model::kNoQuarter
  if (days <= 0 || newest.isNull()) return;
  std::int64_t last = newest.getInt64();
  if (now.known()) last = std::min(last, model::quarter_of(now));
  const std::int64_t oldest = last - days * kQuartersADay;
  for (const char* sql : {"DELETE FROM traffic WHERE quarter < ?", "DELETE FROM occurrences WHERE quarter < ?", "DELETE FROM runs WHERE ifnull(last_quarter, at / 900000000) < ?",
                          "DELETE FROM coverage WHERE run NOT IN (SELECT id FROM runs)", "DELETE FROM problems WHERE run NOT IN (SELECT id FROM runs)",
                          "DELETE FROM findings WHERE id NOT IN (SELECT finding FROM occurrences)", "DELETE FROM causes WHERE id NOT IN (SELECT cause FROM findings)",
                          "DELETE FROM files WHERE run NOT IN (SELECT id FROM runs) AND id NOT IN (SELECT file FROM traffic) AND id NOT IN (SELECT file FROM occurrences)",
                          "DELETE FROM memories WHERE source NOT IN (SELECT source FROM files)", "DELETE FROM shapes WHERE source NOT IN (SELECT source FROM files)",
                          "DELETE FROM sessions WHERE key NOT IN (SELECT session FROM traffic) AND key NOT IN (SELECT session FROM findings) AND key NOT IN (SELECT session FROM memories)"}) {
    remove(database, sql, oldest);
  }
}

}  // namespace mcpscan::history
