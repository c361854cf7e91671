#include "pipeline/incident_places.h"

#include <algorithm>
#include <array>

#include "session/session_table.h"

namespace mcpscan::pipeline {

using model::Call;
using model::EventKind;
using model::TimelineEvent;

namespace {

constexpr std::array<std::string_view, 3> kReachWords{"calls", "sessions", "inputs"};
constexpr std::size_t kSpans = 4096;  // merged whenever there are so many

bool begins_session(const TimelineEvent& event) {
  if (event.kind == EventKind::session_started || event.kind == EventKind::session_finished) return true;
  if (event.call && event.call->method == model::kInitialize) return true;
  const auto* message = event.observation ? event.observation->message : nullptr;
  return event.kind == EventKind::notification && message && message->method == "notifications/initialized";
}

// A stream that carries no call of its own: a GET, the DELETE at the end.
bool is_bare_exchange(const TimelineEvent& event) {
  return (event.kind == EventKind::exchange_opened || event.kind == EventKind::exchange_closed) && event.exchange && event.exchange->method != "POST";
}

Time end_of(const Call& call, Time otherwise) {
  const Time end = std::max({call.replied_at, call.closed_at, call.gave_up_at, call.stream_ended_at});
  return end.known() ? end : otherwise;
}

}  // namespace

std::string_view to_string(Reach reach) { return kReachWords[static_cast<std::size_t>(reach)]; }

IncidentPlaces::IncidentPlaces(const model::Report& report, const model::Incident& incident, const Limits& limits) : limits_(limits) {
  const std::set<std::string> wanted(incident.findings.begin(), incident.findings.end());
  const auto note = [this](const model::SourceRef& place) {
    if (place.number > 0) evidence_.emplace(place.input, place.number);
  };
  for (const auto& line : incident.picture) note(line.source);
  for (const model::Finding& finding : report.findings) {
    if (!wanted.contains(finding.id)) continue;
    for (const auto& evidence : finding.evidence) note(evidence.source);
    if (!finding.session.empty()) labels_.insert(session::normalise_session_id(finding.session));
    for (const auto& call : finding.calls) calls_.emplace(session::normalise_session_id(finding.session), call.id.raw, call.requested_at.us);
    if (finding.first.known() && (!first_.known() || finding.first < first_)) first_ = finding.first;
    if (finding.last.known() && (!last_.known() || finding.last > last_)) last_ = finding.last;
  }
}

void IncidentPlaces::collect(Reach reach) {
  merge_spans();
  phase_ = Phase::collect;
  reach_ = reach;
  places_.clear();
  told_.clear();
  kept_ = 0;
  overflowed_ = false;
}

std::vector<extract::PlaceSet> IncidentPlaces::take_places() {
  for (auto& places : places_) places.settle();
  return std::move(places_);
}

void IncidentPlaces::on_observation(const model::Observation& seen) {
  if (phase_ != Phase::collect) return;
  const auto [input, kind, number, offset] = seen.source;
  if (told_.size() <= input) told_.resize(input + 1);
  if (kind != model::PlaceKind::packet) {
    auto& told = told_[input];
    if (told.size() <= number) told.resize(number + 1 + number / 2);
    told[number] = true;
  }
  // Such a line yields no event of its own, but the messages after it belong where it says.
  if (seen.kind != model::ObservationKind::context || !labels_.contains(session::normalise_session_id(seen.session))) return;
  if (reach_ == Reach::sessions || in_spans(seen.at, seen.at)) keep(seen.source);
}

void IncidentPlaces::on_event(std::size_t source, const TimelineEvent& event) {
  if (phase_ == Phase::learn) return learn(source, event);
  if (is_evidence(event.source)) keep(event);
  if (event.kind == EventKind::outcome) return reaches_outcome(event) ? keep(event) : void();
  // A reply that could be several sessions' would be an orphan where the others are left out.
  if (event.kind == EventKind::reply && event.verdict == model::ReplyVerdict::unattributed) return;
  const bool mine = event.session && sessions_.contains({source, event.session->index});
  if (mine ? reaches(event) : !event.session && reach_ == Reach::sessions && within(event.at)) keep(event);
}

bool IncidentPlaces::is_named(const model::Session& session) const {
  return labels_.contains(session::normalise_session_id(session.label)) || (!session.id.empty() && labels_.contains(session::normalise_session_id(session.id)));
}

bool IncidentPlaces::is_of_incident(const model::Session& session, const Call& call) const {
  return is_evidence(call) || calls_.contains({session::normalise_session_id(session.label), call.id.raw, call.requested_at.us});
}

void IncidentPlaces::learn_outcome(const TimelineEvent& event) {
  const auto& outcome = *event.observation->outcome;
  if (!is_evidence(event.source) && !is_evidence(outcome.started_at)) return;
  conversations_.emplace(outcome.conversation);
  spans_.emplace_back(outcome.started.known() ? outcome.started : event.at, event.at);
}

void IncidentPlaces::learn(std::size_t source, const TimelineEvent& event) {
  if (event.kind == EventKind::outcome) learn_outcome(event);
  if (!event.session) return;
  const bool concerned = event.call && is_of_incident(*event.session, *event.call);
  if (concerned || is_named(*event.session) || is_evidence(event.source)) sessions_.emplace(source, event.session->index);
  if (concerned) {
    spans_.emplace_back(event.call->requested_at, std::max(end_of(*event.call, event.at), event.at));
  } else if (is_evidence(event.source) && event.at.known()) {
    spans_.emplace_back(event.at, event.at);
  }
  if (spans_.size() >= kSpans) merge_spans();
}

void IncidentPlaces::merge_spans() {
  std::sort(spans_.begin(), spans_.end());
  std::vector<Span> merged;
  for (const Span& span : spans_) {
    if (!merged.empty() && span.first <= merged.back().second) {
      merged.back().second = std::max(merged.back().second, span.second);
    } else {
      merged.push_back(span);
    }
  }
  // Far more of them than a report could list: the gaps between them are not worth keeping apart.
  if (merged.size() >= kSpans) merged = {{merged.front().first, merged.back().second}};
  spans_ = std::move(merged);
}

bool IncidentPlaces::in_spans(Time from, Time to) const {
  if (!from.known()) return true;
  const auto after = std::upper_bound(spans_.begin(), spans_.end(), to, [](Time at, const Span& span) { return at < span.first; });
  return after != spans_.begin() && std::prev(after)->second >= from;
}

bool IncidentPlaces::within(Time at) const { return !at.known() || ((!first_.known() || at >= first_) && (!last_.known() || at <= last_)); }

bool IncidentPlaces::reaches(const TimelineEvent& event) const {
  if (reach_ == Reach::sessions || begins_session(event) || is_bare_exchange(event)) return true;
  if (event.call) return reaches(*event.call);
  return in_spans(event.at, event.at);
}

bool IncidentPlaces::reaches_outcome(const TimelineEvent& event) const {
  const auto& outcome = *event.observation->outcome;
  if (!conversations_.contains(outcome.conversation)) return false;
  return reach_ == Reach::sessions || in_spans(outcome.started.known() ? outcome.started : event.at, event.at);
}

bool IncidentPlaces::reaches(const Call& call) const { return in_spans(call.requested_at, end_of(call, call.requested_at)); }

void IncidentPlaces::keep(const model::SourceRef& place) {
  if (place.number == 0) return;
  if (kept_ >= limits_.extract_places) return void(overflowed_ = true);
  if (places_.size() <= place.input) places_.resize(place.input + 1);
  places_[place.input].add(place.number);
  ++kept_;
}

void IncidentPlaces::keep(const TimelineEvent& event) {
  keep(event.source);
  if (event.call && event.kind != EventKind::session_finished) {
    keep(event.call->source);
    keep(event.call->reply_source);
  }
  if (event.exchange) keep(event.exchange->source);
  if (event.kind == EventKind::outcome) keep(event.observation->outcome->started_at);
}

}  // namespace mcpscan::pipeline
