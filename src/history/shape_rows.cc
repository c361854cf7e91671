#include "history/shape_rows.h"

#include <nlohmann/json.hpp>

namespace mcpscan::history {

using nlohmann::json;

std::vector<model::SourceShape> known_shapes(SQLite::Database& database) {
  std::vector<model::SourceShape> shapes;
  SQLite::Statement query(database, "SELECT source, tool, replies, features FROM shapes ORDER BY source, tool");
  while (query.executeStep()) {
    model::SourceShape known;
    known.source = query.getColumn(0).getString();
    known.shape.tool = static_cast<std::uint64_t>(query.getColumn(1).getInt64());
    known.shape.replies = query.getColumn(2).getUInt();
    try {
      json::parse(query.getColumn(3).getString()).get_to(known.shape.features);
    } catch (const json::exception&) {
      continue;
    }
    shapes.push_back(std::move(known));
  }
  return shapes;
}

void remember_shapes(SQLite::Database& database, const std::vector<std::string>& sources, const std::vector<model::SourceShape>& shapes) {
  SQLite::Statement forget(database, "DELETE FROM shapes WHERE source = ?");
  for (const std::string& source : sources) {
    forget.bind(1, source);
    forget.exec();
    forget.reset();
  }
  SQLite::Statement put(database, "INSERT OR REPLACE INTO shapes VALUES(?, ?, ?, ?)");
  for (const model::SourceShape& known : shapes) {
    put.bind(1, known.source);
    put.bind(2, static_cast<std::int64_t>(known.shape.tool));
    put.bind(3, known.shape.replies);
    put.bind(4, json(known.shape.features).dump(-1, ' ', true, json::error_handler_t::replace));
    put.exec();
    put.reset();
  }
}

}  // namespace mcpscan::history
