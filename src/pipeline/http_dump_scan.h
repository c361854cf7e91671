// Reads a text dump of HTTP: requests and responses as they stand in a terminal or a ticket, one behind the other, with lines of hashes,
// dashes or equal signs between exchanges (a time in such a line is the exchange's), or curl -v's marks before the head lines, or behind curl
// commands, which tell the requests where curl -i shows responses only. What is between is passed over. A dump has no
// lengths to trust: a body ends where the next head, command or separator begins. What curl shows without its head, or in part, is read, and what is
// missing of it missed by nobody.
// Threads: none. Memory: one exchange, Limits::record_bytes at most. Not here: captures and HAR files.
// Source: RFC 9112 sections 3 to 5; curl(1) --verbose.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/byte_reader.h"
#include "base/function_ref.h"
#include "base/limits.h"
#include "model/finding.h"
#include "pipeline/capture_scan.h"

namespace mcpscan::pipeline {

// The text shows a request line and a field right behind it, within its first lines; or a curl command
// and behind it a status line and a field.
bool is_http_dump(std::string_view head);

// Tells the lines where the exchanges of a dump begin, or the separators before them. Asked about each line in its order.
class DumpedExchanges {
 public:
  bool begin_with(std::string_view line);

 private:
  enum class Told : unsigned char { nothing, separator, command, request, response };
  Told told_ = Told::nothing;
};

struct HttpDumpOptions {
  std::string time_zone = "UTC";
  Time since, until;
};

void scan_http_dump(ByteReader& bytes, std::string head, std::uint32_t input, const HttpDumpOptions& options, const Limits& limits, CaptureNumbers& numbers,
                    model::ObservationSink& sink, model::InputRow& row, FunctionRef<void(std::uint64_t)> progress);

}  // namespace mcpscan::pipeline
