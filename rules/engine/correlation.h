// Correlation: Sigma's correlations over the events that a rule's condition lets through: so many of them (event_count), so many values of
// a field (value_count), all of several selections (temporal), the same in their order (temporal_ordered), each within a timespan and, where
// `group-by` says so, among events that agree in these fields. Immutable. Correlator is one at work: what stands in the window and was not told.
// Threads: one. Bound: kGroups groups, kHits hits each; the oldest go first.
// Source: Sigma specification 2.0, "Correlation rules".
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/condition.h"
#include "model/detector.h"

namespace mcpscan::engine {

class Correlation {
 public:
  enum class Type : std::uint8_t { event_count, value_count, temporal, temporal_ordered };

  // `correlation:` of a rule whose `detection:` is `condition`.
  static Result<Correlation> load(const DataFile& file, const YamlNode& node, const Condition& condition);

  Type type = Type::event_count;
  std::vector<ReadField> group_by;
  ReadField field = nullptr;            // value_count
  std::int64_t timespan_us = 0;
  std::uint64_t least = 1;              // event_count, value_count: as many or more
  std::vector<std::size_t> selections;  // temporal: which of the condition's, in the order of the rule
};

class Correlator {
 public:
  static constexpr std::size_t kGroups = 4096;
  static constexpr std::size_t kHits = 1024;

  Correlator(const Correlation& correlation, const Condition& condition) : correlation_(correlation), condition_(condition) {}

  // The event has matched the condition; `draft` is its finding, told now, later with its window, or never. Events without a time are not
  // judged.
  void look_at(const model::TimelineEvent& event, model::FindingDraft draft, model::FindingSink& findings);

 private:
  struct Hit {
    Time at;
    std::string value;
    std::uint64_t selections = 0;  // bits: which of the correlation's it is
    bool told = false;
    model::FindingDraft draft;
  };
  using Window = std::deque<Hit>;

  bool is_full(const Window& window) const;
  bool in_order(const Window& window) const;
  std::string group_of(const model::TimelineEvent& event) const;

  const Correlation& correlation_;
  const Condition& condition_;
  std::unordered_map<std::string, Window> windows_;
};

}  // namespace mcpscan::engine
