// module: app
// Any bytes as a printed literal of Python, Node and Java: no crash, and what a whole literal gives is JSON.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "app/literal_json.h"
#include "app/message_reader.h"
#include "support/dom_message.h"
#include "support/read_messages.h"

namespace {

using mcpscan::app::Codec;
using mcpscan::app::LiteralEnd;
using mcpscan::app::LiteralRead;

// What simdjson refuses although it is JSON, or is told as repaired text.
bool is_excused(simdjson::error_code error) {
  return error == simdjson::NUMBER_ERROR || error == simdjson::UTF8_ERROR || error == simdjson::STRING_ERROR;
}

void check(LiteralRead (*to_json)(std::string_view, std::size_t, std::string&), std::string_view text) {
  constexpr std::size_t kDepth = 64;
  std::string json;
  const LiteralRead read = to_json(text, kDepth, json);
  if (read.consumed > text.size()) std::abort();
  if (read.end != LiteralEnd::whole) return;
  simdjson::dom::parser parser;
  const auto error = parser.parse(json).error();
  if (error == simdjson::SUCCESS || is_excused(error)) return;
  std::fprintf(stderr, "%d: %s\n", static_cast<int>(error), json.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check(mcpscan::app::python_to_json, text);
  check(mcpscan::app::js_to_json, text);
  check(mcpscan::app::java_to_json, text);
  for (const Codec codec : {Codec::python_repr, Codec::js_inspect, Codec::java_record}) mcpscan::tests::read_body(text, codec, true);
  return 0;
}
