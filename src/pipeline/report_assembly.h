// Puts what the trackers and engines of all sources found into one report: sessions seen at several places count once, equal findings
// are one, findings become incidents, and every rule says what it could see.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/coverage.h"
#include "engine/engine.h"
#include "model/exoneration.h"
#include "pipeline/activity_log.h"
#include "pipeline/counted_once.h"
#include "pipeline/failed_exchanges.h"
#include "pipeline/forwarded_peer.h"
#include "pipeline/settling_gate.h"
#include "pipeline/timeline_tap.h"
#include "session/call_ledger.h"
#include "session/session_tracker.h"

namespace mcpscan::pipeline {

// Who else than the source's own engine sees what is read of it.
struct Onlookers {
  engine::Engine* joint = nullptr;   // the rules that look at all sources together; may be null
  std::size_t ledger_calls = 0;      // calls remembered to the end, to be joined or proven; 0: none
  TimelineTap* tap = nullptr;        // may be null
  std::size_t source = 0;            // what the tap calls it
  bool may_hold_hops = false;        // a capture, which may show both sides of a proxy
};

// The timeline of one source goes to its own engine and to the onlookers.
class EventTee : public model::EventSink {
 public:
  EventTee(engine::Engine& own, ActivityLog& activity, FailedExchanges& failed, session::CallLedger& ledger, Onlookers others)
      : own_(own), activity_(activity), failed_(failed), ledger_(ledger), others_(others) {}
  void on_event(const model::TimelineEvent& event) override {
    own_.on_event(event);
    activity_.on_event(event);
    failed_.on_event(event);
    if (others_.joint) others_.joint->on_event(event);
    if (others_.ledger_calls == 0 && others_.may_hold_hops && shows_second_hop(event)) {
      others_.ledger_calls = session::kLedgerCalls;
      ledger_.begin(others_.ledger_calls);
    }
    if (others_.ledger_calls > 0) ledger_.on_event(event);
    if (others_.tap) others_.tap->on_event(others_.source, event);
  }

 private:
  // Sessions are at several servers: there may be a proxy, or a bridge with sessions of its own, and what is behind it, which can be laid beside
  // each other.
  bool shows_second_hop(const model::TimelineEvent& event);

  engine::Engine& own_;
  ActivityLog& activity_;
  FailedExchanges& failed_;
  session::CallLedger& ledger_;
  Onlookers others_;
  std::vector<bool> known_sessions_;  // by index
  std::string first_server_;
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
  Source(const engine::RuleSet& rules, const engine::EngineOptions& engine_options, session::TrackerOptions options, Onlookers onlookers,
         const std::vector<Network>& trusted_proxies, const Limits& limits)
      : wire(options.wire), engine(rules, engine_options, limits), activity(limits), ledger(onlookers.ledger_calls), events(engine, activity, failed, ledger, onlookers),
        tracker(limits, std::move(options), events), tee(tracker, onlookers.tap),
        forwarded(onlookers.tap ? static_cast<model::ObservationSink&>(tee) : tracker, trusted_proxies),
        sink(!trusted_proxies.empty() ? forwarded : onlookers.tap ? static_cast<model::ObservationSink&>(tee) : tracker) {}

  bool wire;
  engine::Engine engine;
  ActivityLog activity;
  FailedExchanges failed;
  session::CallLedger ledger;
  EventTee events;
  session::SessionTracker tracker;
  ObservationTee tee;
  ForwardedPeer forwarded;
  model::ObservationSink& sink;  // where readers put what they read
  std::unique_ptr<SettlingGate> gate;  // before it, for logs of which a history is kept
  model::RecordTimes times;                        // of a log: of all its records, MCP's or not
  std::string enable;
  bool server_log = false;
  std::vector<std::uint32_t> inputs;               // of the report, in the order they were read
  model::Vantage vantage = model::Vantage::unknown;
};

// What of it all the report shall hold.
struct ReportRequest {
  std::string session, tool, client;
  std::vector<std::string> rules;  // that judged; empty: all
  model::Level min_level = model::Level::informational;
  model::Party exonerate = model::Party::unknown;  // unknown: no proof was asked for
  Time since, until;               // what of the evidence was looked at; unknown: no bound
};

// `joint` may be null. Its findings come beside those of the sources. Gives the proof, where one was asked for, and fills `assembled`, which may be null.
std::optional<model::Exoneration> assemble_report(const std::vector<std::unique_ptr<Source>>& sources, engine::Engine* joint, const engine::RuleSet& rules, const ReportRequest& request, const Limits& limits,
                     model::Report& report, Assembled* assembled = nullptr);

}  // namespace mcpscan::pipeline
