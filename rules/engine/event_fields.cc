// The fields of a timeline event by name, for the condition language.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>

#include "engine/condition.h"
#include "session/result_fit.h"
#include "session/session_table.h"

namespace mcpscan::engine {
namespace {

using model::TimelineEvent;

struct FieldEntry {
  std::string_view name;
  EventField field;
};

constexpr std::array<std::string_view, 6> kIdTypes{"absent", "null", "integer", "fraction", "string", "other"};
constexpr std::array<std::string_view, 5> kMessages{"request", "notification", "result", "error", "invalid"};
constexpr std::array<std::string_view, 3> kDirections{"unknown", "client_to_server", "server_to_client"};

std::string_view to_string(model::IdType type) { return kIdTypes[static_cast<std::size_t>(type)]; }
std::string_view to_string(model::MessageKind kind) { return kMessages[static_cast<std::size_t>(kind)]; }
std::string_view to_string(model::Direction direction) { return kDirections[static_cast<std::size_t>(direction)]; }

// A word of an enumeration that ends with kLast; kRead gives none for an event that has no such thing.
template <auto kLast, auto kRead>
constexpr EventField word() {
  static_assert(static_cast<unsigned>(kLast) < kNoWord);
  return {[](const TimelineEvent& e) -> FieldText {
            const auto value = kRead(e);
            return value ? to_string(*value) : std::string_view();
          },
          nullptr,
          [](const TimelineEvent& e) -> unsigned {
            const auto value = kRead(e);
            return value ? static_cast<unsigned>(*value) : kNoWord;
          },
          [](unsigned number) { return number <= static_cast<unsigned>(kLast) ? to_string(static_cast<decltype(kLast)>(number)) : std::string_view(); }};
}

template <auto kRead>
constexpr EventField flag() {
  return {[](const TimelineEvent& e) -> FieldText { return std::string_view(kRead(e) ? "true" : "false"); }, kRead};
}
const model::RpcMessage* message(const TimelineEvent& e) { return e.observation ? e.observation->message : nullptr; }
// Of the event's own exchange: one that is let go early is told with what pushed it out.
const model::HttpFacts* http(const TimelineEvent& e) {
  if (!e.observation || (e.exchange && e.observation->exchange != e.exchange->id)) return nullptr;
  return e.observation->http;
}
FieldText of_http(const TimelineEvent& e, std::string_view model::HttpFacts::*member) { return http(e) ? http(e)->*member : std::string_view(); }

// A response names another session than its request did.
bool session_changed(const TimelineEvent& e) {
  const auto* facts = http(e);
  return facts && !facts->session_id.empty() && !facts->response_session_id.empty() && facts->session_id != facts->response_session_id &&
         session::normalise_session_id(facts->session_id) != session::normalise_session_id(facts->response_session_id);
}

// The version header against the version that was agreed on.
bool version_differs(const TimelineEvent& e) {
  const auto* facts = http(e);
  return facts && e.session && e.session->initialize_answered && !facts->protocol_version.empty() && !e.session->protocol_version.empty() &&
         facts->protocol_version != e.session->protocol_version;
}

model::RpcId id_of(const TimelineEvent& e) {
  if (const auto* m = message(e)) return m->id;
  return e.call ? e.call->id.view() : model::RpcId{};
}

FieldText method_of(const TimelineEvent& e) {
  if (const auto* m = message(e); m && !m->method.empty()) return m->method;
  return e.call ? std::string_view(e.call->method) : std::string_view();
}

bool result_fits_call(const TimelineEvent& e) {
  const auto* m = message(e);
  if (!m || m->kind != model::MessageKind::result || !e.call) return true;
  return session::result_fits(e.call->method, m->result_keys);
}

// Nothing is wrong with the message by itself, nor, for a result, with what it is the answer to.
bool is_sound(const TimelineEvent& e) {
  const auto* m = message(e);
  return !m || (m->defects == 0 && m->kind != model::MessageKind::invalid && result_fits_call(e));
}

// Sent at about the time when the call ended elsewhere, on another stream than its own: nothing orders two streams.
bool crossed_end(const TimelineEvent& e) {
  constexpr std::int64_t kOnItsWayUs = 100 * kMillisecond;
  const bool elsewhere = e.exchange && e.other && e.other->exchange != 0 && e.other->exchange != e.exchange->id;
  return elsewhere && e.at.known() && e.other->closed_at.known() && e.at.us - e.other->closed_at.us <= kOnItsWayUs;
}

FieldText defects_of(const TimelineEvent& e) {
  constexpr std::array<std::string_view, 9> kDefects{"no-jsonrpc-version", "both-result-and-error", "no-method-or-result", "duplicate-key", "repaired-text",
                                                     "truncated", "not-json", "too-deep", "bad-error"};
  const auto* m = message(e);
  if (!m || m->defects == 0) return std::string_view();
  std::string words;
  for (std::size_t i = 0; i < kDefects.size(); ++i) {
    if ((m->defects & (1u << i)) != 0) words += (words.empty() ? "" : " ") + std::string(kDefects[i]);
  }
  return words.empty() ? FieldText(std::string_view()) : FieldText(std::move(words));
}

const FieldEntry kFields[]{
    {"event", word<model::EventKind::outcome, ([](const TimelineEvent& e) { return std::optional(e.kind); })>()},
    {"id", {[](const TimelineEvent& e) -> FieldText { return std::string_view(id_of(e).value); }}},
    {"id_type", word<model::IdType::other, ([](const TimelineEvent& e) { return std::optional(id_of(e).type); })>()},
    {"method", {method_of}},
    {"tool", {[](const TimelineEvent& e) -> FieldText { return message(e) && !message(e)->target.empty() ? std::string_view(message(e)->target) : e.call ? e.call->target : std::string_view(); }}},
    {"message", word<model::MessageKind::invalid, ([](const TimelineEvent& e) { return message(e) ? std::optional(message(e)->kind) : std::nullopt; })>()},
    {"direction", word<model::Direction::server_to_client, ([](const TimelineEvent& e) { return e.observation ? std::optional(e.observation->direction) : std::nullopt; })>()},
    {"requestor", {[](const TimelineEvent& e) -> FieldText { return e.call ? std::string_view(e.call->requestor == model::Direction::server_to_client ? "server" : "client") : std::string_view(); }}},
    {"stream", word<model::StreamKind::stdio, ([](const TimelineEvent& e) { return e.observation ? std::optional(e.observation->stream) : std::nullopt; })>()},
    {"verdict", word<model::ReplyVerdict::other_session, ([](const TimelineEvent& e) { return std::optional(e.verdict); })>()},
    {"wrong_channel", flag<([](const TimelineEvent& e) -> bool { return e.wrong_channel; })>()},
    {"across_streams", flag<([](const TimelineEvent& e) -> bool { return e.across_streams; })>()},
    {"same_payload", flag<([](const TimelineEvent& e) -> bool { return e.same_payload; })>()},
    {"used_before", flag<([](const TimelineEvent& e) -> bool { return e.used_before; })>()},
    {"in_flight", flag<([](const TimelineEvent& e) -> bool { return e.kind == model::EventKind::request && e.other != nullptr; })>()},
    {"retransmitted", flag<([](const TimelineEvent& e) -> bool { return e.retransmitted; })>()},
    {"modern", flag<([](const TimelineEvent& e) -> bool { return e.modern; })>()},
    {"batched", flag<([](const TimelineEvent& e) -> bool { return message(e) && message(e)->batch_size > 0; })>()},
    {"call_batched", flag<([](const TimelineEvent& e) -> bool { return e.call && e.call->batched; })>()},
    {"batch_index", {[](const TimelineEvent& e) -> FieldText { return message(e) ? std::to_string(message(e)->batch_index) : std::string(); }}},
    {"defects", {defects_of}},
    {"error_code", {[](const TimelineEvent& e) -> FieldText { return message(e) && message(e)->kind == model::MessageKind::error ? std::to_string(message(e)->error_code) : std::string(); }}},
    {"reason", {[](const TimelineEvent& e) -> FieldText { return message(e) ? std::string_view(message(e)->reason) : e.observation && e.observation->gap ? std::string_view(e.observation->gap->reason) : std::string_view(); }}},
    {"closed", word<model::CloseReason::backend_gone, ([](const TimelineEvent& e) { return e.call ? std::optional(e.call->closed) : std::nullopt; })>()},
    {"earlier", word<model::CloseReason::backend_gone, ([](const TimelineEvent& e) { return std::optional(e.earlier); })>()},
    {"collided", flag<([](const TimelineEvent& e) -> bool { return e.call && e.call->collided; })>()},
    {"has_call", flag<([](const TimelineEvent& e) -> bool { return e.call != nullptr; })>()},
    {"has_ended_call", flag<([](const TimelineEvent& e) -> bool { return e.other != nullptr; })>()},
    {"crossed_end", flag<([](const TimelineEvent& e) -> bool { return crossed_end(e); })>()},
    {"wait_s", {[](const TimelineEvent& e) -> FieldText { return e.call && e.call->requested_at.known() && e.at.known() ? fmt::format("{:.6f}", static_cast<double>(e.at.us - e.call->requested_at.us) / 1e6) : std::string(); }}},
    {"notice", word<model::NoticeKind::stdout_noise, ([](const TimelineEvent& e) { return e.observation && e.observation->notice ? std::optional(e.observation->notice->kind) : std::nullopt; })>()},
    {"key", {[](const TimelineEvent& e) -> FieldText { return e.observation && e.observation->notice ? std::string_view(e.observation->notice->key) : std::string_view(); }}},
    {"session", {[](const TimelineEvent& e) -> FieldText { return e.session ? e.session->label : std::string_view(); }}},
    {"keyed_by", word<model::SessionKeying::source, ([](const TimelineEvent& e) { return e.session ? std::optional(e.session->keyed_by) : std::nullopt; })>()},
    {"protocol_version", {[](const TimelineEvent& e) -> FieldText { return e.session ? e.session->protocol_version : std::string_view(); }}},
    {"transport", {[](const TimelineEvent& e) -> FieldText { return e.session ? e.session->transport : std::string_view(); }}},
    {"initialize_seen", flag<([](const TimelineEvent& e) -> bool { return e.session && e.session->initialize_seen; })>()},
    {"initialize_answered", flag<([](const TimelineEvent& e) -> bool { return e.session && e.session->initialize_answered; })>()},
    {"stateless", flag<([](const TimelineEvent& e) -> bool { return e.session && e.session->stateless; })>()},
    {"mixed", flag<([](const TimelineEvent& e) -> bool { return e.session && e.session->mixed; })>()},
    {"session_ended", flag<([](const TimelineEvent& e) -> bool { return e.session && (e.session->ended || e.session->asked_to_end); })>()},
    {"status", {[](const TimelineEvent& e) -> FieldText { return e.exchange ? std::to_string(e.exchange->status) : http(e) ? std::to_string(http(e)->status) : std::string(); }}},
    {"http_method", {[](const TimelineEvent& e) -> FieldText { return e.exchange ? e.exchange->method : http(e) ? std::string_view(http(e)->method) : std::string_view(); }}},
    {"end", word<model::EndReason::evidence_gap, ([](const TimelineEvent& e) { return e.exchange ? std::optional(e.exchange->end) : http(e) ? std::optional(http(e)->end) : std::nullopt; })>()},
    {"duration_s", {[](const TimelineEvent& e) -> FieldText { return http(e) && http(e)->duration_us >= 0 ? fmt::format("{:.6f}", static_cast<double>(http(e)->duration_us) / 1e6) : std::string(); }}},
    {"on_wire", flag<([](const TimelineEvent& e) -> bool { return e.session && e.session->on_wire; })>()},
    {"in_a_hole", flag<([](const TimelineEvent& e) -> bool { return e.exchange && e.exchange->gap; })>()},
    {"primed", flag<([](const TimelineEvent& e) -> bool { return e.exchange && e.exchange->primed; })>()},
    {"names_session", flag<([](const TimelineEvent& e) -> bool { return e.exchange && e.exchange->named_session; })>()},
    {"carries_initialize", flag<([](const TimelineEvent& e) -> bool { return e.exchange && e.exchange->is_initialize; })>()},
    {"carries_request", flag<([](const TimelineEvent& e) -> bool { return e.exchange && e.exchange->carries_request; })>()},
    {"sse", flag<([](const TimelineEvent& e) -> bool { return e.exchange ? e.exchange->is_sse : http(e) && http(e)->is_sse; })>()},
    {"result_fits", flag<([](const TimelineEvent& e) -> bool { return result_fits_call(e); })>()},
    {"sound", flag<([](const TimelineEvent& e) -> bool { return is_sound(e); })>()},
    {"is_reply", flag<([](const TimelineEvent& e) -> bool { return e.kind == model::EventKind::reply; })>()},
    {"start_seen", flag<([](const TimelineEvent& e) -> bool { return e.session && e.session->start_seen; })>()},
    {"was_alive", flag<([](const TimelineEvent& e) -> bool { return e.session && e.session->was_alive; })>()},
    {"path", {[](const TimelineEvent& e) -> FieldText { return e.exchange ? std::string_view(e.exchange->path) : of_http(e, &model::HttpFacts::path); }}},
    {"peer", {[](const TimelineEvent& e) -> FieldText { return e.exchange ? std::string_view(e.exchange->peer) : of_http(e, &model::HttpFacts::peer); }}},
    {"server", {[](const TimelineEvent& e) -> FieldText { return e.exchange ? std::string_view(e.exchange->server) : of_http(e, &model::HttpFacts::server); }}},
    {"host", {[](const TimelineEvent& e) -> FieldText { return of_http(e, &model::HttpFacts::host); }}},
    {"origin", {[](const TimelineEvent& e) -> FieldText { return of_http(e, &model::HttpFacts::origin); }}},
    {"user_agent", {[](const TimelineEvent& e) -> FieldText { return of_http(e, &model::HttpFacts::user_agent); }}},
    {"content_type", {[](const TimelineEvent& e) -> FieldText { return of_http(e, &model::HttpFacts::content_type); }}},
    {"header_version", {[](const TimelineEvent& e) -> FieldText { return of_http(e, &model::HttpFacts::protocol_version); }}},
    {"refusal", {[](const TimelineEvent& e) -> FieldText { return of_http(e, &model::HttpFacts::refusal); }}},
    {"session_changed", flag<([](const TimelineEvent& e) -> bool { return session_changed(e); })>()},
    {"version_differs", flag<([](const TimelineEvent& e) -> bool { return version_differs(e); })>()},
    {"carries_initialize", flag<([](const TimelineEvent& e) -> bool { return e.exchange && e.exchange->is_initialize; })>()},
    {"has_token", flag<([](const TimelineEvent& e) -> bool { return e.exchange ? e.exchange->principal != 0 : http(e) && http(e)->principal != 0; })>()},
    {"own_id", flag<([](const TimelineEvent& e) -> bool { return e.own_id; })>()},
    {"vantage", {[](const TimelineEvent& e) -> FieldText { return e.observation ? model::to_string(e.observation->vantage) : std::string_view(); }}},
    {"replies", {[](const TimelineEvent& e) -> FieldText { return e.exchange ? std::to_string(e.exchange->replies) : std::string(); }}},
};

}  // namespace

const std::vector<std::string_view>& event_fields() {
  static const std::vector<std::string_view> kNames = [] {
    std::vector<std::string_view> names;
    for (const FieldEntry& entry : kFields) names.push_back(entry.name);
    return names;
  }();
  return kNames;
}

EventField find_event_field(std::string_view field) {
  for (const FieldEntry& entry : kFields) {
    if (entry.name == field) return entry.field;
  }
  return {};
}

const std::vector<std::string_view>& event_words() {
  static const std::vector<std::string_view> kWords = [] {
    std::vector<std::string_view> words;
    for (std::size_t i = 0; i < model::kEventKinds; ++i) words.push_back(model::to_string(static_cast<model::EventKind>(i)));
    return words;
  }();
  return kWords;
}

std::uint32_t event_by_word(std::string_view text) {
  const auto& words = event_words();
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == text) return 1u << i;
  }
  return 0;
}

}  // namespace mcpscan::engine
