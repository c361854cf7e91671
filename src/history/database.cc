#include "history/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <memory>

#include "history/schema.h"

namespace mcpscan::history {
namespace {

constexpr const char* kMakeAnew = "move it away and run again: a history is made anew from the logs";

int pragma(SQLite::Database& database, const char* name) { return database.execAndGet(fmt::format("PRAGMA {}", name)).getInt(); }

bool is_empty(SQLite::Database& database) { return database.execAndGet("SELECT COUNT(*) FROM sqlite_master").getInt() == 0; }

Error foreign(const std::string& path) {
  return {ErrorCode::invalid_argument, "this is the database of another program, no history", path, "give --history another path"};
}

Error newer(const std::string& path, int version) {
  return {ErrorCode::unsupported, fmt::format("this history was written by a newer mcpscan (schema {}, this one knows {}); it is left as it is", version, newest_schema()), path,
          "use the newer mcpscan, or give --history another path"};
}

}  // namespace

Error history_error(const std::string& path, const SQLite::Exception& exception) {
  const std::string where = path.empty() ? "the history in memory" : path;
  switch (exception.getErrorCode()) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return {ErrorCode::unreadable, "the history is locked: another run is writing to it", where, "wait for that run to end, or wait longer with --wait SECONDS; nothing was changed"};
    case SQLITE_NOTADB: return {ErrorCode::malformed, "this is no history", where, "give --history a path of its own"};
    case SQLITE_CORRUPT: return {ErrorCode::malformed, fmt::format("the history is damaged ({})", exception.what()), where, kMakeAnew};
    case SQLITE_FULL: return {ErrorCode::unreadable, "there is no room for the history; this run left nothing in it", where, "make room and run again"};
    case SQLITE_READONLY:
    case SQLITE_PERM: return {ErrorCode::unreadable, "the history cannot be written", where, "give this user the right to write the file and its folder"};
    case SQLITE_CANTOPEN: return {ErrorCode::not_found, "the history cannot be opened", where, "look whether its folder exists and may be written"};
    case SQLITE_IOERR: return {ErrorCode::unreadable, fmt::format("the history cannot be read or written ({}); this run left nothing in it", exception.what()), where, "look at the disk and its free space"};
    default: return {ErrorCode::internal, fmt::format("the history failed: {}", exception.what()), where, ""};
  }
}

void migrate(SQLite::Database& database, std::span<const char* const> steps) {
  database.exec("BEGIN IMMEDIATE");
  const int version = pragma(database, "user_version");  // another run may have been quicker
  for (std::size_t i = static_cast<std::size_t>(version); i < steps.size(); ++i) database.exec(steps[i]);
  database.exec(fmt::format("PRAGMA application_id = {}", kApplicationId));
  if (static_cast<std::size_t>(version) < steps.size()) database.exec(fmt::format("PRAGMA user_version = {}", steps.size()));
  database.exec("COMMIT");
}

Result<std::unique_ptr<SQLite::Database>> open_database(const std::string& path, bool create, int wait_ms) {
  const int flags = SQLite::OPEN_READWRITE | (create ? SQLite::OPEN_CREATE : 0);
  auto database = std::make_unique<SQLite::Database>(path.empty() ? ":memory:" : path, flags, wait_ms);
  const int application = pragma(*database, "application_id"), version = pragma(*database, "user_version");
  if (application != kApplicationId && (application != 0 || version != 0 || !is_empty(*database))) return foreign(path);
  if (version > newest_schema()) return newer(path, version);
  if (version < newest_schema()) {
    database->exec("PRAGMA journal_mode = WAL");
    migrate(*database, schema_steps());
  }
  return database;
}

}  // namespace mcpscan::history
