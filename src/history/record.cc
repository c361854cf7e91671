#include "history/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/hash.h"
#include "history/database.h"
#include "history/session_rows.h"
#include "history/shape_rows.h"
#include "model/session_id.h"

namespace mcpscan::history {

using model::EvidenceShare;
using model::FileMark;
using model::FileRecord;
using model::Report;
using model::RunRecord;

namespace {

// A statement used for many rows.
class Rows {
 public:
  Rows(SQLite::Database& database, const char* sql) : statement_(database, sql) {}
  template <typename... Values>
  void add(const Values&... values) {
    int index = 0;
    (bind(++index, values), ...);
    statement_.exec();
    statement_.reset();
  }

 private:
  void bind(int index, const std::string& value) { statement_.bind(index, value); }
  void bind(int index, std::int64_t value) { statement_.bind(index, value); }
  void bind(int index, std::uint64_t value) { statement_.bind(index, static_cast<std::int64_t>(value)); }
  void bind(int index, bool value) { statement_.bind(index, value ? 1 : 0); }

  SQLite::Statement statement_;
};

std::int64_t number(auto enumerator) { return static_cast<std::int64_t>(enumerator); }
std::uint64_t digest(const SQLite::Column& column) { return static_cast<std::uint64_t>(column.getInt64()); }

template <typename Visit>
void each_quarter(const FileRecord& file, Visit visit) {
  for (const EvidenceShare* share : {&file.settled, &file.open}) {
    for (const auto& row : share->traffic) visit(row.quarter);
    for (const auto& row : share->occurrences) visit(row.quarter);
  }
}

// Where what tells no time is counted: on the last quarter that its file shows, else that the run does, else on that of the reading, where
// that is known.
class UndatedPlace {
 public:
  explicit UndatedPlace(const RunRecord& run) {
    std::optional<std::int64_t> newest;
    for (const FileRecord& file : run.files) newest = std::max(newest, newest_of(file));
    else_ = newest.value_or(model::quarter_or_none(run.at));
  }
  std::int64_t in(const FileRecord& file) const { return newest_of(file).value_or(else_); }

 private:
  static std::optional<std::int64_t> newest_of(const FileRecord& file) {
    std::optional<std::int64_t> newest;
    each_quarter(file, [&](std::int64_t quarter) {
      if (quarter != model::kNoQuarter) newest = std::max(newest, std::optional(quarter));
    });
    return newest;
  }

  std::int64_t else_ = model::kNoQuarter;
};

// First and last quarter in which anything of the run is counted.
struct Span {
  bool any = false;
  std::int64_t first = 0, last = 0;
  void take(std::int64_t quarter) {
    first = any ? std::min(first, quarter) : quarter;
    last = any ? std::max(last, quarter) : quarter;
    any = true;
  }
};

std::int64_t add_run(SQLite::Database& database, const RunRecord& run, const UndatedPlace& undated) {
  Span span;
  for (const FileRecord& file : run.files) {
    const std::int64_t place = undated.in(file);
    each_quarter(file, [&](std::int64_t quarter) { span.take(quarter == model::kNoQuarter ? place : quarter); });
  }
  SQLite::Statement insert(database, "INSERT INTO runs(at, version, first_quarter, last_quarter) VALUES(?, ?, ?, ?)");
  insert.bind(1, run.at.known() ? run.at.us : 0);
  insert.bind(2, run.report.version);
  if (span.any) insert.bind(3, span.first), insert.bind(4, span.last);
  insert.exec();
  return database.getLastInsertRowid();
}

std::int64_t mark_file(SQLite::Database& database, const FileRecord& file, std::int64_t run) {
  const FileMark& mark = file.mark;
  const std::string id = file.known > 0 ? std::to_string(file.known) : std::string("NULL");
  SQLite::Statement put(database, fmt::format("INSERT OR REPLACE INTO files VALUES({}, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", id));
  put.bind(1, file.source);
  put.bind(2, mark.path);
  int index = 2;
  for (const std::uint64_t value : {mark.device, mark.inode, mark.bytes, mark.lines, mark.resume_bytes, mark.resume_line, mark.seen_bytes, mark.head_bytes, mark.head_digest, mark.tail_digest}) {
    put.bind(++index, static_cast<std::int64_t>(value));
  }
  put.bind(13, mark.whole ? 1 : 0);
  put.bind(14, run);
  put.exec();
  return file.known > 0 ? file.known : database.getLastInsertRowid();
}

void forget(SQLite::Database& database, std::int64_t file, bool all) {
  for (const char* table : {"traffic", "occurrences"}) {
    SQLite::Statement remove(database, fmt::format("DELETE FROM {} WHERE file = ?{}", table, all ? "" : " AND open = 1"));
    remove.bind(1, file);
    remove.exec();
  }
}

void add_share(SQLite::Database& database, std::int64_t file, const EvidenceShare& share, bool open, bool largest, std::int64_t undated_in) {
  Rows traffic(database,
               "INSERT INTO traffic VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET events = events + excluded.events, "
               "requests = requests + excluded.requests, replies = replies + excluded.replies, errors = errors + excluded.errors, "
               "timeouts = timeouts + excluded.timeouts, unanswered = unanswered + excluded.unanswered, "
               "answered_us = answered_us + excluded.answered_us, longest_us = max(longest_us, excluded.longest_us), undated = undated + excluded.undated");
  for (const auto& row : share.traffic) {
    const auto& c = row.counts;
    const bool undated = row.quarter == model::kNoQuarter;
    traffic.add(undated ? undated_in : row.quarter, file, model::normalise_session_id(row.session), row.tool, open, c.events, c.requests, c.replies, c.errors, c.timeouts, c.unanswered, c.answered_us, c.longest_us,
                undated ? c.events : 0);
  }
  Rows occurrences(database, largest ? "INSERT INTO occurrences VALUES(?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET count = max(count, excluded.count), undated = max(undated, excluded.undated)"
                                     : "INSERT INTO occurrences VALUES(?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count, undated = undated + excluded.undated");
  for (const auto& row : share.occurrences) {
    const bool undated = row.quarter == model::kNoQuarter;
    occurrences.add(undated ? undated_in : row.quarter, file, row.finding, open, row.count, undated ? row.count : 0);
  }
}

// Names once known stay known: a later run may see the session without its initialize.
void add_sessions(SQLite::Database& database, const Report& report) {
  Rows put(database,
           "INSERT INTO sessions VALUES(?, ?, ?, ?) ON CONFLICT DO UPDATE SET client = CASE excluded.client WHEN '' THEN client ELSE excluded.client END, "
           "server = CASE excluded.server WHEN '' THEN server ELSE excluded.server END");
  for (const auto& row : report.sessions) {
    const std::string& name = row.id.empty() ? row.key : row.id;
    put.add(model::normalise_session_id(name), name, row.client_name, row.server_name);
  }
}

std::string place_of(const Report& report, const model::Finding& finding) {
  if (finding.evidence.empty()) return {};
  const model::SourceRef& source = finding.evidence.back().source;
  if (source.input >= report.inputs.size()) return {};
  const std::string& path = report.inputs[source.input].path;
  if (source.number == 0) return path;
  return source.kind == model::PlaceKind::line ? fmt::format("{}:{}", path, source.number)
                                               : fmt::format("{} {} {}", path, source.kind == model::PlaceKind::packet ? "packet" : "entry", source.number);
}

// What an incident is on every day, whichever sessions show it: the rule of its root, how bad it is, whose fault, and of which client.
struct Cause {
  std::string id, rule, title, client;
};

class Causes {
 public:
  explicit Causes(const Report& report) {
    for (const auto& finding : report.findings) by_id_.emplace(finding.id, &finding);
    for (const auto& rule : report.rules) titles_.emplace(rule.rule, rule.title);
    for (const auto& row : report.sessions) {
      clients_.emplace(row.id, row.client_name);
      clients_.emplace(row.key, row.client_name);
    }
    for (const auto& incident : report.incidents) {
      const Cause cause = made_of(incident);
      for (const std::string& id : incident.findings) of_finding_.emplace(id, cause);
    }
  }
  Cause of(const model::Incident& incident) const { return made_of(incident); }
  // Empty where the finding is in no incident.
  Cause of(const model::Finding& finding) const {
    const auto found = of_finding_.find(finding.id);
    return found == of_finding_.end() ? Cause{} : found->second;
  }

 private:
  Cause made_of(const model::Incident& incident) const {
    Cause cause;
    const auto root = by_id_.find(incident.root);
    if (root != by_id_.end()) cause.rule = root->second->rule;
    const auto client = root == by_id_.end() || root->second->session.empty() ? clients_.end() : clients_.find(root->second->session);
    if (client != clients_.end()) cause.client = client->second;
    const auto title = titles_.find(cause.rule);
    cause.title = title == titles_.end() || title->second.empty() ? incident.title : title->second;
    const std::string what = fmt::format("{}\x1f{}\x1f{}\x1f{}", cause.rule, number(incident.level), number(incident.fault.party), cause.client);
    cause.id = fmt::format("{:016x}", hash_bytes(what));
    return cause;
  }

  std::map<std::string, const model::Finding*> by_id_;
  std::map<std::string, std::string> titles_, clients_;
  std::map<std::string, Cause> of_finding_;
};

void add_incidents(SQLite::Database& database, const Report& report) {
  Rows causes(database,
              "INSERT INTO causes VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET title = excluded.title, "
              "story = excluded.story, fix = excluded.fix, level = max(level, excluded.level), party = excluded.party, "
              "certainty = excluded.certainty, contributing = excluded.contributing, reason = excluded.reason WHERE excluded.certainty >= certainty");
  const Causes known(report);
  for (const auto& incident : report.incidents) {
    const Cause cause = known.of(incident);
    causes.add(cause.id, incident.id, cause.rule, cause.title, incident.story, incident.fix, cause.client, number(incident.level), number(incident.fault.party),
               number(incident.fault.certainty), fmt::format("{}", fmt::join(incident.fault.contributing, ", ")), incident.fault.reason);
  }
  Rows findings(database,
                "INSERT INTO findings VALUES(?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET cause = CASE excluded.cause WHEN '' THEN cause ELSE excluded.cause END, "
                "level = max(level, excluded.level), root = max(root, excluded.root), place = CASE excluded.place WHEN '' THEN place ELSE excluded.place END");
  for (const auto& finding : report.findings) {
    const Cause cause = known.of(finding);
    const bool is_root = finding.consequence_of.empty() && cause.rule == finding.rule;
    findings.add(finding.id, cause.id, finding.rule, model::normalise_session_id(finding.session), number(finding.level), is_root, place_of(report, finding));
  }
}

void add_limits(SQLite::Database& database, const Report& report, std::int64_t run) {
  Rows coverage(database, "INSERT OR REPLACE INTO coverage VALUES(?, ?, ?, ?, ?)");
  for (const auto& rule : report.rules) coverage.add(run, rule.rule, number(rule.state), rule.why, rule.enable);
  Rows problems(database, "INSERT OR REPLACE INTO problems VALUES(?, ?, ?, ?, ?)");
  for (const auto& input : report.inputs) {
    if (!input.error.empty()) problems.add(run, input.path, std::string("unread"), input.error, std::uint64_t{1});
    if (input.books.used > 0 && !input.first.known()) {
      problems.add(run, input.path, std::string("no-times"), std::string("it has no times: the order of events is known, when they were and how long they took is not"), std::uint64_t{1});
    }
    for (const auto& [kind, anomaly] : input.anomalies.entries()) problems.add(run, input.path, kind, anomaly.text, anomaly.count);
  }
}

}  // namespace

std::vector<KnownFile> known_files(SQLite::Database& database) {
  SQLite::Statement query(database,
                          "SELECT id, source, path, device, inode, bytes, lines, resume_bytes, resume_line, seen_bytes, head_bytes, head_digest, tail_digest, whole "
                          "FROM files ORDER BY id");
  std::vector<KnownFile> files;
  while (query.executeStep()) {
    KnownFile& file = files.emplace_back();
    file.number = query.getColumn(0).getInt64();
    file.source = query.getColumn(1).getString();
    file.mark.path = query.getColumn(2).getString();
    int index = 2;
    for (std::uint64_t* value : {&file.mark.device, &file.mark.inode, &file.mark.bytes, &file.mark.lines, &file.mark.resume_bytes, &file.mark.resume_line, &file.mark.seen_bytes,
                                 &file.mark.head_bytes, &file.mark.head_digest, &file.mark.tail_digest}) {
      *value = digest(query.getColumn(++index));
    }
    file.mark.whole = query.getColumn(13).getInt() != 0;
  }
  return files;
}

void record_run(SQLite::Database& database, const RunRecord& run) {
  const UndatedPlace undated(run);
  const std::int64_t number_of_run = add_run(database, run, undated);
  for (const FileRecord& file : run.files) {
    if (file.known > 0) forget(database, file.known, file.replaces);
    const std::int64_t id = mark_file(database, file, number_of_run);
    add_share(database, id, file.settled, false, file.largest, undated.in(file));
    add_share(database, id, file.open, true, file.largest, undated.in(file));
  }
  add_sessions(database, run.report);
  remember_sessions(database, run.sources, run.sessions);
  remember_shapes(database, run.sources, run.shapes);
  add_incidents(database, run.report);
  add_limits(database, run.report, number_of_run);
}

}  // namespace mcpscan::history
