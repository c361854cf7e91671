#include "engine/coverage.h"

#include <catch2/catch.hpp>

#include <string>

#include "base/embedded_file.h"

using namespace mcpscan;
using engine::EvidenceLimits;
using model::RuleState;

namespace {

const engine::RuleSet& rules() {
  static const engine::RuleSet kSet = [] {
    engine::RuleSet set;
    for (const EmbeddedFile& file : embedded_rules()) REQUIRE(set.add(file.text, file.path).ok());
    return set;
  }();
  return kSet;
}

EvidenceLimits everything() {
  EvidenceLimits evidence;
  evidence.capabilities = UINT32_MAX;
  return evidence;
}

model::RuleCoverage coverage_of(const std::string& rule, const EvidenceLimits& evidence) {
  for (auto& coverage : judge_coverage(rules(), evidence)) {
    if (coverage.rule == rule) return coverage;
  }
  FAIL("no coverage of " << rule);
  return {};
}

}  // namespace

TEST_CASE("with all the evidence there is every rule is evaluated, each once") {
  const auto coverage = judge_coverage(rules(), everything());
  CHECK(coverage.size() == rules().rules().size());
  for (const auto& row : coverage) {
    INFO(row.rule);
    CHECK(row.state == RuleState::evaluated);
    CHECK(row.why.empty());
  }
}

TEST_CASE("without what a rule needs it is not evaluable, and the report says why and how to enable it") {
  for (const auto& row : judge_coverage(rules(), {})) {
    if (row.state != RuleState::not_evaluable) continue;
    INFO(row.rule);
    CHECK_FALSE(row.why.empty());
    CHECK_FALSE(row.enable.empty());
  }
  EvidenceLimits evidence;
  evidence.enable = "set DEBUG on the server";
  CHECK(coverage_of("lost-reply", evidence).enable.substr(0, 23) == "set DEBUG on the server");
}

TEST_CASE("a rule that found something though the evidence lacks what it needs is judged in part, and the report says what is lacking") {
  EvidenceLimits evidence;
  evidence.found.insert("connection-reset");
  CHECK(coverage_of("connection-reset", evidence).state == RuleState::partly);
  CHECK_FALSE(coverage_of("connection-reset", evidence).why.empty());
  CHECK(coverage_of("stream-closed-early", evidence).state == RuleState::not_evaluable);
}

TEST_CASE("gaps, unattributed replies and calls let go make a rule of absence partly judged; a rule of presence stands") {
  EvidenceLimits gaps = everything(), unattributed = everything(), aged = everything();
  gaps.gaps = true;
  unattributed.unattributed_replies = 3;
  aged.aged_out_calls = 1;
  for (const EvidenceLimits& evidence : {gaps, unattributed, aged}) {
    CHECK(coverage_of("lost-reply", evidence).state == RuleState::partly);
    CHECK(coverage_of("null-id", evidence).state == RuleState::evaluated);
  }
  CHECK(coverage_of("lost-reply", unattributed).why.find("3 replies") != std::string::npos);
}

TEST_CASE("calls that waited for a time nothing tells limit what is said of lost replies, and nothing else") {
  EvidenceLimits evidence = everything();
  evidence.untold_waits = 3;
  CHECK(coverage_of("lost-reply", evidence).state == RuleState::partly);
  CHECK(coverage_of("lost-reply", evidence).why.substr(0, 10) == "of 3 calls");
  CHECK(coverage_of("orphan-reply", evidence).state == RuleState::evaluated);
}

TEST_CASE("replies that came at a time nothing tells limit what is said of the order of things, and nothing else") {
  EvidenceLimits evidence = everything();
  evidence.untimed_replies = 3;
  CHECK(coverage_of("reply-mismatch", evidence).why == "nothing tells when 3 replies came");
  CHECK(coverage_of("orphan-reply", evidence).state == RuleState::evaluated);
}

TEST_CASE("a full id ledger or retired sessions make reuse partly judged") {
  EvidenceLimits full = everything(), retired = everything();
  full.ledgers_complete = false;
  retired.retired_sessions = 2;
  CHECK(coverage_of("duplicate-request-id", full).state == RuleState::partly);
  CHECK(coverage_of("duplicate-request-id", retired).state == RuleState::partly);
}

TEST_CASE("requests under one id of which nothing tells whose they are make what judges whose ids they are partly judged") {
  EvidenceLimits evidence = everything();
  evidence.shared_ids = 2;
  const auto partly = coverage_of("duplicate-request-id", evidence);
  CHECK(partly.state == RuleState::partly);
  CHECK(partly.why.substr(0, 10) == "2 requests");
  CHECK(coverage_of("null-id", evidence).state == RuleState::evaluated);
}
