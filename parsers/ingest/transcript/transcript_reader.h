// TranscriptReader: lines of a client's session transcript in, what the model asked for and was shown out, as OutcomeFacts. A line may
// hold several calls; calls to the client's own tools are no MCP and are left out. Not here: wire messages (a transcript holds none),
// and laying outcomes beside the wire. Broken lines are malformed with their place, and the next line is read.
// Ownership: what is yielded points into the line, the arena or the call table, and is valid during the call.
// Threads: one. Bounds: Limits::transcript_calls, transcript_text_bytes, id_bytes; the table of calls is shared by all transcripts of a run.
// Source: transcript_line.h.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/arena.h"
#include "base/function_ref.h"
#include "base/limits.h"
#include "ingest/text/time_formats.h"
#include "ingest/transcript/transcript_calls.h"
#include "ingest/transcript/transcript_line.h"
#include "model/anomaly.h"
#include "model/observation.h"

namespace mcpscan::ingest {

struct TranscriptRecord {
  Time at;
  model::SourceRef source;
  std::string_view quote;  // head of the part of the line that says so; Limits::evidence_text_bytes
  model::OutcomeFacts outcome;
};

class TranscriptReader {
 public:
  using Yield = FunctionRef<void(const TranscriptRecord&)>;

  TranscriptReader(const Limits& limits, TranscriptCalls& calls) : limits_(limits), calls_(calls), times_(context_) {}
  TranscriptReader(const TranscriptReader&) = delete;
  TranscriptReader& operator=(const TranscriptReader&) = delete;

  // One physical line without its line end. `cut`: its end was skipped for being over Limits::line_bytes.
  void read_line(std::string_view line, bool cut, const model::SourceRef& place, Arena& arena, Yield yield);

  // One record a line: used + ignored(blank, conversation, other-tool, repeated) + malformed(broken-json, line-too-long, id-too-long).
  const model::Books& books() const { return books_; }
  const model::AnomalyLog& anomalies() const { return anomalies_; }
  Time first() const { return first_; }
  Time last() const { return last_; }
  // Most lines are of this form.
  TranscriptForm form() const;

 private:
  struct Told {  // what the events of one line came to
    bool yielded = false, repeated = false, other = false, too_long = false;
  };
  void read_members(const JsonMembers& members, const model::SourceRef& place, Arena& arena, Yield yield);
  void take_start(const ToolEvent& event, TranscriptRecord& record, Told& told, Yield yield);
  void take_end(const ToolEvent& event, TranscriptRecord& record, Told& told, Yield yield);
  void fill_shown(const ToolEvent& event, model::OutcomeFacts& outcome) const;
  TranscriptCall& start_of(const ToolEvent& event, const TranscriptRecord& record);
  void stamp(std::string_view text, Time& at);
  void enter(const Told& told);
  void break_line(std::string_view line, std::size_t column, const model::SourceRef& place);
  std::string_view head(std::string_view text) const { return text.substr(0, limits_.transcript_text_bytes); }

  const Limits& limits_;
  TranscriptCalls& calls_;
  TimeContext context_;
  TimeReader times_;
  model::Books books_;
  model::AnomalyLog anomalies_;
  Time first_, last_;
  std::string conversation_;                 // a rollout names it once, at its head
  std::array<std::uint64_t, 3> forms_{};     // lines by TranscriptForm
};

}  // namespace mcpscan::ingest
