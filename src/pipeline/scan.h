// scan(): the one way through the program: inputs -> observations -> timeline -> rules -> report. Reads files; prints nothing.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/function_ref.h"
#include "base/limits.h"
#include "base/result.h"
#include "engine/engine.h"
#include "engine/tuning.h"
#include "ingest/input_set.h"
#include "ingest/text/log_parser.h"
#include "model/exoneration.h"
#include "model/finding.h"
#include "pipeline/forwarded_peer.h"
#include "pipeline/run_recorder.h"
#include "pipeline/timeline_tap.h"

namespace mcpscan::pipeline {

struct ScanOptions {
  std::vector<std::string> inputs;
  std::string time_zone = "UTC", dialect, filter;
  std::vector<std::string> key_logs;
  std::vector<Network> trusted_proxies;           // whose X-Forwarded-For tells the client
  Time since, until;
  model::Vantage as = model::Vantage::unknown;    // overrides the guess
  std::map<std::string, model::Vantage> as_of;    // the same for single inputs, by path or file name
  std::int64_t client_timeout_us = 60 * kSecond;
  std::vector<std::string> rules;                 // only these; empty: all
  std::string session, tool, client;              // findings about these only; empty: all
  model::Level min_level = model::Level::informational;
  model::Party exonerate = model::Party::unknown; // the proof that this hop is innocent is asked for
  std::optional<engine::Tuning> tuning;           // the operator's own levels, suppressions and known incidents
  std::vector<model::ToolShape> shapes;           // how tools' replies look, learned from more evidence than this
  bool tell_shapes = false;                       // what was learned of it is asked for
  unsigned threads = 0;                           // 0: as many as the machine has
  bool hash = false;
};

struct ScanResult {
  model::Report report;
  std::optional<model::Exoneration> exoneration;  // the proof, where one was asked for
  Assembled assembled;                            // for a recorder, where there is one
  std::vector<model::ToolShape> shapes;          // where asked for: of each tool what the source with the most replies taught
  std::vector<Error> problems;   // named inputs that could not be read at all: exit code 2
};

// Everything loaded once for a run.
struct Knowledge {
  ingest::DialectSet dialects;
  engine::RuleSet rules;
  std::vector<Error> problems;   // user files that did not load; the rest is in use
  std::vector<Error> defects;    // files of the program's own that did not load: a bug of ours, kept out of the exit code
};
// The built-in dialects and rules, and those of the folders given (may be empty). `proof` asked: the built-in ones have their samples and
// tests, too; dialects always have them where others are checked against them, as those of a folder are.
Knowledge load_knowledge(const std::string& dialect_dir, const std::string& rules_dir, Proof proof = Proof::given);

// How a log of this file is to be parsed.
ingest::ParserOptions parser_options(const ScanOptions& options, const ingest::InputFile& file);

// An input that is a bundle of `mcpscan extract` stands for its evidence, read as its manifest says.
// `progress`: the input's name, bytes read so far in all. `tap`, where given, sees all that is read;
// `recorder` keeps the books for a history and says where to begin.
ScanResult scan(const ScanOptions& options, const Knowledge& knowledge, const Limits& limits, FunctionRef<void(const std::string&, std::uint64_t)> progress,
                TimelineTap* tap = nullptr, RunRecorder* recorder = nullptr);

}  // namespace mcpscan::pipeline
