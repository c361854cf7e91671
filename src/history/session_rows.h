// What is remembered of sessions that may go on, as rows: a JSON object each. Internal to the history; throws SQLite::Exception.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <string>
#include <vector>

#include "model/run_record.h"

namespace mcpscan::history {

// A row that cannot be read is left out: its session is then as if it had not been seen before.
std::vector<model::SessionMemory> known_sessions(SQLite::Database& database);
void remember_sessions(SQLite::Database& database, const std::vector<std::string>& sources, const std::vector<model::SessionMemory>& sessions);

}  // namespace mcpscan::history
