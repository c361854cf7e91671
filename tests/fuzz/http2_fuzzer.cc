// module: app
// Any bytes as the frames of an HTTP/2 connection behind its preface.
#include "fuzz/http_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  mcpscan::tests::run_http(input, true, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
  return 0;
}
