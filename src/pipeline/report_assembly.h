// Puts what the trackers and engines of all sources found into one report: sessions seen at several places count once, equal findings
// are one, findings become incidents, and every rule says what it could see.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/coverage.h"
#include "engine/engine.h"
#include "model/finding.h"
#include "pipeline/activity_log.h"
#include "pipeline/settling_gate.h"
#include "pipeline/timeline_tap.h"
#include "session/session_tracker.h"

namespace mcpscan::pipeline {

// Who else sees what is read of a source; `tap` may be null.
struct SourceTap {
  TimelineTap* tap = nullptr;
  std::size_t source = 0;
};

// The timeline of one source goes to its own engine and, where there are several sources, to the one that looks at all of them.
class EventTee : public model::EventSink {
 public:
  EventTee(engine::Engine& own, engine::Engine* joint, ActivityLog& activity, SourceTap tap) : own_(own), joint_(joint), activity_(activity), tap_(tap) {}
  void on_event(const model::TimelineEvent& event) override {
    own_.on_event(event);
    if (joint_) joint_->on_event(event);
    activity_.on_event(event);
    if (tap_.tap) tap_.tap->on_event(tap_.source, event);
  }

 private:
  engine::Engine& own_;
  engine::Engine* joint_;
  ActivityLog& activity_;
  SourceTap tap_;
};

// Shows each observation to the tap before the tracker gets it.
class ObservationTee : public model::ObservationSink {
 public:
  ObservationTee(model::ObservationSink& tracker, TimelineTap* tap) : tracker_(tracker), tap_(tap) {}
  void observe(const model::Observation& seen) override {
    tap_->pass(seen, tracker_);
  }

 private:
  model::ObservationSink& tracker_;
  TimelineTap* tap_;
};

// One source of evidence: a log with its rotated parts, or one capture. Read in order by one tracker.
struct Source {
  Source(const engine::RuleSet& rules, const engine::EngineOptions& engine_options, session::TrackerOptions options, engine::Engine* joint, SourceTap tap,
         const Limits& limits)
      : wire(options.wire), engine(rules, engine_options, limits), activity(limits), events(engine, joint, activity, tap), tracker(limits, std::move(options), events),
        tee(tracker, tap.tap), sink(tap.tap ? static_cast<model::ObservationSink&>(tee) : tracker) {}

  bool wire;
  engine::Engine engine;
  ActivityLog activity;
  EventTee events;
  session::SessionTracker tracker;
  ObservationTee tee;
  model::ObservationSink& sink;  // where readers put what they read
  std::unique_ptr<SettlingGate> gate;  // before it, for logs of which a history is kept
  std::string enable;
  bool server_log = false;
};

struct ReportFilter {
  std::string session, tool, client;
  model::Level min_level = model::Level::informational;
};

// `joint` may be null. Its findings come beside those of the sources.
void assemble_report(const std::vector<std::unique_ptr<Source>>& sources, engine::Engine* joint, const engine::RuleSet& rules, const ReportFilter& filter, const Limits& limits,
                     model::Report& report);

}  // namespace mcpscan::pipeline
