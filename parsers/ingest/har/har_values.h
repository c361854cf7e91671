// The single values of a HAR entry: numbers, durations and times as producers write them. No state but the time reader's.
// Source: HAR 1.2; RFC 3339.
#pragma once

#include <cstdint>
#include <optional>

#include "ingest/har/har_entry.h"
#include "ingest/text/time_formats.h"

namespace mcpscan::ingest {

// The number that a number, or a string that holds one, means; nothing for anything else.
std::optional<double> har_number(const JsonValue& value);
// Whole, toward zero; nothing beyond 2^53.
std::optional<std::int64_t> har_integer(const JsonValue& value);

// The phases of an exchange in milliseconds; negative: not told, or does not apply. `ssl` is part of `connect`.
struct HarTimings {
  double blocked = -1, dns = -1, connect = -1, send = -1, wait = -1, receive = -1;
};
// Fills total_us and until_head_us. `time_ms` is the entry's own sum, which not every producer writes.
void take_durations(const HarTimings& timings, double time_ms, HarEntry& entry);

// startedDateTime into `started`, `precision_us` and `has_zone`; false when it cannot be read.
bool take_start(const JsonValue& value, TimeReader& reader, HarEntry& entry);

}  // namespace mcpscan::ingest
