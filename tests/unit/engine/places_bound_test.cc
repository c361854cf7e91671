#include <catch2/catch.hpp>

#include "engine/finding_book.h"

using namespace mcpscan;

namespace {

model::FindingDraft draft_of(const std::string& session, std::uint64_t line) {
  model::FindingDraft draft;
  draft.session = session;
  draft.evidence.push_back({{0, model::PlaceKind::line, line, 0}, "text"});
  return draft;
}

}  // namespace

TEST_CASE("report_places: once the book lists so many places, a finding lists three and counts the rest") {
  Limits limits;
  limits.report_places = 10;
  engine::Rule rule;
  rule.id = "lost-reply";
  engine::FindingBook book(limits);
  for (std::uint64_t line = 1; line <= 12; ++line) book.add(rule, draft_of("first", line));
  for (std::uint64_t line = 1; line <= 12; ++line) book.add(rule, draft_of("second", line));
  REQUIRE(book.findings().size() == 2);
  const auto& first = book.findings()[0].finding;
  const auto& second = book.findings()[1].finding;
  CHECK(first.evidence.size() == 10);
  CHECK(first.evidence_left_out == 2);
  CHECK(second.evidence.size() == 3);
  CHECK(second.evidence_left_out == 9);
  CHECK(second.count == 12);
}
