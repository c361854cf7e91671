#include "pipeline/traffic_log.h"

#include <algorithm>

namespace mcpscan::pipeline {

using model::CloseReason;
using model::Direction;
using model::EventKind;
using model::TimelineEvent;
using model::TrafficCounts;

namespace {

constexpr std::uint64_t kNoSession = UINT64_MAX, kOthers = UINT64_MAX - 1;
constexpr const char* kOthersName = "(others)";

// What the evidence does not show may have been answered.
bool is_unanswered(CloseReason reason) {
  return reason != CloseReason::open && reason != CloseReason::answered && reason != CloseReason::refused && reason != CloseReason::cancelled &&
         reason != CloseReason::evidence_ends && reason != CloseReason::evidence_gap && reason != CloseReason::unseen && reason != CloseReason::sent_again;
}

void count_reply(const TimelineEvent& event, TrafficCounts& counts) {
  if (event.verdict != model::ReplyVerdict::answer && event.verdict != model::ReplyVerdict::type_drift) return;
  ++counts.replies;
  const model::RpcMessage* message = event.observation ? event.observation->message : nullptr;
  if (message && (message->kind == model::MessageKind::error || (message->result_keys & model::kIsErrorTrue) != 0)) ++counts.errors;
  if (!event.call->requested_at.known() || !event.at.known()) return;
  const std::int64_t took = std::max<std::int64_t>(event.at.us - event.call->requested_at.us, 0);
  counts.answered_us += took;
  counts.longest_us = std::max(counts.longest_us, took);
}

void count_call(const TimelineEvent& event, TrafficCounts& counts) {
  switch (event.kind) {
    case EventKind::request: ++counts.requests; return;
    case EventKind::reply: count_reply(event, counts); return;
    case EventKind::timeout: ++counts.timeouts; return;
    case EventKind::call_closed: counts.unanswered += is_unanswered(event.call->closed); return;
    default: return;
  }
}

}  // namespace

void TrafficLog::on_event(std::size_t source, const TimelineEvent& event) {
  if (event.kind == EventKind::session_finished) return;
  const Time at = event.at.known() || !event.call ? event.at : event.call->requested_at;
  const bool client_call = event.call && event.call->requestor == Direction::client_to_server;
  const std::uint64_t session = event.session ? std::uint64_t{source} << 32 | event.session->index : kNoSession;
  TrafficCounts& counts = counts_of(model::quarter_or_none(at), session, client_call && event.call->method == model::kToolsCall ? event.call->target : std::string());
  ++counts.events;
  if (client_call) count_call(event, counts);
  if (!event.session) return;
  const auto known = places_.find(session);
  if (known == places_.end() && rows_in_all_ < most_) places_.emplace(session, Place{event.session->label, event.session->server_endpoint});
  else if (known != places_.end() && known->second.label != event.session->label) known->second.label = event.session->label;
}

TrafficCounts& TrafficLog::counts_of(std::int64_t quarter, std::uint64_t session, const std::string& tool) {
  const auto found = rows_.find({quarter, session, tool});
  if (found != rows_.end()) return found->second;
  if (rows_in_all_ >= most_) return rows_[{quarter, kOthers, kOthersName}];
  ++rows_in_all_;
  return rows_[{quarter, session, tool}];
}

std::vector<PlacedTraffic> TrafficLog::take() {
  std::vector<PlacedTraffic> list;
  for (const auto& [key, counts] : rows_) {
    const auto& [quarter, session, tool] = key;
    const auto found = places_.find(session);
    const Place place = session == kOthers ? Place{kOthersName, {}} : found == places_.end() ? Place{} : found->second;
    list.push_back({{quarter, place.label, tool, counts}, place.server});
  }
  rows_.clear();
  return list;
}

}  // namespace mcpscan::pipeline
