// module: cli
// Any bytes as a dump of HTTP or a transcript of curl: every line is in the books, what is read does not depend on how the bytes are cut, and a
// curl command makes a request that the head parser takes, whatever stands in it.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "fuzz/books.h"
#include "fuzz/pieces.h"
#include "pipeline/curl_command.h"
#include "pipeline/http_dump_scan.h"

namespace {

using namespace mcpscan;

void require(bool holds) {
  if (!holds) std::abort();
}

class Digest : public model::ObservationSink {
 public:
  void observe(const model::Observation& seen) override {
    add(seen.session), add(seen.text), add(seen.event_id);
    if (seen.message != nullptr) add(seen.message->text), add(seen.message->method), add(seen.message->id.raw);
    if (seen.http != nullptr) add(seen.http->method), add(seen.http->path), add(seen.http->host), add(seen.http->session_id);
    value = hash_combine(value, seen.source.number);
  }
  std::uint64_t value = 0;

 private:
  void add(std::string_view text) { value = hash_bytes(text, value); }
};

std::uint64_t scanned(std::string_view text, std::size_t piece) {
  Limits limits;
  limits.header_bytes = 4096;
  limits.body_bytes = 8192;
  tests::Pieces bytes(text, piece);
  Digest digest;
  model::InputRow row;
  pipeline::CaptureNumbers numbers;
  pipeline::scan_http_dump(bytes, {}, 0, {}, limits, numbers, digest, row, [](std::uint64_t) {});
  require(tests::adds_up(row.books));
  return digest.value;
}

void check_commands(std::string_view text) {
  pipeline::CommandLines lines;
  pipeline::DumpedExchanges exchanges;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.goes_on(text.substr(at, end - at));
    exchanges.begin_with(text.substr(at, end - at));
    at = end + 1;
  }
  const auto request = pipeline::read_curl_command(text, "session");
  if (request) require(request->head.ends_with("\r\n") && request->head.find("\r\n\r\n") == std::string::npos);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  pipeline::is_http_dump(text);
  require(scanned(text, 1u << 20) == scanned(text, 7));
  check_commands(text);
  return 0;
}
