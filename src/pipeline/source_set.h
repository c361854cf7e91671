// SourceSet: the sources of a scan's evidence by what they are called, and the engine that looks at all of them. Ownership: owns both; what
// it is made of outlives it. Threads: one.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.h"
#include "ingest/input_set.h"
#include "ingest/otlp/span_line.h"
#include "pipeline/report_assembly.h"
#include "pipeline/scan.h"

namespace mcpscan::pipeline {

class SourceSet {
 public:
  // `tap` may be null.
  SourceSet(const ScanOptions& options, const engine::RuleSet& rules, const Limits& limits, TimelineTap* tap) : options_(options), rules_(rules), limits_(limits), tap_(tap) {}

  // Before the first source is asked for: so many files are to be read.
  void expect(std::size_t files);
  // Null where there is one file only.
  engine::Engine* joint() { return joint_.get(); }
  // In the order in which they were first asked for.
  const std::vector<std::unique_ptr<Source>>& all() const { return sources_; }

  // The rotated parts of one log are one source; every other input is its own. `wire`: it is no log. `input`: its row of the report.
  Source& of(const ingest::InputFile& file, bool wire, std::uint32_t input);
  // Of what one service of a file of traces told.
  Source& of_service(const ingest::InputFile& file, std::string_view service, ingest::SpanSide side, std::uint32_t input);
  // The input is one of the source's, too.
  static Source& noted(Source& source, std::uint32_t input);

  static std::string name_of(const ingest::InputFile& file, bool wire) { return wire || file.set_key.empty() ? file.display : file.set_key; }
  // The place in all() of the source of that name.
  std::optional<std::size_t> find(const std::string& name) const;
  // The source at that place has this name, too.
  void add_name(const std::string& name, std::size_t source) { by_name_.emplace(name, source); }

 private:
  Source& named(const std::string& name, const std::string& title, bool wire);

  const ScanOptions& options_;
  const engine::RuleSet& rules_;
  const Limits& limits_;
  TimelineTap* tap_;
  std::unique_ptr<engine::Engine> joint_;
  std::size_t ledger_calls_ = 0;  // of each source
  std::vector<std::unique_ptr<Source>> sources_;
  std::map<std::string, std::size_t> by_name_;
  std::map<std::string, std::set<std::string>> services_;  // by input
};

}  // namespace mcpscan::pipeline
