// TimelineRows: the events of a run as rows of a timeline, those that were asked for, handed to one writer as they come.
// An HTTP exchange that carries a message is told by the message and by its end; only streams that stay open have a row for their beginning.
// Not the pairing: what a row says of a call is what src/session found. Ownership: the writer outlives it. Threads: one.
// Bound: it keeps no rows; the paths of the inputs only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/timeline_format.h"

namespace mcpscan::report {

struct TimelineFilter {
  std::string session, tool, id;   // empty: all; the session as model::names_session takes it, the rpc id as token or value
  std::string client;              // only events of sessions of the client of this name, from where it tells it; empty: all
  Time since, until;               // unknown: no bound
  // Only what happened in one of these, sorted and apart; and there only these sessions, and what names none. Empty: all.
  std::vector<std::pair<Time, Time>> windows;
  std::vector<std::string> sessions;
};

class TimelineRows {
 public:
  TimelineRows(model::TimelineWriter& writer, TimelineFilter filter);
  void on_input(const model::InputRow& input) { paths_.push_back(input.path); }
  void on_input_read(const model::InputRow& input) { writer_.input(input); }
  // `tracker` is the number of the source whose event it is.
  void on_event(std::uint32_t tracker, const model::TimelineEvent& event);
  // The findings and incidents that the filter lets through, for the writer's end.
  void finish(model::Report report);

 private:
  bool wanted(const model::TimelineRow& row) const;
  bool wanted_time(Time at) const;
  bool wanted_session(std::string_view label) const;
  bool wanted_finding(const model::Finding& finding) const;

  model::TimelineWriter& writer_;
  TimelineFilter filter_;
  std::vector<std::string> paths_;
};

// Times around everything that an incident's findings list, each with `margin_us` before and after, merged where they meet; and its sessions.
void look_around(const model::Report& report, const model::Incident& incident, std::int64_t margin_us, TimelineFilter& filter);

}  // namespace mcpscan::report
