// Runs the timelines inside a rule file through a real tracker and engine: a rule is tested by what it would report.
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <deque>

#include "base/arena.h"
#include "engine/engine.h"
#include "session/session_tracker.h"

namespace mcpscan::engine {
namespace {

using model::Observation;
using model::ObservationKind;

constexpr std::int64_t kTestEpochUs = 1795764000ll * kSecond;  // 2026-11-27T07:20:00Z

// Turns the words of a step into an observation. Texts live in the arena until the test is over.
class StepReader {
 public:
  explicit StepReader(Arena& arena) : arena_(arena) {}

  bool read(const TestStep& step, std::uint64_t number, Observation& seen, std::string& error) {
    step_ = &step;
    seen = {};
    seen.source = {static_cast<std::uint32_t>(number_of("input")), model::PlaceKind::line, number, 0};
    if (has("at")) seen.at = {kTestEpochUs + static_cast<std::int64_t>(number_of("at") * kSecond)};
    seen.session = text("session");
    seen.exchange = static_cast<std::uint64_t>(number_of("exchange"));
    seen.connection = static_cast<std::uint64_t>(number_of("connection"));
    seen.channel = static_cast<std::uint64_t>(number_of("channel"));
    seen.event_id = text("event_id");
    seen.text = text("payload");
    seen.vantage = model::parse_vantage(text("vantage")).value_or(model::Vantage::unknown);
    seen.keying = keying(text("keyed"));
    seen.stream = model::parse_stream(text("stream")).value_or(model::StreamKind::unknown);
    const std::string_view from = text("from");
    if (from == "client") seen.direction = model::Direction::client_to_server;
    if (from == "server") seen.direction = model::Direction::server_to_client;
    seen.of_access_line = text("access_line") == "true";
    if (has("peer") || has("port") || has("principal") || seen.of_access_line) seen.http = facts();
    if (has("request") || has("reply") || has("error") || has("notify")) return message(seen);
    if (has("outcome")) return outcome(seen);
    if (has("notice") && !has("summary")) return notice(seen, error);
    if (has("open") || has("response") || has("end") || has("summary")) return exchange(seen, error);
    if (has("gap")) {
      seen.kind = ObservationKind::gap;
      seen.gap = arena_.make<model::GapFacts>(model::GapFacts{0, text("gap"), text("whole") == "true"});
      return true;
    }
    if (has("event")) return seen.kind = ObservationKind::stream_event, seen.event_id = text("event"), true;
    error = "this step says nothing that could be seen";
    return false;
  }

 private:
  bool has(const char* key) const { return step_->fields.contains(key); }
  std::string_view text(const char* key) {
    const auto found = step_->fields.find(key);
    return found == step_->fields.end() ? std::string_view() : arena_.copy(found->second);
  }
  std::span<const std::string_view> texts(const char* key) {
    if (!has(key)) return {};
    const std::span<std::string_view> list = arena_.list<std::string_view>(1);
    list.front() = text(key);
    return list;
  }
  double number_of(const char* key) const {
    const auto found = step_->fields.find(key);
    return found == step_->fields.end() ? 0 : std::strtod(found->second.c_str(), nullptr);
  }

  model::RpcId id(const char* key) {
    const std::string_view token = text(key);
    if (step_->quoted.at(key)) return {model::IdType::string, token, arena_.copy(fmt::format("\"{}\"", token))};
    if (token == "null") return {model::IdType::null, {}, token};
    if (token == "absent") return {};
    const bool is_number = !token.empty() && token.find_first_not_of("-0123456789.eE") == std::string_view::npos;
    if (!is_number) return {model::IdType::string, token, arena_.copy(fmt::format("\"{}\"", token))};
    const bool fraction = token.find_first_of(".eE") != std::string_view::npos;
    return {fraction ? model::IdType::fraction : model::IdType::integer, token, token};
  }

  static model::SessionKeying keying(std::string_view word) {
    constexpr std::array<std::pair<std::string_view, model::SessionKeying>, 4> kWords{{{"process", model::SessionKeying::process},
                                                                                      {"legacy", model::SessionKeying::legacy_session_id},
                                                                                      {"header", model::SessionKeying::mcp_session_id},
                                                                                      {"", model::SessionKeying::none}}};
    for (const auto& [name, value] : kWords) {
      if (name == word) return value;
    }
    return model::SessionKeying::none;
  }

  bool message(Observation& seen) {
    model::RpcMessage message;
    seen.kind = ObservationKind::message;
    message.method = text("method");
    message.target = text("tool");
    message.reason = text("reason");
    message.error_code = static_cast<std::int64_t>(number_of("code"));
    message.protocol_version = text("version");
    message.batch_size = static_cast<std::uint32_t>(number_of("batch"));
    message.batch_index = static_cast<std::uint32_t>(number_of("batch_index"));
    message.defects = static_cast<std::uint32_t>(number_of("defects"));
    message.text = text("payload");
    message.digest = has("payload") ? hash_bytes(text("payload")) : 0;
    message.arguments_digest = message.digest;
    message.content_texts = texts("payload");
    if (has("related")) message.related = id("related");
    if (has("token")) message.progress_token = id("token");
    bool from_client = true;
    if (has("request")) {
      message.kind = model::MessageKind::request;
      message.id = id("request");
      message.asks_for_task = message.text.find("\"task\"") != std::string_view::npos;
      if (message.method.empty()) message.method = "tools/call";
    } else if (has("notify")) {
      message.kind = model::MessageKind::notification;
      message.method = text("notify");
      from_client = message.method == "notifications/cancelled" || message.method == "notifications/initialized";
    } else {
      message.kind = has("reply") ? model::MessageKind::result : model::MessageKind::error;
      message.id = id(has("reply") ? "reply" : "error");
      message.result_keys = result_keys(has("result") ? text("result") : "content");
      from_client = false;
    }
    if (seen.direction == model::Direction::unknown) seen.direction = from_client ? model::Direction::client_to_server : model::Direction::server_to_client;
    seen.message = arena_.make<model::RpcMessage>(message);
    return true;
  }

  bool outcome(Observation& seen) {
    model::OutcomeFacts facts;
    seen.kind = ObservationKind::outcome;
    facts.call = text("outcome");
    facts.tool = text("tool");
    facts.is_start = text("start") == "true";
    facts.timed_out = text("timed_out") == "true";
    facts.stopped = text("stopped") == "true";
    facts.no_answer = facts.stopped || text("no_answer") == "true";
    facts.arguments_digest = hash_bytes(text("payload"));
    facts.arguments = text("payload");
    facts.text = has("says") ? text("says") : text("shows");
    facts.digest = has("shows") ? hash_bytes(text("shows")) : 0;
    facts.started = {kTestEpochUs + static_cast<std::int64_t>(number_of("started") * kSecond)};
    seen.outcome = arena_.make<model::OutcomeFacts>(facts);
    return true;
  }

  static std::uint32_t result_keys(std::string_view words) {
    constexpr std::array<std::pair<std::string_view, std::uint32_t>, 10> kWords{{{"content", model::kContent},
                                                                               {"structured", model::kContent | model::kStructuredContent},
                                                                               {"input-required", model::kInputRequired},
                                                                               {"task", model::kTask},
                                                                               {"tools", model::kTools},
                                                                               {"prompts", model::kPrompts},
                                                                               {"resources", model::kResources},
                                                                               {"initialize", model::kProtocolVersionKey | model::kCapabilities | model::kServerInfo},
                                                                               {"nothing", 0},
                                                                               {"other", model::kOtherKey}}};
    for (const auto& [name, bits] : kWords) {
      if (name == words) return bits;
    }
    return model::kOtherKey;
  }

  bool notice(Observation& seen, std::string& error) {
    const std::string_view word = text("notice");
    seen.kind = ObservationKind::notice;
    const std::optional<model::NoticeKind> kind = model::parse_notice(word);
    if (!kind) return error = fmt::format("unknown notice '{}'", word), false;
    const std::int64_t wait = has("wait") ? static_cast<std::int64_t>(number_of("wait") * kSecond) : -1;
    seen.notice = arena_.make<model::Notice>(model::Notice{*kind, text("key"), text("second_key"), text("tool"), wait, text("method"), text("reason")});
    return true;
  }

  const model::HttpFacts* facts() {
    model::HttpFacts http;
    http.method = has("method") ? text("method") : "POST";
    http.path = has("path") ? text("path") : "/mcp";
    http.peer = has("peer") ? text("peer") : "198.51.100.7";
    http.peer_port = static_cast<std::uint16_t>(number_of("port"));
    http.server = has("server") ? text("server") : "192.0.2.1:8000";
    http.host = text("host");
    http.origin = text("origin");
    http.user_agent = text("user_agent");
    http.content_type = text("content_type");
    http.refusal = text("refusal");
    http.forwarded_for = text("forwarded");
    http.scheme = text("scheme") == "https" ? model::Scheme::https : model::Scheme::http;
    http.declared_bytes = has("declared") ? static_cast<std::int64_t>(number_of("declared")) : -1;
    if (has("last_byte")) http.last_byte_at = {kTestEpochUs + static_cast<std::int64_t>(number_of("last_byte") * kSecond)};
    http.status = static_cast<std::uint16_t>(number_of("status"));
    http.principal = static_cast<std::uint64_t>(number_of("principal"));
    http.session_id = has("new_session") ? text("new_session") : text("session");
    http.response_session_id = has("response_session") ? text("response_session") : text("new_session");
    http.last_event_id = text("last_event");
    http.protocol_version = text("header_version");
    http.mcp_method = text("header_method");
    http.mcp_name = text("header_name");
    http.is_sse = text("sse") == "true";
    http.of_proxy = text("proxy") == "true";
    http.saw_server = text("saw_server") == "true";
    http.response_bytes = has("bytes") ? static_cast<std::int64_t>(number_of("bytes")) : -1;
    http.duration_us = has("duration") ? static_cast<std::int64_t>(number_of("duration") * kSecond) : -1;
    return arena_.make<model::HttpFacts>(http);
  }

  bool exchange(Observation& seen, std::string& error) {
    model::HttpFacts http = *facts();
    if (has("open")) {
      seen.kind = ObservationKind::exchange_request;
      seen.exchange = static_cast<std::uint64_t>(number_of("open"));
    } else if (has("response")) {
      seen.kind = ObservationKind::exchange_response;
      http.status = static_cast<std::uint16_t>(number_of("response"));
    } else if (has("summary")) {
      if (has("notice") && !notice(seen, error)) return false;
      seen.kind = ObservationKind::exchange_summary;
      http.status = static_cast<std::uint16_t>(number_of("summary"));
      http.end = model::parse_end(text("end")).value_or(model::EndReason::unknown);
    } else {
      seen.kind = ObservationKind::exchange_end;
      const std::optional<model::EndReason> end = model::parse_end(text("end"));
      if (!end) return error = fmt::format("unknown end '{}'", text("end")), false;
      http.end = *end;
    }
    seen.http = arena_.make<model::HttpFacts>(http);
    return true;
  }

  Arena& arena_;
  const TestStep* step_ = nullptr;
};

std::string shown(const model::Finding& finding) {
  return fmt::format("count {}, detail '{}', level {}, party {} ({}), session '{}'", finding.count, finding.detail, model::to_string(finding.level),
                     model::to_string(finding.fault.party), model::to_string(finding.fault.certainty), finding.session);
}

bool fits(const TestExpectation& wanted, const model::Finding& finding) {
  for (const auto& [key, value] : wanted.fields) {
    std::string has;
    if (key == "count") has = std::to_string(finding.count);
    if (key == "detail") has = finding.detail;
    if (key == "level") has = model::to_string(finding.level);
    if (key == "party") has = model::to_string(finding.fault.party);
    if (key == "certainty") has = model::to_string(finding.fault.certainty);
    if (key == "session") has = finding.session;
    if (key == "ids") {
      for (const auto& call : finding.calls) has += (has.empty() ? "" : " ") + (call.id.raw.empty() ? std::string("-") : call.id.raw);
    }
    if (has != value) return false;
  }
  return true;
}

std::vector<model::Finding> findings_of(const RuleSet& rules, const Rule& rule, const RuleTest& test, const Limits& limits, std::string& error) {
  Engine engine(rules, {60 * kSecond, {rule.id}, Scope::all}, limits);
  session::SessionTracker tracker(limits, {test.wire, "test"}, engine);
  Arena arena;
  StepReader reader(arena);
  std::uint64_t number = 0;
  for (const TestStep& step : test.timeline) {
    Observation seen;
    if (!reader.read(step, ++number, seen, error)) return error = fmt::format("line {}: {}", step.line, error), std::vector<model::Finding>{};
    tracker.observe(seen);
  }
  tracker.finish();
  engine.finish();
  std::vector<model::Finding> findings;
  for (const BookedFinding& booked : engine.book().findings()) findings.push_back(booked.finding);
  return findings;
}

}  // namespace

std::vector<std::string> run_rule_tests(const RuleSet& rules, const Rule& rule, const Limits& limits) {
  std::vector<std::string> failures;
  for (const RuleTest& test : rule.tests) {
    std::string error;
    const auto findings = findings_of(rules, rule, test, limits, error);
    std::string problem = error;
    if (problem.empty() && findings.size() != test.expect.size()) problem = fmt::format("{} findings, {} expected", findings.size(), test.expect.size());
    std::vector<bool> taken(findings.size(), false);
    for (const TestExpectation& wanted : test.expect) {
      bool found = false;
      for (std::size_t i = 0; i < findings.size() && !found; ++i) {
        if (!taken[i] && fits(wanted, findings[i])) found = taken[i] = true;
      }
      if (!found && problem.empty()) problem = "no finding is as expected";
    }
    if (problem.empty()) continue;
    std::string text = fmt::format("{}:{}: test '{}': {}", rule.path, test.line, test.name, problem);
    for (const auto& finding : findings) text += "\n    got: " + shown(finding);
    failures.push_back(std::move(text));
  }
  return failures;
}

}  // namespace mcpscan::engine
