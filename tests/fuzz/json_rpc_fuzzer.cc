// module: app
// Any bytes as a body of each codec, and as a log line: no crash, and on sound JSON the same result as simdjson's DOM.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "app/message_reader.h"
#include "support/compare_message.h"

namespace {

using mcpscan::app::Codec;

void fail(const char* what, std::string_view text) {
  std::fprintf(stderr, "%s: %.*s\n", what, static_cast<int>(text.size()), text.data());
  std::abort();
}

void check_messages(const mcpscan::tests::ReadBody& read, std::string_view text) {
  if (read.messages.size() != read.outcome.messages) fail("count of messages", text);
  if (read.outcome.consumed > text.size()) fail("consumed more than there is", text);
  for (const auto& message : read.messages) {
    if ((message.defects & mcpscan::model::kTruncated) != 0 && message.digest != 0) fail("digest of a cut text", text);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string difference = mcpscan::tests::compare_with_dom(text);
  if (!difference.empty()) fail(difference.c_str(), text);
  for (const Codec codec : {Codec::automatic, Codec::json, Codec::json_string, Codec::python_bytes_sse, Codec::sse}) {
    check_messages(mcpscan::tests::read_body(text, codec, size % 2 == 0), text);
  }
  const auto body = mcpscan::app::find_body(text);
  if (body.position == std::string_view::npos) return 0;
  if (body.position > size) fail("body behind the end", text);
  const std::string_view found = text.substr(body.position);
  check_messages(mcpscan::tests::read_body(found, body.codec), found);
  return 0;
}
