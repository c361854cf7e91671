// Reports made by hand, for tests of the formats and to look at: the incident of docs/architecture.md, a clean day, evidence
// without MCP. Not evidence: no reader made them. Hostile ones: hostile_report.h.
#pragma once

#include <string>

#include "base/time.h"
#include "model/finding.h"

namespace mcpscan::tests {

// Milliseconds of 2026-11-28.
inline Time demo_time(unsigned hour, unsigned minute, unsigned second, unsigned millisecond, unsigned day = 28) {
  return time_from_civil({2026, 11, day, hour, minute, second, millisecond * 1000});
}

inline model::SourceRef demo_line(std::uint64_t number, std::uint32_t input = 0) { return {input, model::PlaceKind::line, number, number * 120}; }

inline model::OwnedId demo_id(model::IdType type, std::string value, std::string raw) {
  model::OwnedId id;
  id.type = type;
  id.value = std::move(value);
  id.raw = std::move(raw);
  return id;
}

inline model::InputRow demo_input() {
  model::InputRow input;
  input.path = "gateway.log";
  input.reader = "log/python-sdk";
  input.vantage = model::Vantage::server;
  input.bytes = 402133;
  input.books.use(3000);
  input.books.ignore("no MCP in it", 250);
  input.books.ignore("blank", 21);
  input.first = demo_time(0, 0, 4, 0);
  input.last = demo_time(23, 59, 58, 0);
  return input;
}

inline model::SessionRow demo_session(std::string id, model::SessionCounts counts) {
  model::SessionRow row;
  row.key = row.id = std::move(id);
  row.keyed_by = model::SessionKeying::mcp_session_id;
  row.transport = "streamable-http";
  row.protocol_version = "2025-06-18";
  row.client_name = "desk-agent";
  row.client_version = "2.4.1";
  row.server_name = "charts";
  row.first = demo_time(8, 12, 0, 5);
  row.last = demo_time(9, 1, 2, 0);
  row.counts = counts;
  return row;
}

inline model::Finding demo_duplicate() {
  model::Finding finding;
  finding.id = "f-7f3a9c01";
  finding.rule = "duplicate-request-id";
  finding.level = model::Level::critical;
  finding.session = "9f2c4e1ab7d84c0f8a6be3d2c1f05a77";
  finding.count = 82;
  finding.detail = "concurrent";
  finding.calls = {{demo_id(model::IdType::integer, "1", "1"), "tools/call", "render_chart", demo_time(8, 13, 23, 104), {}},
                   {demo_id(model::IdType::integer, "1", "1"), "tools/call", "summarize_page", demo_time(8, 13, 23, 321), demo_time(8, 13, 24, 10)}};
  finding.calls_left_out = 80;
  finding.first = demo_time(8, 13, 23, 321);
  finding.last = demo_time(21, 40, 1, 0);
  finding.fault = {model::Party::client, model::Certainty::proven, {"server"}, "the second request with id 1 stands before the first one's reply"};
  finding.evidence = {{demo_line(1041), "POST tools/call id=1 render_chart"}, {demo_line(1044), "POST tools/call id=1 summarize_page"}};
  finding.evidence_left_out = 80;
  return finding;
}

inline model::Finding demo_consequence(std::string id, std::string rule, std::uint64_t count, std::uint64_t line) {
  model::Finding finding;
  finding.id = std::move(id);
  finding.rule = std::move(rule);
  finding.level = model::Level::high;
  finding.session = "9f2c4e1ab7d84c0f8a6be3d2c1f05a77";
  finding.count = count;
  finding.first = demo_time(8, 13, 25, 876);
  finding.last = demo_time(21, 40, 3, 0);
  finding.fault = {model::Party::client, model::Certainty::proven, {"server"}, {}};
  finding.evidence = {{demo_line(line), "Request stream 1 not found for message."}};
  finding.consequence_of = "f-7f3a9c01";
  return finding;
}

inline model::Incident demo_incident() {
  model::Incident incident;
  incident.id = "inc-7f3a9c";
  incident.title = "One id for concurrent calls: 82 calls reused id 1 in 3 sessions, 73 replies lost";
  incident.story =
      "The client sent the next call before the last one was answered, with the same id. The server keeps one reply stream per id, so each new "
      "call took over the stream of the one before.";
  incident.fix = "client, a new id for each request; server, refuse or remap an id in flight.";
  incident.root = "f-7f3a9c01";
  incident.findings = {"f-7f3a9c01", "f-51ab0002", "f-51ab0003"};
  incident.level = model::Level::critical;
  incident.fault = {model::Party::client, model::Certainty::proven, {"server"}, {}};
  incident.calls = 82;
  incident.sessions = 3;
  incident.tools = {"render_chart", "summarize_page"};
  const model::SourceRef chart = demo_line(1041), page = demo_line(1044);
  incident.picture = {{demo_time(8, 13, 23, 104), '>', "render_chart     id 1", chart, "render_chart", chart},
                      {demo_time(8, 13, 23, 321), '>', "summarize_page   id 1   takes over stream 1", page, "summarize_page", page},
                      {demo_time(8, 13, 24, 10), '<', "result of render_chart, sent as the answer to summarize_page", demo_line(1052), "render_chart", chart, page},
                      {demo_time(8, 13, 25, 876), '!', "Request stream 1 not found: the result of summarize_page is dropped", demo_line(1060), "summarize_page", page},
                      {demo_time(8, 14, 23, 110), 'x', "render_chart gave up after 60.0 s", {}, "render_chart", chart}};
  incident.notes = {"8 bursts, longest 12 in 11.1 s."};
  return incident;
}

inline model::Finding demo_note() {
  model::Finding finding;
  finding.id = "f-0c0c0c0c";
  finding.rule = "stream-not-found-burst";
  finding.session = "44d1";
  finding.count = 2;
  finding.detail = "single records after a client hung up";
  finding.calls = {{demo_id(model::IdType::integer, "123456789012345678901234", "123456789012345678901234"), "tools/call", "render_chart", {}, {}},
                   {demo_id(model::IdType::string, "lab", "\"\\u006cab\""), "tools/call", {}, {}, {}},
                   {demo_id(model::IdType::other, {}, "[1]"), {}, {}, {}, {}}};
  finding.evidence = {{demo_line(2120), "Request stream 7 not found"}, {demo_line(2502), "Request stream 9 not found"}};
  return finding;
}

inline std::vector<model::RuleCoverage> demo_coverage() {
  const std::string why = "2 of 3 replies carry no body in this log", enable = "set DEBUG on sse_starlette or capture the wire";
  return {{"duplicate-request-id", model::RuleState::evaluated, {}, {}},
          {"stream-not-found-burst", model::RuleState::evaluated, {}, {}},
          {"lost-reply", model::RuleState::evaluated, {}, {}},
          {"late-reply", model::RuleState::evaluated, {}, {}},
          {"orphan-reply", model::RuleState::partly, "the log starts in the middle of 2 sessions", {}},
          {"null-id", model::RuleState::evaluated, {}, {}},
          {"reply-mismatch", model::RuleState::not_evaluable, why, enable},
          {"truncated-body", model::RuleState::not_evaluable, why, enable}};
}

// A quarter of an hour with few calls, then bursts of lost ones.
inline model::Activity demo_activity() {
  model::Activity activity;
  activity.stretch_us = 15 * kMinute;
  activity.first = demo_time(8, 12, 0, 5);
  activity.last = demo_time(21, 40, 3, 0);
  model::ActivityRow burst{"9f2c4e1ab7d84c0f8a6be3d2c1f05a77", {}}, calm{"44d1", {}};
  for (unsigned hour = 8; hour < 22; ++hour) {
    for (unsigned quarter = 0; quarter < 4; ++quarter) {
      const std::uint64_t calls = (hour * 7 + quarter * 5) % 11, lost = hour % 5 == 3 ? calls / 2 : 0;
      if (calls > 0) burst.stretches.push_back({demo_time(hour, quarter * 15, 0, 0), {calls, lost / 2, lost - lost / 2, lost}});
      if (quarter == 1) calm.stretches.push_back({demo_time(hour, 15, 0, 0), {3, 0, 0, 0}});
    }
  }
  activity.rows = {burst, calm};
  return activity;
}

// The incident of the design page: one id for concurrent calls.
inline model::Report demo_report() {
  model::Report report;
  report.version = "0.1.0";
  report.inputs = {demo_input()};
  report.sessions = {demo_session("44d1", {120, 118, 3, 110, 0}), demo_session("9f2c4e1ab7d84c0f8a6be3d2c1f05a77", {379, 306, 9, 366, 1})};
  report.tools = {{"summarize_page", 201, 180, 2, 812000, 4200000, 11870000}, {"render_chart", 275, 210, 0, 1950000, 59100000, 59800000}};
  report.activity = demo_activity();
  report.findings = {demo_duplicate(), demo_consequence("f-51ab0002", "stream-not-found-burst", 73, 1060),
                     demo_consequence("f-51ab0003", "lost-reply", 73, 1060), demo_note()};
  report.findings[1].tally = {{"stream 1", 73}};
  report.incidents = {demo_incident()};
  report.rules = demo_coverage();
  report.requests = 499;
  report.requests_with_reply = 424;
  report.totals = {499, 424, 12, 476, 1};
  return report;
}

// Nothing wrong, everything read.
inline model::Report clean_report() {
  model::Report report = demo_report();
  report.findings.clear();
  report.incidents.clear();
  report.rules = {{"duplicate-request-id", model::RuleState::evaluated, {}, {}}, {"lost-reply", model::RuleState::evaluated, {}, {}}};
  report.sessions[0].counts = {500, 500, 20, 450, 0};
  report.sessions[1].counts = {812, 812, 36, 750, 0};
  report.tools = {{"render_chart", 1200, 1200, 0, 1950000, 4100000, 5800000}};
  report.requests = report.requests_with_reply = 1312;
  report.totals = {1312, 1312, 56, 1200, 0};
  return report;
}

// A mail server's log: read, understood by nobody.
inline model::Report foreign_report() {
  model::Report report;
  report.version = "0.1.0";
  report.inputs = {demo_input()};
  report.inputs[0].path = "mail.log";
  report.inputs[0].reader = "";
  report.inputs[0].vantage = model::Vantage::unknown;
  report.inputs[0].books = {};
  report.inputs[0].books.ignore("no MCP in it", 3271);
  report.inputs[0].first = report.inputs[0].last = {};
  return report;
}

}  // namespace mcpscan::tests
