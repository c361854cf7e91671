// The whole way from files to a report: what must not depend on threads, order, containers or filters.
#include "pipeline/scan.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

#include "support/check_books.h"
#include "unit/ingest/scratch_folder.h"

using namespace mcpscan;
using namespace mcpscan::tests;
using pipeline::ScanOptions;
using pipeline::ScanResult;

namespace {

const pipeline::Knowledge& knowledge() {
  static const pipeline::Knowledge kBuiltIn = pipeline::load_knowledge({}, {});
  return kBuiltIn;
}

ScanResult scan_of(ScanOptions options, const Limits& limits = {}) {
  if (options.threads == 0) options.threads = 1;
  return pipeline::scan(options, knowledge(), limits, [](const std::string&, std::uint64_t) {});
}

ScanResult scan_files(std::vector<std::string> inputs) {
  ScanOptions options;
  options.inputs = std::move(inputs);
  return scan_of(std::move(options));
}

std::string line(int second, const std::string& json, const char* session = "11111111222222223333333344444444") {
  return fmt::format("2026-11-29T08:{:02}:{:02}.000Z INFO gateway session={} body={}\n", second / 60, second % 60, session, json);
}
std::string call(int id, const char* tool = "echo") {
  return fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":"tools/call","params":{{"name":"{}","arguments":{{}}}}}})", id, tool);
}
std::string reply(int id) { return fmt::format(R"({{"jsonrpc":"2.0","id":{},"result":{{"content":[]}}}})", id); }

// Two calls that share id 1, and one of another session that has nothing to do with them.
std::string colliding() {
  return line(1, call(1)) + line(2, call(1, "slow")) + line(3, reply(1)) + line(4, call(5), "99999999222222223333333344444444") +
         line(5, reply(5), "99999999222222223333333344444444");
}

// What a report says, places apart.
std::string facts(const ScanResult& result) {
  std::string text;
  for (const auto& session : result.report.sessions) text += fmt::format("session {} {}/{}\n", session.key, session.counts.requests, session.paired);
  for (const auto& finding : result.report.findings) text += fmt::format("finding {} {} {} {}\n", finding.id, finding.rule, finding.count, finding.detail);
  for (const auto& incident : result.report.incidents) text += fmt::format("incident {} {} {}\n", incident.id, incident.title, incident.findings.size());
  return text;
}

bool has_rule(const ScanResult& result, const char* rule) {
  return std::any_of(result.report.findings.begin(), result.report.findings.end(), [&](const auto& finding) { return finding.rule == rule; });
}

}  // namespace

TEST_CASE("the built-in dialects and rules load") {
  CHECK(knowledge().problems.empty());
  CHECK(knowledge().defects.empty());
}

TEST_CASE("one thread or eight, and any block size, give the same report") {
  const ScratchFolder folder;
  std::string log;
  for (int i = 0; i < 400; ++i) log += line(i, call(i % 7)) + line(i, reply(i % 7));
  const std::string path = folder.write("a.log", log);
  std::set<std::string> reports;
  for (const std::size_t block : {std::size_t{4096}, std::size_t{1} << 20}) {
    for (const unsigned threads : {1u, 2u, 8u}) {
      Limits limits;
      limits.block_bytes = block;
      ScanOptions options;
      options.inputs = {path};
      options.threads = threads;
      const ScanResult result = scan_of(options, limits);
      check_books(result);
      CHECK(result.report.inputs.at(0).books.total == 800);
      reports.insert(facts(result));
    }
  }
  CHECK(reports.size() == 1);
}

TEST_CASE("a rotated set is one log: in any order of its files, and whether an old one is compressed or not") {
  const ScratchFolder folder;
  const std::string log = colliding();
  const std::size_t half = log.find('\n') + 1;
  const std::string whole = folder.write("whole/app.log", log);
  const std::string young = folder.write("set/app.log", log.substr(half)), old = folder.write("set/app.log.1", log.substr(0, half));
  const std::string young_too = folder.write("zipped/app.log", log.substr(half)), old_zipped = folder.write("zipped/app.log.1.gz", gzip(log.substr(0, half)));
  const std::string expected = facts(scan_files({whole}));
  CHECK(expected.find("duplicate-request-id") != std::string::npos);
  CHECK(facts(scan_files({young, old})) == expected);
  CHECK(facts(scan_files({old, young})) == expected);
  CHECK(facts(scan_files({young_too, old_zipped})) == expected);
  CHECK(facts(scan_files({folder.path("set")})) == expected);
}

TEST_CASE("line ends of Windows, a byte order mark and a missing last line end change no fact") {
  const ScratchFolder folder;
  std::string windows;
  for (const char c : colliding()) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  const std::string expected = facts(scan_files({folder.write("plain/app.log", colliding())}));
  CHECK(facts(scan_files({folder.write("windows/app.log", windows)})) == expected);
  CHECK(facts(scan_files({folder.write("mark/app.log", "\xef\xbb\xbf" + colliding())})) == expected);
  const std::string all = colliding();
  CHECK(facts(scan_files({folder.write("open/app.log", all.substr(0, all.size() - 1))})) == expected);
}

TEST_CASE("a finding keeps its id when the file has another name and there is more of the same") {
  const ScratchFolder folder;
  const ScanResult once = scan_files({folder.write("a.log", colliding())});
  const ScanResult more = scan_files({folder.write("other/name.txt", "unrelated first line\n" + colliding() + line(9, call(1)) + line(10, call(1)))});
  const auto id_of = [](const ScanResult& result) {
    for (const auto& finding : result.report.findings) {
      if (finding.rule == "duplicate-request-id" && finding.detail == "concurrent") return finding.id;
    }
    return std::string("none");
  };
  CHECK(id_of(once) != "none");
  CHECK(id_of(once) == id_of(more));
}

TEST_CASE("since and until leave out what happened before and after, and the books still add up") {
  const ScratchFolder folder;
  ScanOptions options;
  options.inputs = {folder.write("a.log", colliding())};
  options.since = time_from_civil({2026, 11, 29, 8, 0, 4, 0});
  const ScanResult late = scan_of(options);
  check_books(late);
  CHECK(late.report.totals.requests == 1);
  CHECK_FALSE(has_rule(late, "duplicate-request-id"));
  options.until = time_from_civil({2026, 11, 29, 8, 0, 4, 0});
  CHECK(scan_of(options).report.totals.replies == 0);
}

TEST_CASE("a filter keeps what it names, and no incident names a finding that was left out") {
  const ScratchFolder folder;
  const auto filtered = [&](auto set) {
    ScanOptions options;
    options.inputs = {folder.write("a.log", colliding())};
    set(options);
    const ScanResult result = scan_of(options);
    std::set<std::string> ids;
    for (const auto& finding : result.report.findings) ids.insert(finding.id);
    for (const auto& incident : result.report.incidents) {
      CHECK(ids.count(incident.root) == 1);
      for (const std::string& id : incident.findings) CHECK(ids.count(id) == 1);
    }
    return result.report.findings.size();
  };
  CHECK(filtered([](ScanOptions&) {}) > 0);
  CHECK(filtered([](ScanOptions& options) { options.session = "99999999222222223333333344444444"; }) == 0);
  CHECK(filtered([](ScanOptions& options) { options.session = "11111111-2222-2222-3333-333344444444"; }) > 0);
  CHECK(filtered([](ScanOptions& options) { options.tool = "slow"; }) > 0);
  CHECK(filtered([](ScanOptions& options) { options.tool = "no-such-tool"; }) == 0);
  CHECK(filtered([](ScanOptions& options) { options.min_level = model::Level::high; }) > 0);
  CHECK(filtered([](ScanOptions& options) { options.rules = {"null-id"}; }) == 0);
}

TEST_CASE("what --session leaves out is counted and told, and rules that --rule does not name judge nothing") {
  const ScratchFolder folder;
  ScanOptions options;
  options.inputs = {folder.write("a.log", colliding())};
  const std::size_t all = scan_of(options).report.findings.size();
  options.session = "99999999222222223333333344444444";
  const ScanResult none = scan_of(options);
  CHECK(none.report.findings_left_out == all);
  REQUIRE_FALSE(none.report.notes.empty());
  CHECK(none.report.notes.back().starts_with("not shown, since others were chosen: "));
  const auto& rules = none.report.rules;
  const auto hidden = std::find_if(rules.begin(), rules.end(), [](const auto& rule) { return rule.rule == "duplicate-request-id"; });
  REQUIRE(hidden != rules.end());
  CHECK(hidden->state == model::RuleState::partly);
  options.session.clear();
  options.rules = {"null-id"};
  for (const auto& rule : scan_of(options).report.rules) CHECK((rule.rule == "null-id") == (rule.state == model::RuleState::evaluated));
}

TEST_CASE("what cannot be read is told, and the rest is read: missing, empty, binary, a folder of nothing, a cut gzip") {
  const ScratchFolder folder;
  const std::string zipped = gzip(colliding());
  folder.write("nothing/.keep", "");
  const ScanResult result = scan_files({folder.path("no-such.log"), folder.write("empty.log", ""), folder.write("noise.bin", std::string(3000, '\1') + std::string(100, '\0')),
                                        folder.path("nothing"), folder.write("cut.log.gz", zipped.substr(0, zipped.size() - 12)), folder.write("good/a.log", colliding())});
  check_books(result);
  REQUIRE_FALSE(result.problems.empty());
  CHECK(result.problems.front().where.find("no-such.log") != std::string::npos);
  CHECK(has_rule(result, "duplicate-request-id"));
  const auto row = [&](const char* name) {
    const auto found = std::find_if(result.report.inputs.begin(), result.report.inputs.end(), [&](const auto& input) { return input.path.find(name) != std::string::npos; });
    REQUIRE(found != result.report.inputs.end());
    return *found;
  };
  CHECK(row("empty.log").reader == "none");
  CHECK(row("empty.log").books.total == 0);
  CHECK_FALSE(row("noise.bin").error.empty());
  CHECK_FALSE(row("cut.log.gz").anomalies.empty());
}

TEST_CASE("an input that lies outside of --since and --until was not used for anything") {
  const ScratchFolder folder;
  ScanOptions options;
  options.inputs = {folder.write("a.log", colliding())};
  const std::uint64_t used = scan_of(options).report.inputs.at(0).books.used;
  options.since = Time{4'000'000'000'000'000};
  const ScanResult none = scan_of(options);
  CHECK(none.report.inputs.at(0).books.used == 0);
  CHECK(none.report.inputs.at(0).books.ignored.at("out-of-window") == used);
  check_books(none);
}

TEST_CASE("exports of clouds: a document, a table, and the newest record first all give what the plain log gives, with the places of the export") {
  const auto at = [](int second) { return fmt::format("2026-11-29T08:00:{:02}.000Z", second); };
  const std::vector<std::string> bodies{call(1), call(1, "slow"), reply(1), call(2), reply(2)};
  std::string plain, events, table = "timestamp,message\n", newest;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    std::string quoted, doubled;
    for (const char c : bodies[i]) quoted += c == '"' ? "\\\"" : std::string(1, c), doubled += c == '"' ? "\"\"" : std::string(1, c);
    const std::string entry = fmt::format(R"({{"insertId":"{}","timestamp":"{}","textPayload":"session=s1 body={}"}})", i, at(static_cast<int>(i)), quoted);
    plain += at(static_cast<int>(i)) + " session=s1 body=" + bodies[i] + "\n";
    events += (i == 0 ? "[\n  " : ",\n  ") + entry;
    newest.insert(0, entry + "\n");
    table += at(static_cast<int>(i)) + ",\"session=s1 body=" + doubled + "\"\n";
  }
  const ScratchFolder folder;
  const std::string wanted = facts(scan_files({folder.write("plain.log", plain)}));
  CHECK(wanted.find("duplicate-request-id") != std::string::npos);
  CHECK(facts(scan_files({folder.write("gcp.json", events + "\n]\n")})) == wanted);
  CHECK(facts(scan_files({folder.write("table.csv", table)})) == wanted);
  const ScanResult turned = scan_files({folder.write("newest.jsonl", newest)});
  CHECK(facts(turned) == wanted);
  REQUIRE_FALSE(turned.report.findings.empty());
  CHECK(turned.report.findings[0].evidence[0].source.number == 5);  // the first call stands last
  check_books(turned);
}

TEST_CASE("logs of other programs, each alone: no session, no request, no finding, and books that add up") {
  std::size_t logs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(MCPSCAN_SOURCE_DIR "/tests/golden/logs-of-other-programs/logs")) {
    const ScanResult result = scan_files({entry.path().string()});
    INFO(entry.path());
    CHECK(result.problems.empty());
    CHECK(result.report.sessions.empty());
    CHECK(result.report.requests == 0);
    CHECK(result.report.findings.empty());
    REQUIRE(result.report.inputs.size() == 1);
    CHECK(result.report.inputs[0].books.total > 0);
    CHECK(result.report.inputs[0].books.used <= 2);  // a known statement of a server in front, such as nginx's
    check_books(result);
    ++logs;
  }
  CHECK(logs >= 20);
}

TEST_CASE("a line that is no JSON among lines of JSON is malformed with line and column, and reading goes on") {
  const ScratchFolder folder;
  const std::string good = R"({"time":"2026-11-29T16:35:55Z","msg":"x","body":)" + call(1) + "}\n";
  const ScanResult result = scan_files({folder.write("a.jsonl", good + R"({"time":"2026-11-29T16:35:56Z","msg":"x)" "\n" + good)});
  const auto& row = result.report.inputs[0];
  CHECK(row.books.used == 2);
  CHECK(row.books.malformed.at("bad-json") == 1);
  const auto& anomaly = row.anomalies.entries().at("bad-json");
  CHECK(anomaly.source.number == 2);
  CHECK(anomaly.source.offset == good.size());
  CHECK(anomaly.text == "the JSON breaks off at column 38");
}

TEST_CASE("records of several bursts are one finding, from the first record to the last, each with its place") {
  const ScratchFolder folder;
  std::string log;
  for (const int second : {1, 2, 601, 602, 1201, 1202}) {
    log += fmt::format("2026-11-29 08:{:02}:{:02},000 - mcp.server.streamable_http - DEBUG - Request stream 1 not found for message. Still processing message as the client might reconnect and replay.\n",
                       second / 60, second % 60);
  }
  const ScanResult result = scan_files({folder.write("a.log", log)});
  REQUIRE(result.report.findings.size() == 1);
  const model::Finding& burst = result.report.findings[0];
  CHECK(burst.count == 6);
  CHECK(burst.last.us - burst.first.us == 1201 * kSecond);
  CHECK(burst.evidence.size() == 6);
  CHECK(burst.tally.at("stream 1") == 6);
}
