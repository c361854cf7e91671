// Malformed or bounded-out input: evidence, not an error. Reading goes on after it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/source_ref.h"

namespace mcpscan::model {

struct Anomaly {
  std::string kind;    // stable word: line-too-long, truncated-gzip, invalid-utf8 ...
  std::string text;    // one sentence with the numbers
  SourceRef source;
  std::uint64_t count = 1;
};

// Anomalies of one input, at most one entry a kind with its first place; the rest is counted.
class AnomalyLog {
 public:
  void add(const Anomaly& anomaly) {
    auto [entry, fresh] = entries_.try_emplace(anomaly.kind, anomaly);
    if (fresh) return;
    if (anomaly.source.precedes(entry->second.source)) entry->second.text = anomaly.text, entry->second.source = anomaly.source;
    entry->second.count += anomaly.count;
  }
  void merge(const AnomalyLog& other) {
    for (const auto& [kind, anomaly] : other.entries_) add(anomaly);
  }
  const std::map<std::string, Anomaly>& entries() const { return entries_; }
  bool empty() const { return entries_.empty(); }

 private:
  std::map<std::string, Anomaly> entries_;
};

// The books of one input: records = used + ignored(reason) + malformed(reason); bytes likewise.
struct Books {
  std::uint64_t total = 0, used = 0;
  std::map<std::string, std::uint64_t> ignored, malformed;

  void ignore(const std::string& reason, std::uint64_t count = 1) { ignored[reason] += count; total += count; }
  void malform(const std::string& reason, std::uint64_t count = 1) { malformed[reason] += count; total += count; }
  void use(std::uint64_t count = 1) { used += count; total += count; }
  void merge(const Books& other);
};

}  // namespace mcpscan::model
