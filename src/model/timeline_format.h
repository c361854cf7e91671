// TimelineFormat: one way to write the rebuilt timeline while it is read: a row an event, in the order of the evidence, and what was found
// at the end. One file each, src/report/timeline_as_<name>.cc, which defines `extern const TimelineFormatEntry kTimelineAs<Name>`.
// Ownership: a row's texts are valid during row() only. Threads: one. Bound: a writer keeps no rows.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "model/finding.h"
#include "model/report_format.h"
#include "model/timeline.h"

namespace mcpscan::model {

struct TimelineRow {
  EventKind kind = EventKind::request;
  Time at;                            // unknown: order only
  SourceRef source;
  std::string_view input;             // path of the source
  const Session* session = nullptr;   // its index is unique within one tracker
  std::uint32_t tracker = 0;
  Direction sent = Direction::unknown;  // who sent what the row tells, where it is a message
  char mark = ' ';                    // > sent by the client, < by the server, ! noticed, x over without an answer, . around it
  RpcId id;
  std::string_view method, tool;      // of the message, or of the call that it concerns
  std::string_view outcome;           // a reply's verdict, why a call was closed, a notice's kind
  Time started;                       // of the call or exchange that ends here
  std::int64_t took_us = -1;
  const Exchange* exchange = nullptr;
  StreamKind stream = StreamKind::unknown;
  std::uint16_t status = 0;
  std::string what;                   // the row in words, as read: mask and escape before showing
  std::string_view text;              // head of the record
};

class TimelineWriter {
 public:
  virtual ~TimelineWriter() = default;
  virtual void row(const TimelineRow& row) = 0;
  // An input is read to its end; where it was taken may still be judged otherwise.
  virtual void input(const InputRow&) {}
  // Everything is read: findings and incidents, already narrowed to what was asked for.
  virtual void finish(const Report& report) = 0;
};

struct TimelineFormatEntry {
  std::string_view name, ending, help;
  using Out = std::function<void(std::string_view)>;
  std::unique_ptr<TimelineWriter> (*make)(const ReportOptions& options, Out out);
};

}  // namespace mcpscan::model
