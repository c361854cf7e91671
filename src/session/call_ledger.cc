#include "session/call_ledger.h"

#include <algorithm>
#include <iterator>

#include "base/hash.h"
#include "session/argument_echo.h"

namespace mcpscan::session {

using model::Direction;
using model::EventKind;
using model::ReplyVerdict;
using model::RpcMessage;
using model::TimelineEvent;

namespace {

constexpr std::size_t kArgumentBytes = 1024;     // head of a request its tokens are taken from
constexpr std::size_t kReplyBytes = 1u << 18;    // head of a reply searched for them
constexpr std::size_t kEchoCalls = 1u << 15;     // calls without a reply whose tokens are kept; then all are forgotten

std::uint64_t asked_by(std::string_view method, std::string_view target, std::uint64_t what) {
  return hash_combine(hash_combine(hash_bytes(method), hash_bytes(target)), what);
}

std::string shown_id(model::IdType type, const std::string& value) { return type == model::IdType::string ? '"' + value + '"' : value; }

}  // namespace

bool same_payload(const CallRecord& a, const CallRecord& b) {
  if (a.reply != 0 && a.reply == b.reply) return true;
  if (a.content != 0 && (a.content == b.content || a.content == b.structured)) return true;
  return a.structured != 0 && (a.structured == b.structured || a.structured == b.content);
}

void CallLedger::on_event(const TimelineEvent& event) {
  switch (event.kind) {
    case EventKind::request: return on_request(event);
    case EventKind::reply: return on_reply(event);
    case EventKind::outcome: return on_outcome(event);
    case EventKind::gap: gap_ = true; return;
    case EventKind::call_closed:
      if (CallRecord* record = event.call ? record_of(*event.call) : nullptr) {
        record->closed = event.call->closed;
        if (event.observation && event.observation->http) record->status = event.observation->http->status;
        record->collided = record->collided || event.call->collided;
        record->gave_up = record->gave_up || event.call->gave_up_at.known();
        record->ended = event.at;
        record->session = session_number(event.session->label);
      }
      return;
    default: return;
  }
}

CallRecord* CallLedger::room() {
  if (records_.size() >= most_) return ++left_out_, nullptr;
  return &records_.emplace_back();
}

void CallLedger::on_request(const TimelineEvent& event) {
  const model::Call& call = *event.call;
  if (call.requestor != Direction::client_to_server) return;
  CallRecord* const record = room();
  if (!record) return;
  const RpcMessage& message = *event.observation->message;
  record->session = session_number(event.session->label);
  record->hop = event.session->index + 1;
  record->name = name_number(call.method, call.target);
  record->id_type = call.id.type;
  record->id = call.id.value;
  record->is_tool_call = call.method == model::kToolsCall;
  record->arguments = call.arguments_digest;
  record->asked = asked_by(call.method, call.target, record->is_tool_call ? call.arguments_digest : call.params_digest);
  record->requested = event.at;
  record->request_at = event.source;
  record->collided = event.other != nullptr;
  record->on_wire = event.session->on_wire;
  record->connection = event.observation->connection;
  record_of_[call.number] = static_cast<std::uint32_t>(records_.size() - 1);
  if (echoes_ == Echoes::noted) note_tokens(call.number, message.text, *record);
  if (event.exchange && !event.exchange->server.empty()) note_server(event.exchange->server, *record);
}

void CallLedger::note_server(const std::string& server, CallRecord& record) {
  const auto known = std::find(servers_.begin(), servers_.end(), server);
  if (known == servers_.end() && servers_.size() >= kServers) return;
  record.server = static_cast<std::uint8_t>(known - servers_.begin());
  if (known == servers_.end()) servers_.push_back(server);
}

std::vector<CallLedger> CallLedger::by_server() const {
  std::vector<CallLedger> parts;
  for (std::size_t i = 0; servers_.size() > 1 && i < servers_.size(); ++i) {
    CallLedger& part = parts.emplace_back(most_, echoes_);
    std::copy_if(records_.begin(), records_.end(), std::back_inserter(part.records_), [&](const CallRecord& record) { return record.server == i; });
    part.sessions_ = sessions_;
    part.names_ = names_;
    part.servers_ = {servers_[i]};
    part.left_out_ = left_out_;
    part.replies_on_get_ = replies_on_get_;  // which of the servers sent them is not kept
    part.stray_replies_ = stray_replies_ - strays_elsewhere_[i];
    part.gap_ = gap_;
  }
  return parts;
}

void CallLedger::on_reply(const TimelineEvent& event) {
  const bool on_get = event.exchange && event.exchange->stream == model::StreamKind::get_standalone;
  if (on_get && event.verdict != ReplyVerdict::redelivery) ++replies_on_get_;
  if (event.verdict == ReplyVerdict::orphan) note_stray(event);
  CallRecord* const record = event.call && event.call->requestor == Direction::client_to_server ? record_of(*event.call) : nullptr;
  if (!record || event.verdict == ReplyVerdict::redelivery || event.verdict == ReplyVerdict::refusal) return;
  if (event.verdict == ReplyVerdict::duplicate) {
    record->second_reply = true;
    return;
  }
  const RpcMessage& message = *event.observation->message;
  record->session = session_number(event.session->label);  // an initialize learns its session by its reply
  record->answered = true;
  record->failed = message.kind == model::MessageKind::error || (message.result_keys & model::kIsErrorTrue) != 0;
  record->late = event.verdict == ReplyVerdict::late;
  record->drifted = event.verdict == ReplyVerdict::type_drift;
  record->wrong_channel = event.wrong_channel;
  record->collided = record->collided || event.call->collided;
  record->reply = message.digest;
  record->content = content_digest(message);
  record->structured = structured_digest(message);
  record->replied = record->ended = event.at;
  record->reply_at = event.source;
  if (!record->late) record->closed = model::CloseReason::answered;
  if (echoes_ == Echoes::noted) note_echoes(event.call->number, message.text, *record);
}

void CallLedger::note_stray(const TimelineEvent& event) {
  ++stray_replies_;
  const auto from = event.exchange ? std::find(servers_.begin(), servers_.end(), event.exchange->server) : servers_.end();
  if (from == servers_.end()) return;  // it may be any server's
  for (std::size_t i = 0; i < strays_elsewhere_.size(); ++i) strays_elsewhere_[i] += servers_.begin() + static_cast<std::ptrdiff_t>(i) != from;
}

void CallLedger::note_tokens(std::uint64_t call, std::string_view request, CallRecord& record) {
  if (tokens_.size() >= kEchoCalls) tokens_.clear();
  std::vector<std::string>& tokens = tokens_[call];
  argument_tokens(request.substr(0, kArgumentBytes), tokens);
  record.told = static_cast<std::uint8_t>(std::min(tokens.size(), CallRecord::kTokens));
  for (std::size_t i = 0; i < record.told; ++i) record.tokens[i] = static_cast<std::uint32_t>(hash_bytes(tokens[i]));
}

void CallLedger::note_echoes(std::uint64_t call, std::string_view reply, CallRecord& record) {
  const auto known = tokens_.extract(call);
  if (known.empty()) return;
  const std::vector<std::string>& tokens = known.mapped();
  const std::string_view payload = reply.substr(0, kReplyBytes);
  for (std::size_t i = 0; i < record.told && i < tokens.size(); ++i) {
    if (stands_in(tokens[i], payload)) record.repeated = static_cast<std::uint8_t>(record.repeated | (1u << i));
  }
}

void CallLedger::on_outcome(const TimelineEvent& event) {
  const model::OutcomeFacts& facts = *event.observation->outcome;
  if (facts.is_start || facts.tool.empty() || facts.not_sent) return;
  CallRecord* const record = room();
  if (!record) return;
  record->session = session_number(std::string(facts.conversation));
  record->name = name_number("tools/call", facts.tool);
  record->id_type = model::IdType::string;
  record->id = facts.call;
  record->is_tool_call = record->shown = true;
  record->arguments = facts.arguments_digest;
  record->asked = asked_by("tools/call", facts.tool, facts.arguments_digest);
  record->requested = facts.started;
  record->request_at = facts.started_at.number != 0 ? facts.started_at : event.source;
  record->replied = record->ended = event.at;
  record->reply_at = event.source;
  record->gave_up = facts.timed_out || facts.no_answer;
  record->answered = !record->gave_up;
  record->content = facts.replaced ? 0 : facts.digest;
}

CallRecord* CallLedger::record_of(const model::Call& call) {
  const auto record = record_of_.find(call.number);
  return record == record_of_.end() ? nullptr : &records_[record->second];
}

std::uint32_t CallLedger::session_number(const std::string& label) {
  const auto [entry, fresh] = session_numbers_.try_emplace(label, static_cast<std::uint32_t>(sessions_.size()));
  if (fresh) sessions_.push_back(label);
  return entry->second;
}

std::uint32_t CallLedger::name_number(std::string_view method, std::string_view target) {
  const std::uint64_t digest = hash_bytes(target, hash_bytes(method));
  const auto [from, to] = name_numbers_.equal_range(digest);
  for (auto known = from; known != to; ++known) {
    const CallName& name = names_[known->second];
    if (name.method == method && name.target == target) return known->second;
  }
  names_.push_back({std::string(method), std::string(target)});
  return name_numbers_.emplace(digest, static_cast<std::uint32_t>(names_.size() - 1))->second;
}

model::FindingCall CallLedger::call_of(const CallRecord& record) const {
  model::FindingCall call;
  call.id.type = record.id_type;
  call.id.value = record.id;
  call.id.raw = shown_id(record.id_type, record.id);
  call.method = name(record).method;
  call.tool = name(record).target;
  call.requested_at = record.requested;
  call.replied_at = record.replied;
  return call;
}

}  // namespace mcpscan::session
