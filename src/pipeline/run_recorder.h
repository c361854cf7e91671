// RunRecorder: keeps the books of a run for the history while the evidence is read: by file, what is settled and what is open. The scan tells
// it when a file begins and ends and when the evidence of all sources ends; it tells the scan where to begin.
// Ownership: owns the record until take(). Threads: one at a time. Bound: see model/run_record.h.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "pipeline/counted_once.h"
#include "pipeline/known_evidence.h"
#include "pipeline/settling_gate.h"
#include "pipeline/timeline_tap.h"
#include "pipeline/traffic_log.h"
#include "session/session_tracker.h"

namespace mcpscan::pipeline {

class RunRecorder : public TimelineTap {
 public:
  RunRecorder(history::Known known, const Limits& limits) : known_(std::move(known.files), limits), sessions_(std::move(known.sessions)), shapes_(std::move(known.shapes)) {}

  // --- a file ---
  // Where to begin with it. What follows is of this file, until the next one begins.
  ReadingStart begin_file(const ingest::InputFile& file, const std::string& head, bool as_log, bool compressed, const std::string& source);
  // It was read to its end, which is that many decoded bytes and lines; `book` is its source's. `whole`: it does not grow at its end.
  void end_file(std::size_t source, const engine::FindingBook& book, std::uint64_t bytes, std::uint64_t lines, bool whole);

  // Hands over what earlier runs remember of the sessions of the source that the file before which nothing was read of it belongs to.
  void recall_sessions(session::SessionTracker& tracker) const;
  // The same of how tools' replies look in that source.
  std::vector<model::ToolShape> known_shapes() const;

  // --- the end of all evidence; for each source first end_evidence, then, when its open calls are judged, close_source ---
  void end_evidence(std::size_t source, session::SessionTracker& tracker, SettlingGate* gate);
  void close_source(std::size_t source, const engine::FindingBook& book);
  // Of a source whose sessions are remembered; of others nothing is kept.
  void remember_shapes(std::size_t source, std::vector<model::ToolShape> shapes);
  // `assembled`: what the report was made of, by source.
  model::RunRecord take(model::Report report, const Assembled& assembled);

  void set_quiet(bool quiet) { quiet_ = quiet; }
  void on_observation(const model::Observation&) override {}
  void on_event(std::size_t source, const model::TimelineEvent& event) override {
    if (!quiet_) traffic_.on_event(source, event);
  }

 private:
  using Counts = std::map<std::string, std::map<std::int64_t, std::uint64_t>>;  // finding -> quarter -> occurrences
  struct OpenFile {
    ingest::InputFile file;
    std::uint32_t input = 0;
    bool compressed = false;
    std::uint64_t bytes = 0, lines = 0;
    std::size_t number = 0;                           // of its source, once it was read
    std::vector<PlacedTraffic> settled, open;
  };

  void remember_sessions(const std::string& source, session::SessionTracker& tracker);
  void set_resume(std::size_t last, session::SessionTracker& tracker);
  void count_once(const model::Report& report, const Assembled& assembled);
  std::vector<model::OccurrenceRow> news_of(std::size_t source, const engine::FindingBook& book);

  KnownEvidence known_;
  std::vector<model::SessionMemory> sessions_;
  std::vector<model::SourceShape> shapes_;
  TrafficLog traffic_;
  model::RunRecord record_;
  std::vector<OpenFile> files_;                       // beside record_.files
  std::map<std::size_t, Counts> told_;                // by source: what was taken of its book already
  std::map<std::size_t, std::size_t> last_file_;      // by source, among the files
  std::uint32_t next_input_ = 0;
  bool quiet_ = false;
};

}  // namespace mcpscan::pipeline
