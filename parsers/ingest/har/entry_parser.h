// EntryParser: the text of one entry of a HAR into a HarEntry. Keys in any order; unknown ones are skipped; null and missing are the
// same; a value of another type than the format's is an anomaly, and taken where its meaning is plain ("200" for 200). Texts that
// are not UTF-8, or hold raw control bytes inside strings, are read from a copy with those bytes replaced.
// Ownership: views into the text and the arena given. Threads: one parser a reader. Bounds: Limits::header_bytes for each list of
// headers or parameters, har_pending_entries timed events.
// Source: HAR 1.2; RFC 8259.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/arena.h"
#include "base/limits.h"
#include "ingest/har/har_entry.h"
#include "ingest/text/time_formats.h"
#include "model/anomaly.h"

namespace mcpscan::ingest {

struct EntryFault {
  std::string what;
  std::size_t at = 0;   // byte of the text
  bool is_json = false;  // sound, but no entry
};

class EntryParser {
 public:
  EntryParser(const TimeContext& times, const Limits& limits, model::AnomalyLog& anomalies);
  ~EntryParser();
  EntryParser(const EntryParser&) = delete;
  EntryParser& operator=(const EntryParser&) = delete;

  // Fills all of `entry` but keeps its source. The text can be read EntrySplitter::kPadding bytes beyond its end.
  // Nothing when it is sound; else why it is no entry.
  std::optional<EntryFault> parse(std::string_view text, Arena& arena, HarEntry& entry);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mcpscan::ingest
