#include "pipeline/activity_log.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "model/session_id.h"

namespace mcpscan::pipeline {

using model::Activity;
using model::ActivityCounts;
using model::ActivityRow;
using model::ActivityStretch;
using model::CloseReason;
using model::EventKind;
using model::NoticeKind;
using model::TimelineEvent;

namespace {

// Each divides the next one, so that counts can be folded.
constexpr std::int64_t kLadder[]{kSecond,      5 * kSecond, 15 * kSecond, kMinute,    5 * kMinute, 15 * kMinute,
                                 kHour,        3 * kHour,   12 * kHour,   kDay,       5 * kDay,    20 * kDay, 100 * kDay, 1000 * kDay};

std::int64_t floor_to(std::int64_t us, std::int64_t step) { return (us >= 0 ? us / step : -((-us + step - 1) / step)) * step; }

std::int64_t stretch_for(Time first, Time last, std::int64_t at_least) {
  for (const std::int64_t step : kLadder) {
    if (step >= at_least && floor_to(last.us, step) / step - floor_to(first.us, step) / step < ActivityLog::kStretches) return step;
  }
  return std::end(kLadder)[-1];
}

ActivityCounts& at_stretch(ActivityRow& row, Time at) {
  if (!row.stretches.empty() && row.stretches.back().at == at) return row.stretches.back().counts;
  const auto place = std::lower_bound(row.stretches.begin(), row.stretches.end(), at, [](const ActivityStretch& one, Time time) { return one.at < time; });
  if (place != row.stretches.end() && place->at == at) return place->counts;
  return row.stretches.insert(place, {at, {}})->counts;
}

void add(ActivityCounts& to, const ActivityCounts& from) {
  to.calls += from.calls;
  to.timeouts += from.timeouts;
  to.lost += from.lost;
  to.notices += from.notices;
}

void take_larger(ActivityCounts& to, const ActivityCounts& from) {
  to.calls = std::max(to.calls, from.calls);
  to.timeouts = std::max(to.timeouts, from.timeouts);
  to.lost = std::max(to.lost, from.lost);
  to.notices = std::max(to.notices, from.notices);
}

ActivityRow folded(const ActivityRow& row, std::int64_t step) {
  ActivityRow result{row.session, {}};
  for (const ActivityStretch& stretch : row.stretches) add(at_stretch(result, {floor_to(stretch.at.us, step)}), stretch.counts);
  return result;
}

// Who hangs up waits no longer, but for a call whose stream another took over no reply would have come.
bool is_lost(const model::Call& call) {
  switch (call.closed) {
    case CloseReason::client_closed: return call.collided;
    case CloseReason::overwritten:
    case CloseReason::undeliverable:
    case CloseReason::stream_closed:
    case CloseReason::connection_reset:
    case CloseReason::accepted_only:
    case CloseReason::client_dead:
    case CloseReason::backend_gone:
    case CloseReason::no_response: return true;
    default: return false;
  }
}

bool tells_a_loss(NoticeKind kind) {
  return kind == NoticeKind::stream_not_found || kind == NoticeKind::reply_undeliverable || kind == NoticeKind::unknown_reply_id || kind == NoticeKind::message_dropped;
}

bool by_client(const TimelineEvent& event) { return event.call && event.call->requestor == model::Direction::client_to_server; }

}  // namespace

void ActivityLog::on_event(const TimelineEvent& event) {
  if (!event.session || !event.at.known()) return;
  std::uint64_t ActivityCounts::* count = nullptr;
  if (event.kind == EventKind::request && by_client(event)) count = &ActivityCounts::calls;
  else if (event.kind == EventKind::timeout && !event.call && !event.other) count = &ActivityCounts::timeouts;
  else if (event.kind == EventKind::call_closed && by_client(event) && event.call->closed == CloseReason::timed_out) count = &ActivityCounts::timeouts;
  else if (event.kind == EventKind::call_closed && by_client(event) && is_lost(*event.call)) count = &ActivityCounts::lost;
  else if (event.kind == EventKind::notice && tells_a_loss(event.observation->notice->kind)) count = &ActivityCounts::notices;
  if (!count) return;
  if (ActivityCounts* counts = counts_at(event)) ++(counts->*count);
}

ActivityCounts* ActivityLog::counts_at(const TimelineEvent& event) {
  widen_to(event.at);
  const std::size_t index = std::min<std::size_t>(event.session->index, sessions_);
  if (rows_.size() <= index) rows_.resize(index + 1);
  ActivityRow& row = rows_[index];
  if (index < sessions_ && row.session != event.session->label) row.session = event.session->label;  // a session may learn its id late
  return &at_stretch(row, {floor_to(event.at.us, stretch_us_)});
}

void ActivityLog::widen_to(Time at) {
  if (first_.known() && at >= first_ && at <= last_) return;
  first_ = first_.known() ? std::min(first_, at) : at;
  last_ = last_.known() ? std::max(last_, at) : at;
  const std::int64_t step = stretch_for(first_, last_, stretch_us_);
  if (step == stretch_us_) return;
  stretch_us_ = step;
  for (ActivityRow& row : rows_) row = folded(row, step);
}

void ActivityLog::report(Activity& into) const {
  if (!first_.known()) return;
  into.first = into.first.known() ? std::min(into.first, first_) : first_;
  into.last = into.last.known() ? std::max(into.last, last_) : last_;
  const std::int64_t step = stretch_for(into.first, into.last, std::max(into.stretch_us, stretch_us_));
  for (ActivityRow& row : into.rows) row = folded(row, step);
  into.stretch_us = step;
  std::unordered_map<std::string, std::size_t> place_of;
  for (std::size_t i = 0; i < into.rows.size(); ++i) place_of.emplace(model::normalise_session_id(into.rows[i].session), i);
  for (const ActivityRow& row : rows_) {
    if (row.stretches.empty()) continue;
    const ActivityRow mine = folded(row, step);
    const auto [same, fresh] = place_of.emplace(model::normalise_session_id(mine.session), into.rows.size());
    if (fresh) {
      into.rows.push_back(mine);
    } else {
      for (const ActivityStretch& stretch : mine.stretches) {
        ActivityCounts& counts = at_stretch(into.rows[same->second], stretch.at);
        row.session.empty() ? add(counts, stretch.counts) : take_larger(counts, stretch.counts);
      }
    }
  }
}

}  // namespace mcpscan::pipeline
