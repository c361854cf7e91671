// Programs that tell one message by several lines.
#include "pipeline/fullest_lines.h"

#include <catch2/catch.hpp>

using namespace mcpscan;
using model::Observation;
using model::ObservationKind;

namespace {

Observation line(ObservationKind kind, std::uint64_t process, bool timed, bool tells_all = false) {
  Observation seen;
  seen.kind = kind;
  seen.connection = process;
  if (timed) seen.at.us = 1;
  seen.tells_all = tells_all;
  return seen;
}

}  // namespace

TEST_CASE("once a process tells every message by a fuller line, its other lines of messages are repetitions, another process's are not") {
  pipeline::FullestLines lines;
  CHECK_FALSE(lines.repeats(line(ObservationKind::message, 7, true)));
  CHECK_FALSE(lines.repeats(line(ObservationKind::message, 7, true, true)));
  CHECK_FALSE(lines.repeats(line(ObservationKind::message, 7, true, true)));
  CHECK(lines.repeats(line(ObservationKind::message, 7, true)));
  CHECK(lines.repeats(line(ObservationKind::message, 7, false)));
  CHECK_FALSE(lines.repeats(line(ObservationKind::message, 8, true)));
}

TEST_CASE("a statement without a time repeats one with it, where the process writes its times") {
  pipeline::FullestLines lines;
  CHECK_FALSE(lines.repeats(line(ObservationKind::notice, 7, false)));
  CHECK_FALSE(lines.repeats(line(ObservationKind::message, 7, true, true)));
  CHECK(lines.repeats(line(ObservationKind::notice, 7, false)));
  CHECK_FALSE(lines.repeats(line(ObservationKind::notice, 7, true)));
  CHECK_FALSE(lines.repeats(line(ObservationKind::message, 9, false, true)));
  CHECK_FALSE(lines.repeats(line(ObservationKind::notice, 9, false)));
}
