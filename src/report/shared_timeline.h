// A timeline as it may be handed on (--share): each row goes to the writer with pseudonyms for session ids, addresses and hosts
// in its texts, and so does what was found at the end (share.h). A name that only a later row tells to be one is seen as it
// stands before that; forms (addresses, UUIDs, hex ids) are always replaced.
// Ownership: owns the writer. Threads: one. Bound: the names' own; one session is kept.
#pragma once

#include <memory>
#include <string>

#include "model/timeline_format.h"
#include "report/pseudonyms.h"

namespace mcpscan::report {

class SharedTimeline : public model::TimelineWriter {
 public:
  explicit SharedTimeline(std::unique_ptr<model::TimelineWriter> writer) : writer_(std::move(writer)) {}

  void row(const model::TimelineRow& row) override;
  void finish(const model::Report& report) override;

 private:
  const model::Session* shared(const model::TimelineRow& row);

  std::unique_ptr<model::TimelineWriter> writer_;
  Pseudonyms names_;
  model::Session session_;       // the last one, as it is shown
  std::string label_;            // and how it is really called
  std::uint32_t tracker_ = 0;
  std::string input_, text_;
};

}  // namespace mcpscan::report
