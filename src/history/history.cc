#include "history/history.h"

#include <filesystem>

#include "history/database.h"
#include "history/record.h"
#include "history/retention.h"
#include "history/session_rows.h"
#include "history/shape_rows.h"
#include "history/summarise.h"

namespace mcpscan::history {

struct History::State {
  std::string path;
  std::unique_ptr<SQLite::Database> database;
};

History::History(std::unique_ptr<State> state) : state_(std::move(state)) {}

// A transaction that was not ended is rolled back with the connection.
History::~History() = default;

Result<std::unique_ptr<History>> History::open(const std::string& path, Access access, std::int64_t wait_ms) {
  std::error_code error;
  if (access == Access::read && !path.empty() && !std::filesystem::exists(path, error)) {
    return Error{ErrorCode::not_found, "there is no such history", path, "a run with inputs and --history makes it: mcpscan summary gateway.log --history FILE"};
  }
  if (std::filesystem::is_directory(path, error)) return Error{ErrorCode::invalid_argument, "this is a folder, not a history", path, "give --history the name of a file"};
  return guarded(path, [&]() -> Result<std::unique_ptr<History>> {
    auto state = std::make_unique<State>();
    state->path = path;
    auto database = open_database(path, access == Access::write, static_cast<int>(wait_ms));
    if (!database) return database.error();
    state->database = database.take();
    return std::unique_ptr<History>(new History(std::move(state)));
  });
}

Status History::begin() {
  return guarded(state_->path, [&]() -> Status {
    state_->database->exec("BEGIN IMMEDIATE");
    return {};
  });
}

Result<Known> History::known() {
  return guarded(state_->path, [&]() -> Result<Known> { return Known{known_files(*state_->database), known_sessions(*state_->database), known_shapes(*state_->database)}; });
}

Status History::record(const model::RunRecord& run, std::int64_t kept_days) {
  return guarded(state_->path, [&]() -> Status {
    record_run(*state_->database, run);
    retire(*state_->database, run.at, kept_days);
    state_->database->exec("COMMIT");
    return {};
  });
}

Result<model::Summary> History::summarise(const Zone& zone, std::optional<std::int64_t> day) {
  return guarded(state_->path, [&]() -> Result<model::Summary> { return summarise_day(*state_->database, zone, day); });
}

}  // namespace mcpscan::history
