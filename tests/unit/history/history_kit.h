// Runs made by hand, and a folder of its own for each test.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "history/history.h"

namespace mcpscan::tests {

class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "mcpscan-history-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

inline Time noon(std::int64_t year, unsigned month, unsigned day, unsigned hour = 12, unsigned minute = 0) { return time_from_civil({year, month, day, hour, minute}); }

// One file of evidence with one session of one client, whose one incident occurs where the test says.
struct MadeRun {
  explicit MadeRun(const std::string& client = "desk-agent", const std::string& rule = "lost-reply") {
    model::SessionRow session;
    session.key = session.id = "session-of-" + client;
    session.client_name = client;
    session.server_name = "charts";
    run.report.sessions.push_back(session);
    model::Finding finding;
    finding.id = rule + " of " + client;
    finding.rule = rule;
    finding.level = model::Level::high;
    finding.session = session.id;
    finding.fault = {model::Party::server, model::Certainty::strong, {}, "it sent nothing"};
    model::Incident incident;
    incident.id = "inc-" + client;
    incident.root = finding.id;
    incident.findings = {finding.id};
    incident.title = "3 calls without a reply";
    incident.level = finding.level;
    incident.fault = finding.fault;
    run.report.findings.push_back(finding);
    run.report.incidents.push_back(incident);
    run.report.rules.push_back({rule, model::RuleState::evaluated, {}, {}});
    run.files.emplace_back();
    run.files.back().source = run.files.back().mark.path = "/logs/" + client;
  }

  MadeRun& requests(Time at, std::uint64_t count, const std::string& tool = "render") {
    model::TrafficRow row{model::quarter_of(at), run.report.sessions[0].id, tool, {}};
    row.counts.events = row.counts.requests = row.counts.replies = count;
    run.files[0].settled.traffic.push_back(row);
    return *this;
  }
  MadeRun& faults(Time at, std::uint64_t count) {
    run.files[0].settled.occurrences.push_back({run.report.findings[0].id, model::quarter_of(at), count});
    return *this;
  }

  model::RunRecord run;
};

inline std::unique_ptr<history::History> in_memory() { return history::History::open({}, history::Access::write, 0).take(); }

inline void take_in(history::History& history, const model::RunRecord& run) {
  if (!history.begin().ok() || !history.record(run).ok()) std::abort();
}

inline std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace mcpscan::tests
