#include "ingest/transcript/client_words.h"

#include <algorithm>
#include <array>

namespace mcpscan::ingest {
namespace {

using Texts = std::initializer_list<std::string_view>;

// A client's own sentence stands at the start; a payload that quotes one further down is no claim.
constexpr std::size_t kHeadBytes = 512;

bool begins_with_any(std::string_view text, Texts words) {
  return std::any_of(words.begin(), words.end(), [text](std::string_view word) { return text.starts_with(word); });
}

bool holds_any(std::string_view text, Texts words) {
  return std::any_of(words.begin(), words.end(), [text](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

bool says_replaced(std::string_view head) {
  return begins_with_any(head, {"<persisted-output>", "Output too large", "[Old tool result content cleared]"}) ||
         (holds_any(head, {"exceeds maximum allowed tokens"}) && holds_any(head, {"characters)", " tokens)"}));
}

bool says_not_sent(std::string_view head) {
  return begins_with_any(head, {"The user doesn't want to proceed with this tool use", "Permission to use ", "Claude requested permissions to use ",
                                "<tool_use_error>", "InputValidationError", "Error: No such tool available", "unsupported call: ",
                                "user rejected MCP tool call", "user cancelled MCP tool call", "failed to parse function arguments"});
}

bool says_timed_out(std::string_view head) {
  return holds_any(head, {"MCP error -32001", "Request timed out", "timed out waiting for server response", "timed out awaiting tools/call",
                          "no response or progress notification for", "Context server request timeout", "deadline has elapsed"});
}

bool says_no_answer(std::string_view head) {
  return holds_any(head, {"answer stream ended with no answer", "response presumed lost", "MCP error -32000: Connection closed",
                          "[Request interrupted by user"});
}

}  // namespace

ClientWord client_word(std::string_view text, bool is_error) {
  const std::string_view head = text.substr(0, kHeadBytes);
  if (says_replaced(head)) return ClientWord::replaced;
  if (!is_error) return ClientWord::none;
  if (says_not_sent(head)) return ClientWord::not_sent;
  if (says_timed_out(head)) return ClientWord::timed_out;
  return says_no_answer(head) ? ClientWord::no_answer : ClientWord::none;
}

}  // namespace mcpscan::ingest
