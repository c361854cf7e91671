// What the rules found, as the report shows it: one Finding a rule and place, one Incident a root cause.
// Contract: docs/report.schema.json.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "model/anomaly.h"
#include "model/observation.h"

namespace mcpscan::model {

enum class Level : std::uint8_t { informational, low, medium, high, critical };
enum class Party : std::uint8_t { unknown, client, server, gateway, network };
enum class Certainty : std::uint8_t { undetermined, weak, strong, proven };

std::string_view to_string(Level level);
std::string_view to_string(Party party);
std::string_view to_string(Certainty certainty);
std::string_view to_string(Vantage vantage);
std::optional<Level> parse_level(std::string_view text);
std::optional<Vantage> parse_vantage(std::string_view text);

struct Fault {
  Party party = Party::unknown;
  Certainty certainty = Certainty::undetermined;
  std::vector<std::string> contributing;
  std::string reason;
};

struct FindingCall {
  OwnedId id;
  std::string method, tool;  // empty: not known
  Time requested_at, replied_at;
};

struct Evidence {
  SourceRef source;
  std::string text;
};

struct Finding {
  std::string id;
  std::string rule;
  Level level = Level::informational;
  std::string session;                 // display; empty: none named
  std::uint64_t count = 0;
  std::string detail;
  std::vector<FindingCall> calls;
  std::uint64_t calls_left_out = 0;
  Time first, last;
  Fault fault;
  std::vector<Evidence> evidence;
  std::uint64_t evidence_left_out = 0;
  std::string consequence_of;          // id of the causing finding; empty: a root
  std::map<std::string, std::uint64_t> tally;  // e.g. records by stream key; shown as a table
};

// One row of the aligned picture of an incident.
struct StoryLine {
  Time at;
  char mark = ' ';       // > request, < reply, ! notice, x given up
  std::string text;
  SourceRef source;
  // For a drawing; none of it needs to be told.
  std::string call = {};    // tool or method of the call that it is about
  SourceRef asked = {};     // where that call's request stands: it tells calls of one name apart; number 0: not told
  SourceRef slot = {};      // of a reply: where the request stands that it was taken as the answer to; number 0: its own
};

struct Incident {
  std::string id, title, story, fix;
  std::string root;                    // finding id
  std::vector<std::string> findings;   // finding ids, root first
  Level level = Level::informational;
  Fault fault;
  std::uint64_t calls = 0, sessions = 0;
  std::vector<std::string> tools;
  std::vector<StoryLine> picture;
  std::vector<std::string> notes;      // e.g. "8 bursts, longest 12 in 11.1 s"
};

enum class RuleState : std::uint8_t { evaluated, partly, not_evaluable };
std::string_view to_string(RuleState state);

struct RuleCoverage {
  std::string rule;
  RuleState state = RuleState::evaluated;
  std::string why, enable;
  std::string title = {};              // what the rule finds, in a few words
  Level level = Level::informational;  // of its findings, as a rule
};

struct SessionCounts {
  std::uint64_t requests = 0, replies = 0, notifications = 0, tools_calls = 0, server_requests = 0;
};

struct SessionRow {
  std::string key, id;                 // id empty: none seen
  SessionKeying keyed_by = SessionKeying::none;
  std::string transport = "unknown";   // streamable-http, http-sse, stdio, modern-http, unknown
  std::string protocol_version, client_name, client_version, server_name, server_version;
  Time first, last;
  SessionCounts counts;
  std::uint64_t paired = 0;            // client requests with their reply
  std::int64_t answered_us = 0;        // what those took in all
};

struct InputRow {
  std::string path, sha256, reader;
  Vantage vantage = Vantage::unknown;
  std::uint64_t bytes = 0;
  Books books;
  Time first, last;
  AnomalyLog anomalies;
  std::string error;                   // why it could not be read; empty: it could
  std::string place_word = "line";     // line, packet, entry
};

struct ToolRow {
  std::string tool;
  std::uint64_t calls = 0, replies = 0, errors = 0;
  std::int64_t median_us = -1, p99_us = -1, longest_us = -1;
};

// What a session did in one stretch of time.
struct ActivityCounts {
  std::uint64_t calls = 0;             // requests of the client
  std::uint64_t timeouts = 0;          // calls that it gave up
  std::uint64_t lost = 0;              // calls whose reply went astray otherwise
  std::uint64_t notices = 0;           // log statements of replies that found no taker
};

struct ActivityStretch {
  Time at;                             // its beginning
  ActivityCounts counts;
};

struct ActivityRow {
  std::string session;                 // as findings name it; empty: those beyond the bound together
  std::vector<ActivityStretch> stretches;  // in order; those in which nothing happened are left out
};

struct Activity {
  std::int64_t stretch_us = 0;         // 0: no times were in the evidence
  Time first, last;                    // of what was counted
  std::vector<ActivityRow> rows;
};

// Everything a report format needs; it knows nothing of the engine.
struct Report {
  std::string version;
  std::vector<InputRow> inputs;
  std::vector<SessionRow> sessions;
  std::uint64_t sessions_left_out = 0;
  std::vector<ToolRow> tools;
  Activity activity;
  std::vector<Finding> findings;
  std::vector<Incident> incidents;
  std::vector<RuleCoverage> rules;
  std::uint64_t requests = 0, requests_with_reply = 0;
  SessionCounts totals;
  std::uint64_t findings_left_out = 0;
  std::vector<std::string> notes;      // e.g. "no times in gateway.log: order only"
};

}  // namespace mcpscan::model
