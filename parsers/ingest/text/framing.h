// Framer: takes the wrappers off a line that a shipper put around it: docker json-file, Kubernetes CRI, journald (json,
// short, short-iso), syslog (RFC 3164, RFC 5424, rsyslog's file form), docker compose, the times that `docker logs -t` and `kubectl logs
// --timestamps` put before each line, JSON lines of any logger, and what clouds and log shippers export (framing_shipped.cc). Told line by line by the first byte, up to Limits::framing_depth of them stacked. A journal export
// record is read by read_export(); documents that hold records in an array and tables come here as JSON lines (json_records.h, csv_records.h).
// Ownership: a frame's views point into the line, or into the arena where text was unescaped.
// Not thread-safe: a framer a parse call.
// Source: RFC 5424 section 6; RFC 3164 section 4; systemd.journal-fields(7) and "Journal Export Formats"; docker json-file and Kubernetes CRI log formats.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "base/limits.h"
#include "ingest/text/dialect.h"
#include "ingest/text/json_keys.h"
#include "ingest/text/json_scan.h"
#include "ingest/text/time_formats.h"

namespace mcpscan::ingest {

enum class Framing : std::uint8_t {
  docker_json, cri, journal_json, journal_export, syslog_5424, syslog_3164, syslog_file, compose, json_lines,
  gcp, elasticsearch, ecs, datadog, loki, cloudwatch, fluent_bit, otlp, stamps,
};
inline constexpr std::size_t kFramings = 18;   // Frame::layers and FileShape::shipped have a bit for each
std::string_view name_of(Framing framing);

inline constexpr std::size_t kMostPaths = 8;   // members that a framing is looked for under
inline constexpr std::string_view kBadJson = "bad-json";  // reason of a line that is no JSON, in a log of JSON lines

struct Frame {
  std::string_view payload;           // what the program wrote; several lines where it was one escaped text
  Time outer, inner;                  // of the outermost and the innermost framing
  std::uint64_t process = 0;          // hash of what the framings say about pid, container and stream; 0: nothing
  std::string_view level, logger, session, peer;
  std::string_view error;             // what the logger says of an error beside the message
  model::Direction direction = model::Direction::unknown;
  model::SessionKeying keying = model::SessionKeying::none;
  bool partial = false;               // the shipper cut the text; it goes on in the next frame of the same process
  bool in_pieces = false;             // the shipper says whether it cuts; what stands in the text is taken off only where that is whole
  std::string_view piece;             // then: the payload, and the process, as that shipper has them
  std::uint64_t piece_process = 0;
  bool malformed = false;
  std::string_view reason;            // with malformed
  LogRecord* ready = nullptr;         // the JSON told everything; only place and lines are missing
  std::uint32_t layers = 0;           // bit i: Framing i was taken off
  std::size_t dialect = 0;            // whose json rule it was, 0: none

  // All it adds to what its text says is a time of the framings and whose line it is.
  bool is_bare() const {
    return ready == nullptr && !malformed && !partial && level.empty() && logger.empty() && session.empty() && peer.empty() && error.empty() &&
           direction == model::Direction::unknown && keying == model::SessionKeying::none && dialect == 0;
  }
  // Then no prefix stands in the text.
  bool tells_logger() const { return !level.empty() || !logger.empty(); }
  void take_piece(bool goes_on) {
    partial = goes_on;
    in_pieces = true;
    piece = payload;
    piece_process = process;
  }
  void wrap(Framing framing) { layers |= 1u << static_cast<unsigned>(framing); }
  void stamp(Time at) {
    if (!at.known()) return;
    if (!outer.known()) outer = at;
    inner = at;
  }
};

// What calibration found out about the file as a whole.
struct FileShape {
  bool timed = false;       // most records have a prefix: a line without one continues the record before
  bool json = false;        // most lines are JSON: one that is not is malformed
  bool syslog_file = false; // host and tag stand before the message even without [pid]
  bool compose = false;     // "name | text"
  bool stamped = false;     // each line has a time that was put before it, whatever its program wrote
  std::size_t rich_column = 0;  // where rows of Rich's have their level; 0: there are none with a time
  bool rich_bare = false;   // some of them have their time without brackets
  std::uint32_t shipped = 0;  // bit i: Framing i, of those in framing_shipped.cc, may stand around a JSON line
};

class Framer {
 public:
  Framer(const std::vector<const JsonRule*>& rules, const FileShape& shape, const Limits& limits, TimeReader& times, Arena& arena)
      : rules_(rules), shape_(shape), depth_(limits.framing_depth), times_(times), arena_(arena) {}

  void peel(Frame& frame) {
    for (std::size_t depth = 0; depth < depth_ && !frame.partial && !frame.payload.empty() && frame.ready == nullptr && peel_one(frame); ++depth) {
    }
  }

  // A line that begins with a date and a blank, as asctime's does. Around it no framing stands that its first kUnframedBytes do not show.
  static bool has_blank_behind_date(std::string_view line) { return line.size() > kUnframedBytes && line[4] == '-' && line[10] == ' '; }
  static bool begins_unframed(std::string_view line) {
    return has_blank_behind_date(line) && line.substr(0, kUnframedBytes).find('\t') == std::string_view::npos;
  }
  static constexpr std::size_t kUnframedBytes = 36;

  // Fills `captures` from the key=value pairs, or the JSON object, of a message.
  void take_pairs(std::string_view pairs, const std::vector<JsonField>& fields, Captures& captures);
  // One record of a journal export at the start of `text`; the bytes it takes, 0 when it is none.
  std::size_t read_export(std::string_view text, Frame& frame);

 private:
  bool peel_one(Frame& frame);
  bool peel_digit(Frame& frame);
  // framing_text.cc
  bool read_cri(Frame& frame);
  bool read_stamp(Frame& frame, Time at, std::size_t length);
  bool read_dyno(Frame& frame, Time at, std::string_view text);
  bool read_syslog(Frame& frame);
  bool read_syslog_5424(Frame& frame, std::string_view behind_version);
  bool read_short(Frame& frame);
  bool read_tag(Frame& frame, std::string_view text, Framing framing, Time at, bool host_optional);
  bool read_compose(Frame& frame);
  bool read_kubectl_prefix(Frame& frame);
  bool read_pod_prefix(Frame& frame);
  // framing_shipped.cc
  bool read_shipped(Frame& frame);
  bool read_ecs(Frame& frame);
  void mix_process(const std::array<std::string_view, kMostPaths>& paths, Frame& frame) const;
  bool read_tail(Frame& frame, Time at, std::string_view text);
  bool read_fluentd(Frame& frame, Time at, std::string_view text);
  bool read_lambda(Frame& frame, Time at, std::string_view text);
  bool read_zap(Frame& frame);  // framing_zap.cc
  bool read_fluent_pair(Frame& frame);
  // framing_json.cc
  bool read_json(Frame& frame);
  bool read_pairs(Frame& frame);
  bool read_docker(Frame& frame);
  bool read_journal(Frame& frame);
  bool read_with_rule(Frame& frame, bool loose = false);
  bool read_logger_json(Frame& frame);
  bool rule_fits(const JsonRule& rule, std::uint64_t names) const;
  bool is_access_line(const JsonRule& rule, std::string_view line) const;
  bool take_fields(const JsonRule& rule, Frame& frame, Captures& captures);
  JsonValue value_of(const JsonField& field) const;
  void take_keys(const JsonKeys& keys, Frame& frame, bool take_time);
  std::string_view error_of(JsonValue value);
  bool take_payload(Frame& frame, const JsonValue& message);
  void take_bodies(Frame& frame, const JsonKeys& keys, std::string_view text, std::string_view line);
  LogRecord& take_body(Frame& frame, const JsonValue& body, std::string_view text, std::string_view line);
  Time read_time(const JsonValue& value);
  std::string_view journal_text(const JsonValue& value);
  std::string_view clean(std::string_view text);

  const std::vector<const JsonRule*>& rules_;
  const FileShape& shape_;
  std::size_t depth_;
  TimeReader& times_;
  Arena& arena_;
  JsonMembers members_;
};

// Escape sequences (SGR, OSC 8, cursor movement) taken out; the same view when there are none.
std::string_view strip_ansi(std::string_view text, Arena& arena);

}  // namespace mcpscan::ingest
