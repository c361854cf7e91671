// Detector: what a rule does when the condition language cannot say it. One file each, rules/detectors/<name>.cc, which
// defines `extern const DetectorEntry k<Name>` and is named by the `detector:` key of a rule. Parameters stay in the rule.
// Ownership: one detector object a rule and tracker. Threads: none. Bound: its tables hold only what is open.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "model/finding.h"
#include "model/timeline.h"
#include "model/tool_shape.h"

namespace mcpscan::model {

// What a detector hands over. Drafts with equal identity (rule, detail, session, requestor, discriminator) become one
// finding: counts add up, calls and evidence are collected up to their bounds.
struct FindingDraft {
  std::string detail;
  bool detail_is_note = false;         // the detail tells numbers and is no part of the identity
  std::string session;                 // label; empty: none
  Direction requestor = Direction::unknown;
  std::string discriminator;           // id token, stream key or tool, where the rule tells findings apart by it
  std::optional<Level> level;          // else the rule's; a finding has the highest of its drafts
  std::uint64_t count = 1;
  std::optional<FindingCall> call;
  Time at;
  Fault fault;
  std::vector<Evidence> evidence;
  std::string tally_key;               // counted under Finding::tally
  std::vector<StoryLine> picture;      // lines of the incident's picture; the first few are kept
  std::string cause_rule;              // the finding this is a consequence of: its rule ...
  std::string cause_id;                // ... and the id token of a call in it; empty: any of the same session
  std::string cause_session;           // ... and its session; empty: the same as this one's
};

class FindingSink {
 public:
  virtual ~FindingSink() = default;
  virtual void add(FindingDraft draft) = 0;
  // False while what is added is dropped: the evidence was judged by an earlier run. Who holds a draft back must not begin to.
  virtual bool takes() const { return true; }
};

// The rule's `parameters:`; every key a detector reads is listed in its entry, an unknown or missing one is a load error.
using Parameters = std::map<std::string, std::string>;
// A duration parameter in microseconds: the number times `unit_us`.
std::int64_t duration_parameter(const Parameters& parameters, const char* key, std::int64_t unit_us);
// A run of one input: nothing can be laid beside it, so a rule that compares two keeps no call. The engine tells it each detector.
bool one_input(const Parameters& parameters);

class Detector {
 public:
  virtual ~Detector() = default;
  // Which of its entry's events this one needs, as event_bits(): with its parameters it may need fewer.
  virtual std::uint32_t wants() const { return ~0u; }
  virtual void on_event(const TimelineEvent& event, FindingSink& findings) = 0;
  // The evidence is read to its end.
  virtual void finish(FindingSink&) {}
  // How tools' replies look: what it has learned, and what an earlier run had, told before the first event.
  virtual std::vector<ToolShape> shapes() const { return {}; }
  virtual void recall(const std::vector<ToolShape>&) {}
};

constexpr std::uint32_t event_bit(EventKind kind) { return 1u << static_cast<unsigned>(kind); }
template <typename... Kinds>
constexpr std::uint32_t event_bits(Kinds... kinds) { return (event_bit(kinds) | ...); }

struct DetectorEntry {
  std::string_view name;                        // what a rule's `detector:` says
  std::uint32_t events;                         // event_bit()s it wants
  std::initializer_list<std::string_view> parameters;
  std::unique_ptr<Detector> (*make)(const Parameters& parameters);
};

// What DetectorEntry::make is for a detector type.
template <typename Type>
std::unique_ptr<Detector> made(const Parameters& parameters) {
  if constexpr (std::is_constructible_v<Type, const Parameters&>) {
    return std::make_unique<Type>(parameters);
  } else {
    return std::make_unique<Type>();
  }
}

// --- small makers that every detector needs ---
FindingCall finding_call(const Call& call);
// A call known by its id's text alone; digits are taken for the number they look like.
FindingCall call_of_key(std::string_view key);
Evidence evidence_of(const TimelineEvent& event);
Evidence evidence_of(const Call& call);

}  // namespace mcpscan::model
