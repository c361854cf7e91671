// Options that several commands share, one definition each: name, check, help.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "base/result.h"
#include "pipeline/scan.h"

namespace mcpscan::cli {

struct CommonOptions {
  pipeline::ScanOptions scan;
  std::string since, until, min_level = "informational";
  std::vector<std::string> as;
  std::string dialect_dir, rules_dir, tuning;
  std::vector<std::string> trusted_proxies;
  double client_timeout_s = 60;
};

// The groups under which help lists them.
constexpr const char* kEvidence = "Evidence";
constexpr const char* kSelection = "Selection";
constexpr const char* kOutput = "Output";

void add_input_options(CLI::App& command, CommonOptions& options);
void add_data_options(CLI::App& command, CommonOptions& options);
// Turns what was typed into scan options, or says what is wrong with it.
Status settle(CommonOptions& options, const pipeline::Knowledge& knowledge);

}  // namespace mcpscan::cli
