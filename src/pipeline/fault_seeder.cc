#include "pipeline/fault_seeder.h"

#include <algorithm>
#include <tuple>

#include "pipeline/observation_copy.h"

namespace mcpscan::pipeline {

using namespace model;

namespace {

constexpr std::int64_t kGivesUpAfterUs = kMillisecond;  // late: the client's cancel comes this long after its request

bool is_tool_call(const Call* call) { return call && call->requestor == Direction::client_to_server && call->method == kToolsCall; }

void pass_with(const Observation& seen, const RpcMessage& message, ObservationSink& next) {
  Observation changed = seen;
  changed.message = &message;
  next.observe(changed);
}

}  // namespace

void CallSurvey::on_event(std::size_t source, const TimelineEvent& event) {
  if (event.session && event.at.known()) {
    Time& last = last_[{source, event.session->index}];
    if (!last.known() || last < event.at) last = event.at;
  }
  if (!is_tool_call(event.call) || !event.session) return;
  const std::pair key{source, event.call->number};
  if (event.kind == EventKind::request) {
    open_.erase(key);
    if (event.other || event.retransmitted || event.session->mixed || event.call->id.type != IdType::integer || !event.at.known()) return;
    if (calls_.size() + open_.size() >= limits_.verify_calls) {
      ++left_out_;
      return;
    }
    SurveyedCall& call = open_[key];
    call.source = source;
    call.session = event.session->index;
    call.tool = event.call->target;
    call.id = event.call->id;
    call.request = count_;
    call.requested = event.at;
    return;
  }
  const auto found = open_.find(key);
  if (found == open_.end() || (event.kind != EventKind::reply && event.kind != EventKind::call_closed)) return;
  const RpcMessage* message = event.observation ? event.observation->message : nullptr;
  const bool sound = event.kind == EventKind::reply && event.verdict == ReplyVerdict::answer && !event.wrong_channel && !event.call->collided && message &&
                     message->kind == MessageKind::result && message->defects == 0;
  if (sound) {
    SurveyedCall call = std::move(found->second);
    call.label = event.session->label;
    call.reply = count_;
    call.replied = event.at;
    call.exchange = event.observation->exchange;
    call.payload = message->digest;
    call.reply_bytes = message->text.size();
    calls_.push_back(std::move(call));
  }
  open_.erase(found);
}

std::vector<SurveyedCall> CallSurvey::take() {
  std::sort(calls_.begin(), calls_.end(), [](const SurveyedCall& a, const SurveyedCall& b) {
    return std::tie(a.source, a.session, a.request) < std::tie(b.source, b.session, b.request);
  });
  return std::move(calls_);
}

Time CallSurvey::last_of(const SurveyedCall& call) const {
  const auto found = last_.find({call.source, call.session});
  return found == last_.end() ? Time{} : found->second;
}

ReplyKeeper::ReplyKeeper(const std::vector<Seed>& seeds) {
  for (const Seed& seed : seeds) kept_[seed.call.reply] = kept_[seed.other.reply] = nullptr;
}

void ReplyKeeper::on_observation(const Observation& seen) {
  const auto wanted = kept_.find(++count_);
  if (wanted != kept_.end() && seen.message) wanted->second = copy_observation(seen, arena_).message;
}

const RpcMessage* ReplyKeeper::find(std::uint64_t reply) const {
  const auto found = kept_.find(reply);
  return found == kept_.end() ? nullptr : found->second;
}

FaultSeeder::FaultSeeder(FaultClass fault, const std::vector<Seed>& seeds, const ReplyKeeper& replies) : fault_(fault), replies_(replies) {
  for (const Seed& seed : seeds) {
    requests_[seed.call.request] = reply_roles_[seed.call.reply] = {&seed, false};
    if (seed.other.request != 0) requests_[seed.other.request] = reply_roles_[seed.other.reply] = {&seed, true};
  }
}

void FaultSeeder::pass(const Observation& seen, ObservationSink& next) {
  ++count_;
  if (seen.message) {
    if (const auto request = requests_.find(count_); request != requests_.end()) return on_request(seen, request->second, next);
    if (const auto reply = reply_roles_.find(count_); reply != reply_roles_.end()) return on_reply(seen, reply->second, next);
  }
  next.observe(seen);
}

void FaultSeeder::on_request(const Observation& seen, const Role& role, ObservationSink& next) const {
  RpcMessage message = *seen.message;
  if (fault_ == FaultClass::duplicate_id && role.is_other) message.id = role.seed->call.id.view();
  pass_with(seen, message, next);
  if (fault_ != FaultClass::late) return;
  RpcMessage cancel;
  cancel.kind = MessageKind::notification;
  cancel.method = "notifications/cancelled";
  cancel.related = seen.message->id;
  cancel.reason = "Request timed out";
  Observation told = seen;
  if (told.exchange == 0) told.session = role.seed->call.label;
  told.at.us += kGivesUpAfterUs;
  pass_with(told, cancel, next);
}

void FaultSeeder::on_reply(const Observation& seen, const Role& role, ObservationSink& next) const {
  RpcMessage message = *seen.message;
  Observation changed = seen;
  changed.message = &message;
  const std::string quoted = '"' + role.seed->call.id.value + '"';
  switch (fault_) {
    case FaultClass::swap:
    case FaultClass::swap_of_one_tool:
      if (const RpcMessage* foreign = replies_.find(role.is_other ? role.seed->call.reply : role.seed->other.reply)) {
        message = *foreign;
        message.id = seen.message->id;
      }
      break;
    case FaultClass::wrong_id: message.id = {IdType::integer, role.seed->false_id, role.seed->false_id}; break;
    case FaultClass::id_type: message.id = {IdType::string, role.seed->call.id.value, quoted}; break;
    case FaultClass::duplicate_id: message.id = role.seed->call.id.view(); break;
    case FaultClass::lost: return;
    case FaultClass::late: break;
    case FaultClass::wrong_channel:
      if (!role.is_other) changed.exchange = role.seed->other.exchange;
      break;
    case FaultClass::duplicate_reply:
      next.observe(changed);
      message.digest ^= 1;  // a second answer, not the first one again
      break;
  }
  next.observe(changed);
}

}  // namespace mcpscan::pipeline
