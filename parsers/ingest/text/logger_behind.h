// LoggerBehind: structlog's console writes the message first, then its logger in brackets and the rest of the event as key=value pairs.
// Where such a tail begins is not marked, so the message before it has to be a known one for the tail to count.
// A pure function; views point into the text. Bound: kTries places are looked at.
// Source: structlog 22.3 to 25.4, src/structlog/dev.py (ConsoleRenderer).
#pragma once

#include <cstddef>
#include <string_view>

namespace mcpscan::ingest {

struct LoggerBehind {
  static constexpr std::size_t kTries = 32;

  std::string_view message;   // what stands before the tail; all of the text where there is none
  std::string_view logger;    // empty: the tail is pairs alone
};

LoggerBehind split_logger_behind(std::string_view text);

}  // namespace mcpscan::ingest
