#include <fmt/format.h>

#include <array>

#include "ingest/text/dialect.h"

namespace mcpscan::ingest {
namespace {

constexpr std::array<std::string_view, 7> kKinds{"unknown", "message", "exchange", "notice", "context", "noise", "outcome"};
constexpr std::array<std::string_view, 7> kOutcomes{"none", "started", "shown", "failed", "timed-out", "no-answer", "not-sent"};
constexpr std::array<std::string_view, 3> kDirections{"unknown", "client-to-server", "server-to-client"};
constexpr std::array<std::string_view, 7> kStreams{"unknown", "post", "get-standalone", "get-resume", "legacy-sse", "listen", "stdio"};

template <std::size_t N, typename Enum>
std::string_view word(const std::array<std::string_view, N>& words, Enum value) {
  return words[static_cast<std::size_t>(value)];
}

std::string number(std::int64_t value) { return value < 0 ? std::string{} : fmt::format("{}", value); }

std::string of_told(const LogRecord& record, std::string_view model::RpcMessage::*member) {
  return record.told == nullptr ? std::string{} : std::string(record.told->*member);
}

using Getter = std::string (*)(const LogRecord&);
struct SampleField {
  std::string_view name;
  Getter get;
};

std::string of_http(const LogRecord& record, std::string_view model::HttpFacts::*member) {
  return record.http == nullptr ? std::string{} : std::string(record.http->*member);
}
std::string of_notice(const LogRecord& record, std::string_view model::Notice::*member) {
  return record.notice == nullptr ? std::string{} : std::string(record.notice->*member);
}

OutcomeWord outcome_word(const LogRecord& record) {
  if (record.outcome == nullptr) return OutcomeWord::none;
  const model::OutcomeFacts& facts = *record.outcome;
  if (facts.is_start) return OutcomeWord::started;
  if (facts.timed_out) return OutcomeWord::timed_out;
  if (facts.no_answer) return OutcomeWord::no_answer;
  if (facts.not_sent) return OutcomeWord::not_sent;
  return facts.is_error ? OutcomeWord::failed : OutcomeWord::shown;
}

// The key and tool of a notice or of an outcome.
std::string key_of(const LogRecord& record) {
  return record.outcome != nullptr ? std::string(record.outcome->call) : of_notice(record, &model::Notice::key);
}
std::string tool_of(const LogRecord& record) {
  return record.outcome != nullptr ? std::string(record.outcome->tool) : of_notice(record, &model::Notice::tool);
}

constexpr SampleField kSampleFields[] = {
    {"is", [](const LogRecord& r) { return std::string(word_of(r.kind)); }},
    {"notice", [](const LogRecord& r) { return r.notice == nullptr ? std::string{} : std::string(word_of(r.notice->kind)); }},
    {"outcome", [](const LogRecord& r) { return std::string(word_of(outcome_word(r))); }},
    {"key", key_of},
    {"second_key", [](const LogRecord& r) { return of_notice(r, &model::Notice::second_key); }},
    {"tool", tool_of},
    {"wait_us", [](const LogRecord& r) { return r.notice == nullptr ? std::string{} : number(r.notice->wait_us); }},
    {"at", [](const LogRecord& r) { return r.at.known() ? format_rfc3339(r.at) : std::string{}; }},
    {"logger", [](const LogRecord& r) { return std::string(r.logger); }},
    {"level", [](const LogRecord& r) { return std::string(r.level); }},
    {"text", [](const LogRecord& r) { return std::string(r.text); }},
    {"body", [](const LogRecord& r) { return std::string(r.body); }},
    {"codec", [](const LogRecord& r) { return std::string(r.codec); }},
    {"reason", [](const LogRecord& r) { return std::string(r.reason); }},
    {"session", [](const LogRecord& r) { return std::string(r.session); }},
    {"keying", [](const LogRecord& r) { return std::string(word_of(r.keying)); }},
    {"direction", [](const LogRecord& r) { return std::string(word_of(r.direction)); }},
    {"stream", [](const LogRecord& r) { return std::string(word_of(r.stream)); }},
    {"peer", [](const LogRecord& r) { return std::string(r.peer); }},
    {"port", [](const LogRecord& r) { return fmt::format("{}", r.peer_port); }},
    {"method", [](const LogRecord& r) { return of_http(r, &model::HttpFacts::method); }},
    {"path", [](const LogRecord& r) { return of_http(r, &model::HttpFacts::path); }},
    {"server", [](const LogRecord& r) { return of_http(r, &model::HttpFacts::server); }},
    {"user_agent", [](const LogRecord& r) { return of_http(r, &model::HttpFacts::user_agent); }},
    {"response_session", [](const LogRecord& r) { return of_http(r, &model::HttpFacts::response_session_id); }},
    {"status", [](const LogRecord& r) { return r.http == nullptr ? std::string{} : fmt::format("{}", r.http->status); }},
    {"response_bytes", [](const LogRecord& r) { return r.http == nullptr ? std::string{} : number(r.http->response_bytes); }},
    {"request_bytes", [](const LogRecord& r) { return r.http == nullptr ? std::string{} : number(r.http->request_bytes); }},
    {"duration_us", [](const LogRecord& r) { return r.http == nullptr ? std::string{} : number(r.http->duration_us); }},
    {"started", [](const LogRecord& r) { return r.http != nullptr && r.http->started.known() ? format_rfc3339(r.http->started) : std::string{}; }},
    {"end", [](const LogRecord& r) { return std::string(r.http == nullptr ? std::string_view{} : model::to_string(r.http->end)); }},
    {"is_sse", [](const LogRecord& r) { return std::string(r.http != nullptr && r.http->is_sse ? "true" : "false"); }},
    {"rpc_id", [](const LogRecord& r) { return r.told == nullptr ? std::string{} : std::string(r.told->id.value); }},
    {"rpc_method", [](const LogRecord& r) { return of_told(r, &model::RpcMessage::method); }},
    {"rpc_target", [](const LogRecord& r) { return of_told(r, &model::RpcMessage::target); }},
    {"rpc_error", [](const LogRecord& r) {
       const model::RpcMessage* reply = r.told_reply != nullptr ? r.told_reply : r.told;
       return reply == nullptr ? std::string{} : std::string(reply->reason);
     }},
    {"lines", [](const LogRecord& r) { return fmt::format("{}", r.lines); }},
};

}  // namespace

std::string_view word_of(RecordKind kind) { return word(kKinds, kind); }
std::string_view word_of(model::NoticeKind kind) { return model::to_string(kind); }
std::string_view word_of(model::Direction direction) { return word(kDirections, direction); }
std::string_view word_of(model::StreamKind stream) { return word(kStreams, stream); }
std::string_view word_of(model::SessionKeying keying) { return model::to_string(keying); }
std::string_view word_of(OutcomeWord outcome) { return word(kOutcomes, outcome); }

std::string sample_value(const LogRecord& record, std::string_view field) {
  for (const SampleField& known : kSampleFields) {
    if (known.name == field) return known.get(record);
  }
  return {};
}

const std::vector<std::string_view>& sample_fields() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> list;
    for (const SampleField& known : kSampleFields) list.push_back(known.name);
    return list;
  }();
  return names;
}

}  // namespace mcpscan::ingest
