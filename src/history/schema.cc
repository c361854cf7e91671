#include "history/schema.h"

#include <array>

namespace mcpscan::history {
namespace {

constexpr const char* kFirst = R"sql(
CREATE TABLE runs(id INTEGER PRIMARY KEY, at INTEGER NOT NULL, version TEXT NOT NULL, first_quarter INTEGER, last_quarter INTEGER);
CREATE TABLE files(id INTEGER PRIMARY KEY, source TEXT NOT NULL, path TEXT NOT NULL, device INTEGER NOT NULL, inode INTEGER NOT NULL,
  bytes INTEGER NOT NULL, lines INTEGER NOT NULL, resume_bytes INTEGER NOT NULL, resume_line INTEGER NOT NULL, seen_bytes INTEGER NOT NULL,
  head_bytes INTEGER NOT NULL, head_digest INTEGER NOT NULL, tail_digest INTEGER NOT NULL, whole INTEGER NOT NULL, run INTEGER NOT NULL);
CREATE INDEX files_by_head ON files(head_digest);
CREATE TABLE sessions(key TEXT PRIMARY KEY, shown TEXT NOT NULL, client TEXT NOT NULL, server TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE memories(source TEXT NOT NULL, session TEXT NOT NULL, memory TEXT NOT NULL, PRIMARY KEY(source, session)) WITHOUT ROWID;
CREATE TABLE traffic(quarter INTEGER NOT NULL, file INTEGER NOT NULL, session TEXT NOT NULL, tool TEXT NOT NULL, open INTEGER NOT NULL,
  events INTEGER NOT NULL, requests INTEGER NOT NULL, replies INTEGER NOT NULL, errors INTEGER NOT NULL, timeouts INTEGER NOT NULL,
  unanswered INTEGER NOT NULL, answered_us INTEGER NOT NULL, longest_us INTEGER NOT NULL,
  PRIMARY KEY(quarter, file, session, tool, open)) WITHOUT ROWID;
CREATE INDEX traffic_by_file ON traffic(file);
CREATE TABLE causes(id TEXT PRIMARY KEY, incident TEXT NOT NULL, rule TEXT NOT NULL, title TEXT NOT NULL, story TEXT NOT NULL, fix TEXT NOT NULL,
  client TEXT NOT NULL, level INTEGER NOT NULL, party INTEGER NOT NULL, certainty INTEGER NOT NULL, contributing TEXT NOT NULL,
  reason TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE findings(id TEXT PRIMARY KEY, cause TEXT NOT NULL, rule TEXT NOT NULL, session TEXT NOT NULL, level INTEGER NOT NULL,
  root INTEGER NOT NULL, place TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE occurrences(quarter INTEGER NOT NULL, file INTEGER NOT NULL, finding TEXT NOT NULL, open INTEGER NOT NULL, count INTEGER NOT NULL,
  PRIMARY KEY(quarter, file, finding, open)) WITHOUT ROWID;
CREATE INDEX occurrences_by_file ON occurrences(file);
CREATE TABLE coverage(run INTEGER NOT NULL, rule TEXT NOT NULL, state INTEGER NOT NULL, why TEXT NOT NULL, enable TEXT NOT NULL,
  PRIMARY KEY(run, rule)) WITHOUT ROWID;
CREATE TABLE problems(run INTEGER NOT NULL, input TEXT NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL, count INTEGER NOT NULL,
  PRIMARY KEY(run, input, kind)) WITHOUT ROWID;
)sql";

// What each source has taught of how tools' replies look.
constexpr const char* kShapes = R"sql(
CREATE TABLE shapes(source TEXT NOT NULL, tool INTEGER NOT NULL, replies INTEGER NOT NULL, features TEXT NOT NULL, PRIMARY KEY(source, tool)) WITHOUT ROWID;
)sql";

// How many of the events, and of the occurrences, told no time.
constexpr const char* kUndated = R"sql(
ALTER TABLE traffic ADD COLUMN undated INTEGER NOT NULL DEFAULT 0;
ALTER TABLE occurrences ADD COLUMN undated INTEGER NOT NULL DEFAULT 0;
)sql";

constexpr std::array kSteps{kFirst, kShapes, kUndated};

}  // namespace

std::span<const char* const> schema_steps() { return kSteps; }

}  // namespace mcpscan::history
