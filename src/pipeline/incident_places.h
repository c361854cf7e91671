// IncidentPlaces: which records of the evidence an extract of one incident must hold. Two readings of the evidence with this tap: the first
// learns which sessions the incident happened in and when, the second collects the places. How far it reaches is the caller's choice:
//   calls     the incident's calls and those that overlap them, its notices, the beginning and the streams of its sessions
//   sessions  everything of its sessions, and what names no session while it happened
// Ownership: keeps copies only. Threads: as TimelineTap. Bounds: Limits::extract_places numbers; a bit a line for what was told.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "extract/place_set.h"
#include "model/finding.h"
#include "pipeline/timeline_tap.h"

namespace mcpscan::pipeline {

enum class Reach : std::uint8_t { calls, sessions, inputs };
std::string_view to_string(Reach reach);

class IncidentPlaces : public TimelineTap {
 public:
  IncidentPlaces(const model::Report& report, const model::Incident& incident, const Limits& limits);

  // To be called before the second reading, and before each further one.
  void collect(Reach reach);
  void on_observation(const model::Observation& seen) override;
  void on_event(std::size_t source, const model::TimelineEvent& event) override;

  // --- after the second reading ---
  std::vector<extract::PlaceSet> take_places();
  // By input and line: something of MCP was read there.
  const std::vector<std::vector<bool>>& told() const { return told_; }
  // There were more places than the bound allows: only whole inputs will do.
  bool overflowed() const { return overflowed_; }

 private:
  enum class Phase : std::uint8_t { learn, collect };
  using SessionKey = std::pair<std::size_t, std::uint32_t>;
  using Span = std::pair<Time, Time>;

  bool is_evidence(const model::SourceRef& place) const { return evidence_.contains({place.input, place.number}); }
  bool is_evidence(const model::Call& call) const { return is_evidence(call.source) || is_evidence(call.reply_source); }
  bool is_named(const model::Session& session) const;
  bool is_of_incident(const model::Session& session, const model::Call& call) const;
  void learn(std::size_t source, const model::TimelineEvent& event);
  void learn_outcome(const model::TimelineEvent& event);
  void merge_spans();
  bool in_spans(Time from, Time to) const;
  bool within(Time at) const;
  bool reaches(const model::TimelineEvent& event) const;
  bool reaches(const model::Call& call) const;
  bool reaches_outcome(const model::TimelineEvent& event) const;
  void keep(const model::SourceRef& place);
  void keep(const model::TimelineEvent& event);

  const Limits& limits_;
  std::set<std::pair<std::uint32_t, std::uint64_t>> evidence_;         // input, number
  std::set<std::string> labels_;                                       // sessions as the findings call them, normalised
  std::set<std::tuple<std::string, std::string, std::int64_t>> calls_; // session, id token, when
  Time first_, last_;
  Phase phase_ = Phase::learn;
  Reach reach_ = Reach::calls;
  std::set<SessionKey> sessions_;
  std::set<std::string, std::less<>> conversations_;                   // of a client's own record
  std::vector<Span> spans_;                                            // in which the incident's calls were open
  std::vector<extract::PlaceSet> places_;
  std::size_t kept_ = 0;
  std::vector<std::vector<bool>> told_;
  bool overflowed_ = false;
};

}  // namespace mcpscan::pipeline
