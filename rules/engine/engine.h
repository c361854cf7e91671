// RuleSet: the rules of a run. Engine: the rules at work on the events of one tracker.
// Ownership: an engine refers to its rule set, which outlives it. Threads: one engine a tracker, no sharing.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "base/proof.h"
#include "base/result.h"
#include "engine/finding_book.h"
#include "engine/rule.h"
#include "model/tool_shape.h"

namespace mcpscan::engine {

class RuleSet {
 public:
  // On an error the set is unchanged. A second rule of the same id is an error.
  Status add(std::string_view yaml, std::string_view path, Proof proof = Proof::asked);
  const std::vector<std::unique_ptr<const Rule>>& rules() const { return rules_; }
  const Rule* find(std::string_view id) const;
  std::vector<std::string_view> ids() const;

 private:
  std::vector<std::unique_ptr<const Rule>> rules_;  // sorted by id
};

// Which rules an engine runs: those on one source, those on all sources together, or both.
enum class Scope : std::uint8_t { all, one_source, joint };

struct EngineOptions {
  std::int64_t client_timeout_us = 60 * kSecond;  // how long a client waits for a reply, where nothing tells it
  std::vector<std::string> only;                  // rule ids; empty: all
  Scope scope = Scope::all;
  bool one_input = false;                         // all that the run reads is one file
};

class Engine : public model::EventSink {
 public:
  Engine(const RuleSet& rules, const EngineOptions& options, const Limits& limits);
  ~Engine() override;

  void on_event(const model::TimelineEvent& event) override;
  void finish();
  FindingBook& book() { return book_; }
  // What an earlier run has learned of how tools' replies look, before the first event; and what is known of it by now.
  void recall(const std::vector<model::ToolShape>& shapes);
  std::vector<model::ToolShape> shapes() const;
  // While quiet, rules look and remember but find nothing: for evidence that an earlier run has judged.
  void set_quiet(bool quiet) { quiet_ = quiet; }

 private:
  struct Worker;  // one rule at work
  std::vector<std::unique_ptr<Worker>> workers_;
  // What a rule looks at an event with, one after the other in memory: most look and turn away.
  struct Look {
    model::Detector* detector = nullptr;   // null: the condition decides
    const Condition* condition = nullptr;
    Worker* worker = nullptr;
  };
  std::vector<std::vector<Look>> by_event_;
  const model::TimelineEvent* seen_ = nullptr;  // what the rules are looking at
  FindingBook book_;
  bool quiet_ = false;
};

// Runs the tests of one rule (all rules of the set are loaded, findings of the others are ignored); what failed, in words.
std::vector<std::string> run_rule_tests(const RuleSet& rules, const Rule& rule, const Limits& limits);

}  // namespace mcpscan::engine
