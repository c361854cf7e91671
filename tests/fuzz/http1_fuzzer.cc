// module: app
// Any bytes as the two directions of an HTTP/1 connection, from its start and joined in the middle.
#include "fuzz/http_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  mcpscan::tests::run_http(input, true, {});
  mcpscan::tests::run_http(input, false, {});
  mcpscan::tests::run_http(input, true, "POST /mcp HTTP/1.1\r\nMcp-Session-Id: s\r\nContent-Length: 0\r\n\r\n");
  return 0;
}
