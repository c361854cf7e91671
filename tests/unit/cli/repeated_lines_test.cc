// Logs that repeat what another log of the run has told: read once, said so, and the places stay those of the file.
#include "pipeline/repeated_lines.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "pipeline/scan.h"
#include "support/check_books.h"
#include "unit/ingest/scratch_folder.h"

using namespace mcpscan;
using namespace mcpscan::tests;
using pipeline::ScanOptions;
using pipeline::ScanResult;

namespace {

constexpr const char* kSession = "11111111222222223333333344444444";
constexpr int kCalls = 20;

ScanResult scan_of(std::vector<std::string> inputs, const Limits& limits = {}) {
  static const pipeline::Knowledge kBuiltIn = pipeline::load_knowledge({}, {});
  ScanOptions options;
  options.inputs = std::move(inputs);
  options.threads = 1;
  return pipeline::scan(options, kBuiltIn, limits, [](const std::string&, std::uint64_t) {});
}

std::string line(int call, const std::string& json, bool timed = true) {
  const std::string time = timed ? fmt::format("2026-11-29T10:{:02}:{:02}.000Z ", call / 60, call % 60) : std::string();
  return fmt::format("{}INFO gateway session={} body={}\n", time, kSession, json);
}
std::string pair(int call, bool timed = true) {
  return line(call, fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":"tools/call","params":{{"name":"echo","arguments":{{"q":{}}}}}}})", call, call), timed) +
         line(call, fmt::format(R"({{"jsonrpc":"2.0","id":{},"result":{{"content":[]}}}})", call), timed);
}
// Calls from one to another; the last one shares its id with the one before the last.
std::string calls(int from, int to, bool timed = true) {
  std::string text;
  for (int call = from; call <= to; ++call) text += pair(call == kCalls ? kCalls - 1 : call, timed);
  return text;
}

// What a report says, places apart.
std::string facts(const ScanResult& result) {
  std::string text;
  for (const auto& session : result.report.sessions) text += fmt::format("session {} {}/{}\n", session.key, session.counts.requests, session.paired);
  for (const auto& finding : result.report.findings) text += fmt::format("finding {} {} {} {}\n", finding.id, finding.rule, finding.count, finding.detail);
  return text;
}

bool notes(const ScanResult& result, const char* what) {
  const auto& list = result.report.notes;
  return std::any_of(list.begin(), list.end(), [&](const std::string& note) { return note.find(what) != std::string::npos; });
}

std::string expected_facts(const ScratchFolder& folder) { return facts(scan_of({folder.write("expected/whole.log", calls(1, kCalls))})); }

}  // namespace

TEST_CASE("a copy of a log that went on, in one rotated set with it, and a plain file beside its compressed one: no id is used twice by it") {
  const ScratchFolder folder;
  const std::string expected = expected_facts(folder);
  CHECK(expected.find("duplicate-request-id 1 sequential") != std::string::npos);
  const std::string live = folder.write("copied/app.log", calls(1, kCalls)), copy = folder.write("copied/app.log.1", calls(1, 12));
  const ScanResult copied = scan_of({live, copy});
  CHECK(facts(copied) == expected);
  CHECK(notes(copied, "app.log begins with 24 lines that are in "));
  CHECK(copied.report.inputs.at(1).books.ignored.at("repeated") == 24);
  check_books(copied);
  const ScanResult zipped = scan_of({folder.write("zipped/app.log.1", calls(1, kCalls)), folder.write("zipped/app.log.1.gz", gzip(calls(1, kCalls)))});
  CHECK(facts(zipped) == expected);
  CHECK(notes(zipped, "holds nothing that is not in "));
  check_books(zipped);
}

TEST_CASE("exports whose windows overlap are one log, and a finding's place is a line of the file it stands in") {
  const ScratchFolder folder;
  const ScanResult result = scan_of({folder.write("monday.log", calls(1, 12)), folder.write("noon.log", calls(8, kCalls))});
  CHECK(facts(result) == expected_facts(folder));
  const auto& findings = result.report.findings;
  const auto reuse = std::find_if(findings.begin(), findings.end(), [](const auto& finding) { return finding.rule == "duplicate-request-id"; });
  REQUIRE(reuse != findings.end());
  CHECK(reuse->evidence.back().source.input == 1);
  CHECK(reuse->evidence.back().source.number == 2 * (kCalls - 8) + 1);
  check_books(result);
}

TEST_CASE("the parts of a set, and a file that holds them all") {
  const ScratchFolder folder;
  const std::string part = folder.write("set/app.log.1", calls(1, 12)), rest = folder.write("set/app.log", calls(13, kCalls)), all = folder.write("set/everything.txt", calls(1, kCalls));
  CHECK(facts(scan_of({part, rest, all})) == expected_facts(folder));
  CHECK(facts(scan_of({all, part, rest})) == expected_facts(folder));
}

TEST_CASE("a copy that ends within a line: the line is read where it is whole") {
  const ScratchFolder folder;
  const std::string cut = calls(1, 12) + pair(13).substr(0, 90);
  const ScanResult result = scan_of({folder.write("set/app.log.1", cut), folder.write("set/app.log", calls(1, kCalls))});
  CHECK(result.report.sessions.at(0).counts.requests == kCalls);
  CHECK(notes(result, "app.log begins with 24 lines"));
}

TEST_CASE("documents and tables of records, and a last line without its end, repeat as lines do") {
  const ScratchFolder folder;
  const auto array = [](int from, int to) {
    std::string text;
    for (int call = from; call <= to; ++call) {
      text += fmt::format(R"({}{{"timestamp":{},"message":"{{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}}"}})", text.empty() ? "[" : ", ", 1785000000000 + call * 1000, call);
      text += fmt::format(R"(,{{"timestamp":{},"message":"{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{{}}}}"}})", 1785000000500 + call * 1000, call);
    }
    return text + "]";
  };
  const ScanResult result = scan_of({folder.write("set/events-2026-07-25.json", array(1, 12)), folder.write("set/events-2026-07-26.json", array(8, kCalls))});
  CHECK(result.report.sessions.at(0).counts.requests == kCalls);
  CHECK(result.report.findings.empty());
  CHECK(result.report.inputs.at(1).books.ignored.at("repeated") == 10);
  check_books(result);
  const std::string open = calls(1, 12);
  const ScanResult endless = scan_of({folder.write("open/app.log.1", open.substr(0, open.size() - 1)), folder.write("open/app.log", calls(1, kCalls))});
  CHECK(facts(endless) == expected_facts(folder));
}

TEST_CASE("what copying alone changes makes no difference: the encoding, its mark, line ends of Windows, an archive around it") {
  const ScratchFolder folder;
  const std::string expected = expected_facts(folder), all = calls(1, kCalls), part = calls(1, 12);
  std::string windows;
  for (const char c : all) windows += c == '\n' ? "\r\n" : std::string(1, c);
  const std::vector<std::string> copies = {windows, "\xEF\xBB\xBF" + all, utf16(windows), gzip(utf16(all))};
  for (std::size_t i = 0; i < copies.size(); ++i) {
    CAPTURE(i);
    const std::string set = fmt::format("set{}/app.log", i);
    const ScanResult result = scan_of({folder.write(set + ".1", part), folder.write(set, copies[i])});
    CHECK(facts(result) == expected);
    CHECK(result.report.inputs.at(1).books.ignored.at("repeated") == 24);
    check_books(result);
  }
  const ScanResult packed = scan_of({folder.write("packed/logs.tar", tar({{"app.log", all}, {"app.log.1", part}}))});
  CHECK(facts(packed) == expected);
  CHECK(notes(packed, "logs.tar!/app.log begins with 24 lines"));
  const ScanResult beside = scan_of({folder.write("beside/app.log", all), folder.write("beside/logs.tgz", gzip(tar({{"app.log", all}, {"other.log", "2026-11-29 x\n"}})))});
  CHECK(facts(beside) == expected);
  CHECK(notes(beside, "logs.tgz!/app.log holds nothing that is not in "));
  check_books(beside);
}

TEST_CASE("exports whose newest record comes first repeat at their ends, beside others of their kind and logs as they were written") {
  const ScratchFolder folder;
  const auto newest_first = [](const std::string& text) {
    std::string turned;
    for (std::size_t end = text.size(); end > 0;) {
      const std::size_t begin = text.rfind('\n', end - 2) + 1;
      turned += text.substr(begin, end - begin);
      end = begin;
    }
    return turned;
  };
  const std::string expected = expected_facts(folder), older = calls(1, 12), newer = calls(8, kCalls);
  for (const bool first : {false, true}) {
    const std::string set = first ? "both/export" : "one/export";
    const ScanResult result = scan_of({folder.write(set + "-2026-11-28.log", first ? newest_first(older) : older), folder.write(set + "-2026-11-29.log", newest_first(newer))});
    CHECK(facts(result) == expected);
    CHECK(notes(result, "export-2026-11-29.log ends with 10 lines that are in "));
    check_books(result);
    const auto& findings = result.report.findings;
    const auto reuse = std::find_if(findings.begin(), findings.end(), [](const auto& finding) { return finding.rule == "duplicate-request-id"; });
    REQUIRE(reuse != findings.end());
    CHECK(reuse->evidence.back().source.number == 2);  // the newest call's request, below its reply
  }
  const ScanResult later = scan_of({folder.write("later/export-2026-11-28.log", newest_first(older)), folder.write("later/export-2026-11-29.log", newer)});
  CHECK(facts(later) == expected);
  CHECK(notes(later, "export-2026-11-29.log begins with 10 lines"));
}

TEST_CASE("what is alike for a while, or tells no times, is a log of its own") {
  const ScratchFolder folder;
  const ScanResult alike = scan_of({folder.write("set/app.log.1", calls(1, 12)), folder.write("set/app.log", calls(1, 11) + calls(14, kCalls))});
  CHECK(alike.report.inputs.at(1).books.ignored.count("repeated") == 0);
  const ScanResult timeless = scan_of({folder.write("no/app.log.1", calls(1, 12, false)), folder.write("no/app.log", calls(1, kCalls, false))});
  CHECK(timeless.report.inputs.at(1).books.ignored.count("repeated") == 0);
  // A time that stands elsewhere in the logs is not one of the lines that are alike.
  const ScanResult mixed = scan_of({folder.write("mixed/a.log", calls(1, 2) + calls(1, 12, false)), folder.write("mixed/b.log", calls(1, 12, false))});
  CHECK(mixed.report.inputs.at(1).books.ignored.count("repeated") == 0);
  const ScanResult later = scan_of({folder.write("later/a.log", calls(1, 12, false)), folder.write("later/b.log", calls(1, 12, false) + calls(13, kCalls))});
  CHECK(later.report.inputs.at(1).books.ignored.count("repeated") == 0);
}

TEST_CASE("Limits::repeated_ahead_files says how far ahead beginnings are looked for") {
  const ScratchFolder folder;
  Limits limits;
  limits.repeated_ahead_files = 0;
  const ScanResult result = scan_of({folder.write("set/app.log.1", calls(1, 12)), folder.write("set/app.log", calls(1, kCalls))}, limits);
  CHECK(result.report.inputs.at(1).books.ignored.count("repeated") == 0);
}
