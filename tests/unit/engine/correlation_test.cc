#include <catch2/catch.hpp>

#include "engine/engine.h"

using namespace mcpscan;

namespace {

// A rule with this correlation, over this detection; its tests are the cases of the test.
std::string rule(const std::string& detection, const std::string& correlation, const std::string& tests) {
  return "title: t\nid: user-rule\nlevel: low\ndescription: d\ndetection:\n" + detection + "correlation: " + correlation + "\ntests:\n" + tests;
}

void check(const std::string& yaml) {
  engine::RuleSet rules;
  const Status status = rules.add(yaml, "rules/user-rule.yml");
  INFO((status.ok() ? std::string() : status.error().to_string()));
  REQUIRE(status.ok());
  for (const std::string& failure : engine::run_rule_tests(rules, *rules.find("user-rule"), Limits{})) FAIL_CHECK(failure);
}

std::string error_of(const std::string& correlation) {
  const auto loaded = engine::load_rule(rule("  event: request\n  calls: {method: tools/call}\n  lists: {method: tools/list}\n  condition: calls or lists\n", correlation,
                                             "  - {name: a, timeline: [], expect: [{count: 1}]}\n"),
                                        "rules/user-rule.yml");
  return loaded.ok() ? std::string() : loaded.error().to_string();
}

const std::string kCalls = "  event: request\n  calls: {method: tools/call}\n  condition: calls\n";

}  // namespace

TEST_CASE("event_count: so many within the timespan, of one group; all of them are told, and each that follows") {
  check(rule(kCalls, "{type: event_count, group-by: [session], timespan: 10s, condition: {gte: 3}}",
             "  - {name: three, timeline: [{at: 0, request: 1, session: s}, {at: 5, request: 2, session: s}, {at: 9, request: 3, session: s}, {at: 12, request: 4, session: s}], "
             "expect: [{count: 4}]}\n"
             "  - {name: slow, timeline: [{at: 0, request: 1, session: s}, {at: 9, request: 2, session: s}, {at: 18, request: 3, session: s}], expect: []}\n"
             "  - {name: two sessions, timeline: [{at: 0, request: 1, session: s}, {at: 1, request: 2, session: t}, {at: 2, request: 3, session: s}], expect: []}\n"
             "  - {name: no times, timeline: [{request: 1, session: s}, {request: 2, session: s}, {request: 3, session: s}], expect: []}\n"));
}

TEST_CASE("value_count: so many different values, however often each") {
  check(rule(kCalls, "{type: value_count, field: tool, group-by: session, timespan: 1m, condition: {gt: 1}}",
             "  - {name: two tools, timeline: [{at: 0, request: 1, session: s, tool: a}, {at: 1, request: 2, session: s, tool: a}, {at: 2, request: 3, session: s, tool: b}], "
             "expect: [{count: 3}]}\n"
             "  - {name: one tool, timeline: [{at: 0, request: 1, session: s, tool: a}, {at: 1, request: 2, session: s, tool: a}], expect: []}\n"));
}

TEST_CASE("temporal: all selections within the timespan, in any order; temporal_ordered: in theirs") {
  const std::string detection = "  event: [request, notice]\n  call: {event: request}\n  dropped: {event: notice, notice: stream_not_found}\n  condition: call or dropped\n";
  const std::string together = "  - {name: call first, timeline: [{at: 0, request: 1, session: s}, {at: 1, notice: stream_not_found, key: 1, session: s}], expect: [{count: 2}]}\n";
  const std::string reversed = "{at: 0, notice: stream_not_found, key: 9, session: s}, {at: 1, request: 1, session: s}]";
  const std::string apart = "  - {name: apart, timeline: [{at: 0, request: 1, session: s}, {at: 20, notice: stream_not_found, key: 1, session: s}], expect: []}\n";
  check(rule(detection, "{type: temporal, rules: [call, dropped], timespan: 10s}", together + apart + "  - {name: r, timeline: [" + reversed + ", expect: [{count: 2}]}\n"));
  check(rule(detection, "{type: temporal_ordered, rules: [call, dropped], timespan: 10s}", together + apart + "  - {name: r, timeline: [" + reversed + ", expect: []}\n"));
}

TEST_CASE("a bad correlation is refused with its place and what is meant") {
  CHECK(error_of("{type: event_cuont, timespan: 1s, condition: {gte: 2}}").find("did you mean 'event_count'?") != std::string::npos);
  CHECK(error_of("{type: event_count, timespan: 0s, condition: {gte: 2}}").find("'0s' is no timespan") != std::string::npos);
  CHECK(error_of("{type: event_count, timespan: 10 lightyears, condition: {gte: 2}}").find("rules/user-rule.yml:10") != std::string::npos);
  CHECK(error_of("{type: event_count, timespan: 99999999999999d, condition: {gte: 2}}").find("is no timespan") != std::string::npos);
  CHECK(error_of("{type: event_count, timespan: 1s, condition: {gte: 0}}").find("from 1 to") != std::string::npos);
  CHECK(error_of("{type: event_count, timespan: 1s, condition: {lte: 3}}").find("unknown key 'lte'") != std::string::npos);
  CHECK(error_of("{type: event_count, timespan: 1s}").find("must be one comparison") != std::string::npos);
  CHECK(error_of("{type: event_count, group-by: [sesion], timespan: 1s, condition: {gte: 2}}").find("did you mean 'session'?") != std::string::npos);
  CHECK(error_of("{type: value_count, timespan: 1s, condition: {gte: 2}}").find("'field' is missing") != std::string::npos);
  CHECK(error_of("{type: temporal, rules: [calls, list], timespan: 1s}").find("did you mean 'lists'?") != std::string::npos);
  CHECK(error_of("{type: temporal, rules: [calls], timespan: 1s}").find("two selections at least") != std::string::npos);
  CHECK(error_of("{type: temporal, rules: [calls, lists], timespan: 1s, condition: {gte: 2}}").find("no 'condition'") != std::string::npos);
}
