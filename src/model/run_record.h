// RunRecord: what one run of the program adds to the history: what happened in each quarter of an hour, by file of evidence. A quarter is
// the largest unit that the days of all time zones are made of. Plain data; src/pipeline fills it, src/history keeps it.
// Settled is what later evidence cannot change; open is what was judged because the evidence ends, and is replaced when it goes on.
// Bounds: TrafficLog::kRows rows of traffic, FindingBook::kQuarters quarters a finding.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/finding.h"
#include "model/tool_shape.h"

namespace mcpscan::model {

constexpr std::int64_t kQuarter = 15 * kMinute;
constexpr std::int64_t quarter_of(Time at) { return at.us / kQuarter - (at.us % kQuarter < 0 ? 1 : 0); }
// Of what tells no time. It counts all the same: the history puts it on the last day that is known of it (history/record.h).
constexpr std::int64_t kNoQuarter = INT64_MAX;
constexpr std::int64_t quarter_or_none(Time at) { return at.known() ? quarter_of(at) : kNoQuarter; }

// What the calls of one session and tool did in one quarter. A request without a tool has the tool "".
struct TrafficCounts {
  std::uint64_t events = 0, requests = 0, replies = 0, errors = 0, timeouts = 0, unanswered = 0;
  std::int64_t answered_us = 0, longest_us = 0;
};

struct TrafficRow {
  std::int64_t quarter = 0;   // or kNoQuarter
  std::string session, tool;   // session: as findings name it; "": none
  TrafficCounts counts;
};

struct OccurrenceRow {
  std::string finding;         // id
  std::int64_t quarter = 0;    // or kNoQuarter
  std::uint64_t count = 0;
};

struct EvidenceShare {
  std::vector<TrafficRow> traffic;
  std::vector<OccurrenceRow> occurrences;
};

// How far a file was read, and how to know it again. Digests are of decoded bytes; of a file read as a whole the tail is as on disk.
struct FileMark {
  std::string path;
  std::uint64_t device = 0, inode = 0;
  std::uint64_t bytes = 0;               // decoded bytes up to which everything is settled
  std::uint64_t lines = 0;               // lines before that place
  std::uint64_t resume_bytes = 0, resume_line = 1;  // where the oldest call still open was read; that place where none is open
  std::uint64_t seen_bytes = 0;          // size on disk
  std::uint64_t head_bytes = 0, head_digest = 0;    // of the beginning
  std::uint64_t tail_digest = 0;         // of the bytes right before `bytes`
  bool whole = false;                    // read as a whole each time it has changed (captures, exports)
};

struct FileRecord {
  std::int64_t known = 0;                // the history's number of this file; 0: it is new
  bool replaces = false;                 // what the history has of this file is void: it was read from its beginning again
  bool largest = false;                  // its counts are not added to those there are; the larger ones hold
  std::string source;                    // files of one source follow each other; several sources may show the same traffic
  FileMark mark;
  EvidenceShare settled, open;
};

// Ids that one side of a session has used: runs of integers, and digests of the others.
struct UsedIds {
  std::vector<std::pair<std::int64_t, std::int64_t>> intervals;
  std::vector<std::uint64_t> digests;
  bool complete = true;
};

// What a later run has to know of a session of a log that goes on.
struct SessionMemory {
  std::string source;
  std::string id, server_endpoint, transport, protocol_version, client_name, client_version, server_name, server_version;
  SessionKeying keyed_by = SessionKeying::none;
  Time first, last;
  bool start_seen = false, initialize_seen = false, initialize_answered = false, initialized_seen = false, was_alive = false, ended = false, mixed = false;
  std::vector<std::string> addresses;
  std::vector<std::uint64_t> principals;
  UsedIds client_ids, server_ids;
};

// How the replies of a tool look in one source.
struct SourceShape {
  std::string source;
  ToolShape shape;
};

struct RunRecord {
  Time at;                               // when the run was made
  Report report;                         // of the evidence read in this run
  std::vector<FileRecord> files;
  std::vector<std::string> sources;      // of which sessions are told: what was remembered of them before is void
  std::vector<SessionMemory> sessions;
  std::vector<SourceShape> shapes;       // of the same sources; void as well
};

}  // namespace mcpscan::model
