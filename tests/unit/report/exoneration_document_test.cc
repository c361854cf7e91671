#include "report/exoneration_document.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <sstream>

using namespace mcpscan;
using model::Exoneration;

namespace {

constexpr std::string_view kHostile = "</td><script>alert(1)</script> \x1b[31m =1+1 Authorization: Bearer abcdef123456";

model::Report evidence() {
  model::Report report;
  report.version = "1.2.3";
  model::InputRow input;
  input.path = std::string(kHostile);
  input.sha256 = std::string(64, 'a');
  report.inputs.push_back(input);
  report.notes.emplace_back(kHostile);
  return report;
}

Exoneration proof() {
  Exoneration proof;
  proof.party = model::Party::server;
  proof.cleared = true;
  proof.judged_at = std::string(kHostile);
  proof.calls = 15;
  proof.sessions = 1;
  proof.checks.push_back({"answered under their own id", 15, 15, std::string(kHostile)});
  proof.limits.emplace_back(kHostile);
  Exoneration::Batch batch;
  batch.at = {1000000};
  batch.session = std::string(kHostile);
  batch.size = 3;
  batch.right = 3;
  batch.timed_out = {std::string(kHostile)};
  batch.landed_in = std::string(kHostile);
  batch.source = {0, model::PlaceKind::line, 7, 0};
  proof.batches.push_back(batch);
  proof.sweep.push_back({3, "first", "pooled", 1, 3, 3, 3, 0, 0});
  return proof;
}

bool has(const std::string& text, std::string_view what) { return text.find(what) != std::string::npos; }

}  // namespace

TEST_CASE("A proof is written as text, Markdown, HTML, CSV and JSON; lists of faults carry none") {
  for (const char* format : {"text", "md", "html", "csv", "json"}) CHECK(report::carries_exoneration(format));
  for (const char* format : {"sarif", "junit", "jsonl", "nonsense"}) CHECK_FALSE(report::carries_exoneration(format));
}

TEST_CASE("No text of a proof acts in any format, and no token is shown") {
  for (const char* format : {"text", "md", "html", "csv", "json"}) {
    INFO(format);
    const std::string text = report::write_exoneration(format, evidence(), proof(), {});
    CHECK_FALSE(has(text, "\x1b"));
    CHECK_FALSE(has(text, "abcdef123456"));
    CHECK(has(text, std::string(64, 'a')));
  }
  CHECK_FALSE(has(report::write_exoneration("html", evidence(), proof(), {}), "<script"));
}

TEST_CASE("The page of a proof tells the verdict, each check and each batch, and what limits the claim") {
  const std::string page = report::write_exoneration("html", evidence(), proof(), {});
  for (const char* part : {"<h1>CLEARED</h1>", "15 of 15", "answered under their own id", "Batch by batch", "3 of 3 right", "Sizes and forms", "What limits this claim"}) CHECK(has(page, part));
  Exoneration refused = proof();
  refused.cleared = false;
  refused.refusals.push_back({"2 calls were never answered", "f1"});
  const std::string other = report::write_exoneration("html", evidence(), refused, {});
  CHECK(has(other, "<h1>NOT CLEARED</h1>"));
  CHECK(has(other, "2 calls were never answered: finding f1"));
}

TEST_CASE("The table of a proof has a row each for the verdict, a check, a limit, a batch, a kind of batch and an input, all of one width") {
  const std::string table = report::write_exoneration("csv", evidence(), proof(), {});
  std::istringstream lines(table);
  std::vector<std::string> records;
  for (std::string line; std::getline(lines, line);) records.push_back(line.substr(0, line.find(',')));
  CHECK(records == std::vector<std::string>{"record", "cleared", "check", "limit", "batch", "batches", "input"});
  CHECK(has(table, "batch,,1970-01-01T00:00:01.000000Z,"));
}
