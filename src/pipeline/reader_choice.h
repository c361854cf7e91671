// choose_reader: which reader takes an input, told from its head alone. What `scan` and `formats explain` both go by.
// Not here: dialects and framings, which the log parser tells line by line. Threads: a pure function.
#pragma once

#include <cstdint>
#include <string_view>

#include "ingest/text/json_records.h"

namespace mcpscan::pipeline {

enum class ReaderKind : std::uint8_t { empty, binary, capture, har, transcript, otlp, document, table, yaml, http_text, log };

struct ReaderChoice {
  ReaderKind kind = ReaderKind::log;
  const ingest::RecordForm* form = nullptr;   // of a document, and of OTLP
};

ReaderChoice choose_reader(std::string_view head);

// For a person: "a log", "a HAR file" ...; and what the head lacks to be one.
std::string_view word_of(ReaderKind kind);
std::string_view why_not(ReaderKind kind);

}  // namespace mcpscan::pipeline
