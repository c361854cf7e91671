// Rule: one file of rules/<category>/<id>.yml, loaded and checked. Immutable. The keys are Sigma's where Sigma has them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/proof.h"
#include "base/result.h"
#include "engine/condition.h"
#include "engine/correlation.h"
#include "model/detector.h"

namespace mcpscan::engine {

// One step of a rule's test: an observation in words, see rules/README.md.
struct TestStep {
  std::map<std::string, std::string> fields;
  std::map<std::string, bool> quoted;  // ids: "1" is a string, 1 a number
  std::size_t line = 0;
};

struct TestExpectation {
  std::map<std::string, std::string> fields;  // count, detail, level, party, certainty, session, calls
};

struct RuleTest {
  std::string name;
  bool wire = false;
  std::vector<TestStep> timeline;
  std::vector<TestExpectation> expect;   // empty: must not match
  std::size_t line = 0;
};

struct Rule {
  std::string id, title, status, category, path, description, mechanism, clause, counts;
  model::Level level = model::Level::medium;
  std::vector<std::string> references, falsepositives, tags;
  std::map<std::string, std::string> fix;   // party -> what to do
  std::uint32_t needs = 0;                  // model::Capability bits
  bool needs_absence = false;               // gaps, one-sidedness and unattributed replies make it `partly`
  bool joint = false;                       // looks at all sources of a run together
  bool needs_waits = false;                 // so do calls without a reply of which nothing tells how long they waited
  bool needs_clients = false;               // so do requests under one id of which nothing tells whose they are
  bool needs_order = false;                 // so do replies of which nothing tells when they came
  bool needs_history = false;               // so does a full id ledger
  std::string incident_title, incident_story;
  std::map<std::string, std::string> incident_stories;  // by a finding's detail, where the story differs
  const model::DetectorEntry* detector = nullptr;
  model::Parameters parameters;
  Condition condition;                      // where there is no detector
  std::optional<Correlation> correlation;   // how many, or which, of the condition's events make a finding
  model::Fault fault;                       // for findings of the condition
  bool fault_is_senders = false;            // the party is whoever sent the message
  bool fault_may_be_proxys = false;         // where responses come through a proxy it may have done what the server is accused of
  std::string consequence_of;               // the rule whose finding in the same session explains this one
  std::string detail;
  std::vector<RuleTest> tests;
};

// Loads one file. `path` is rules/<category>/<id>.yml as far as it is known; the id must equal the file's stem.
Result<Rule> load_rule(std::string_view yaml, std::string_view path, Proof proof = Proof::asked);

}  // namespace mcpscan::engine
