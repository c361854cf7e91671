// What the parts of the history share: the connection, and SQLite's complaints as errors of ours.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <span>
#include <string>

#include "base/result.h"

namespace mcpscan::history {

// What went wrong with `path`, and how to put it right.
Error history_error(const std::string& path, const SQLite::Exception& exception);

// Runs `work`, which returns a Result or Status; an exception of SQLite becomes its error.
template <typename Work>
auto guarded(const std::string& path, Work work) -> decltype(work()) {
  try {
    return work();
  } catch (const SQLite::Exception& exception) {
    return history_error(path, exception);
  }
}

// Opens, checks whose it is and of which version, and leads an older one to today's tables. Throws SQLite::Exception.
Result<std::unique_ptr<SQLite::Database>> open_database(const std::string& path, bool create, int wait_ms);

// Walks the steps that the file lacks, all or none of them: a step that fails leaves the file as it was once the connection ends.
// Throws SQLite::Exception.
void migrate(SQLite::Database& database, std::span<const char* const> steps);

}  // namespace mcpscan::history
