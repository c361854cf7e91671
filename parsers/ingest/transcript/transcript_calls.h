// TranscriptCalls: the tool calls of client transcripts by the client's call id, so that a result finds its call and a line that
// is there twice (resumed sessions copy their history, two records tell one result) is told once. One for all transcripts of a run.
// Ownership: texts are copied, heads of Limits::transcript_text_bytes. Threads: one. Bound: Limits::transcript_calls; the oldest go.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/hash.h"
#include "base/limits.h"
#include "base/time.h"
#include "model/source_ref.h"

namespace mcpscan::ingest {

struct TranscriptCall {
  std::string tool, server, arguments;
  std::uint64_t arguments_digest = 0;
  Time started;
  model::SourceRef started_at;
  bool is_mcp = false;
  bool started_seen = false, ended = false;  // ended: its result was told
};

class TranscriptCalls {
 public:
  explicit TranscriptCalls(const Limits& limits) : limits_(limits) {}

  TranscriptCall* find(std::string_view id);
  // A fresh entry, in the place of an older one with this id.
  TranscriptCall& add(std::string_view id);
  std::uint64_t forgotten() const { return forgotten_; }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view id) const { return hash_bytes(id); }
  };
  const Limits& limits_;
  std::unordered_map<std::string, TranscriptCall, Hash, std::equal_to<>> calls_;
  std::deque<std::string> order_;  // oldest first
  std::uint64_t forgotten_ = 0;
};

}  // namespace mcpscan::ingest
