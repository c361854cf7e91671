// Puts what the trackers and engines of all sources found into one report: sessions seen at several places count once, equal findings
// are one, findings become incidents, and every rule says what it could see.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/coverage.h"
#include "engine/engine.h"
#include "model/finding.h"
#include "session/session_tracker.h"

namespace mcpscan::pipeline {

// One source of evidence: a log with its rotated parts, or one capture. Read in order by one tracker.
struct Source {
  Source(const engine::RuleSet& rules, const engine::EngineOptions& engine_options, session::TrackerOptions options, const Limits& limits)
      : wire(options.wire), engine(rules, engine_options, limits), tracker(limits, std::move(options), engine) {}

  bool wire;

  engine::Engine engine;
  session::SessionTracker tracker;
  std::string enable;
  bool server_log = false;
};

struct ReportFilter {
  std::string session, tool, client;
  model::Level min_level = model::Level::informational;
};

void assemble_report(const std::vector<std::unique_ptr<Source>>& sources, const engine::RuleSet& rules, const ReportFilter& filter, const Limits& limits,
                     model::Report& report);

}  // namespace mcpscan::pipeline
