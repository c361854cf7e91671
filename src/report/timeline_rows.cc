#include "report/timeline_rows.h"

#include <algorithm>
#include <set>

#include "model/session_id.h"
#include "report/timeline_words.h"

namespace mcpscan::report {

using model::EventKind;
using model::Finding;
using model::TimelineEvent;
using model::TimelineRow;

namespace {

// The beginning of a POST is told by the message it carries.
bool is_told_elsewhere(const TimelineEvent& event) {
  return event.kind == EventKind::exchange_opened && event.exchange && (event.exchange->method == "POST" || event.exchange->method.empty());
}

}  // namespace

TimelineRows::TimelineRows(model::TimelineWriter& writer, TimelineFilter filter) : writer_(writer), filter_(std::move(filter)) {
  for (std::string& session : filter_.sessions) session = model::normalise_session_id(session);
  std::sort(filter_.sessions.begin(), filter_.sessions.end());
}

void TimelineRows::on_event(std::uint32_t tracker, const TimelineEvent& event) {
  if (is_told_elsewhere(event) || !wanted_time(event.at)) return;
  if (!filter_.client.empty() && (!event.session || event.session->client_name != filter_.client)) return;
  if (!wanted_session(event.session ? std::string_view(event.session->label) : std::string_view())) return;
  TimelineRow row = timeline_row(event);
  row.tracker = tracker;
  if (row.source.input < paths_.size()) row.input = paths_[row.source.input];
  if (!wanted(row)) return;
  row.what = words_of(event, row);
  writer_.row(row);
}

void TimelineRows::finish(model::Report report) {
  std::set<std::string> kept;
  std::erase_if(report.findings, [&](const Finding& finding) { return !wanted_finding(finding); });
  for (const Finding& finding : report.findings) kept.insert(finding.id);
  std::erase_if(report.incidents, [&](const model::Incident& incident) {
    return std::none_of(incident.findings.begin(), incident.findings.end(), [&](const std::string& id) { return kept.contains(id); });
  });
  writer_.finish(report);
}

bool TimelineRows::wanted(const TimelineRow& row) const {
  if (!filter_.tool.empty() && row.tool != filter_.tool) return false;
  return filter_.id.empty() || (row.id.present() && (row.id.raw == filter_.id || row.id.value == filter_.id));
}

bool TimelineRows::wanted_time(Time at) const {
  if (!at.known()) return filter_.windows.empty();
  if (filter_.since.known() && at < filter_.since) return false;
  if (filter_.until.known() && at > filter_.until) return false;
  if (filter_.windows.empty()) return true;
  const auto behind = std::upper_bound(filter_.windows.begin(), filter_.windows.end(), at, [](Time t, const auto& window) { return t < window.first; });
  return behind != filter_.windows.begin() && at <= std::prev(behind)->second;
}

bool TimelineRows::wanted_session(std::string_view label) const {
  if (filter_.session.empty() && filter_.sessions.empty()) return true;
  if (!filter_.session.empty() && !model::names_session(filter_.session, label)) return false;
  if (filter_.sessions.empty()) return true;
  const std::string session = model::normalise_session_id(label);
  return session.empty() || std::binary_search(filter_.sessions.begin(), filter_.sessions.end(), session);
}

bool TimelineRows::wanted_finding(const Finding& finding) const {
  if (!wanted_session(finding.session)) return false;
  const auto& calls = finding.calls;
  const auto any = [&](auto fits) { return std::any_of(calls.begin(), calls.end(), fits); };
  if (!filter_.tool.empty() && !any([&](const auto& call) { return call.tool == filter_.tool; })) return false;
  if (!filter_.id.empty() && !any([&](const auto& call) { return call.id.raw == filter_.id || call.id.value == filter_.id; })) return false;
  if (filter_.since.known() && finding.last.known() && finding.last < filter_.since) return false;
  if (filter_.until.known() && finding.first.known() && finding.first > filter_.until) return false;
  return filter_.windows.empty() || wanted_time(finding.first) || wanted_time(finding.last) || any([&](const auto& call) { return wanted_time(call.requested_at); });
}

void look_around(const model::Report& report, const model::Incident& incident, std::int64_t margin_us, TimelineFilter& filter) {
  const std::set<std::string> ids(incident.findings.begin(), incident.findings.end());
  std::vector<std::pair<Time, Time>> windows;
  std::set<std::string> sessions;
  const auto add = [&](Time from, Time to) {
    if (from.known()) windows.emplace_back(Time{from.us - margin_us}, Time{std::max(from.us, to.known() ? to.us : from.us) + margin_us});
  };
  for (const Finding& finding : report.findings) {
    if (!ids.contains(finding.id)) continue;
    if (!finding.session.empty()) sessions.insert(finding.session);
    add(finding.first, finding.first);
    add(finding.last, finding.last);
    for (const auto& call : finding.calls) add(call.requested_at, call.replied_at);
  }
  std::sort(windows.begin(), windows.end());
  for (const auto& window : windows) {
    if (filter.windows.empty() || window.first > filter.windows.back().second) filter.windows.push_back(window);
    else filter.windows.back().second = std::max(filter.windows.back().second, window.second);
  }
  filter.sessions.assign(sessions.begin(), sessions.end());
}

}  // namespace mcpscan::report
