// The rows of what runs have learned of how tools' replies look. A row that cannot be read back is passed over: its tool is learned anew.
// Throws SQLite::Exception.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <string>
#include <vector>

#include "model/run_record.h"

namespace mcpscan::history {

std::vector<model::SourceShape> known_shapes(SQLite::Database& database);
// What was known of these sources is replaced.
void remember_shapes(SQLite::Database& database, const std::vector<std::string>& sources, const std::vector<model::SourceShape>& shapes);

}  // namespace mcpscan::history
