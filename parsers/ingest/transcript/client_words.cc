#include "ingest/transcript/client_words.h"

#include <algorithm>
#include <array>

namespace mcpscan::ingest {
namespace {

using Texts = std::span<const std::string_view>;

// One list, so that all of it can be told; each part of it means one thing.
constexpr std::array<std::string_view, 29> kPhrases{
    "<persisted-output>", "Output too large", "[Old tool result content cleared]",
    "exceeds maximum allowed tokens", "characters)", " tokens)",
    "The user doesn't want to proceed with this tool use", "The user doesn't want to take this action right now", "Permission to use ", "Claude requested permissions to use ", "<tool_use_error>", "InputValidationError",
    "Error: No such tool available", "unsupported call: ", "user rejected MCP tool call", "user cancelled MCP tool call", "failed to parse function arguments",
    "MCP error -32001", "Request timed out", "timed out waiting for server response", "timed out awaiting tools/call", "no response or progress notification for",
    "Context server request timeout", "deadline has elapsed", "No result received from the Claude Desktop app after waiting",
    "answer stream ended with no answer", "response presumed lost", "MCP error -32000: Connection closed", "[Request interrupted by user"};
constexpr Texts part(std::size_t from, std::size_t to) { return Texts(kPhrases).subspan(from, to - from); }
constexpr Texts kReplaced = part(0, 3), kTooLong = part(3, 4), kCounted = part(4, 6), kNotSent = part(6, 17), kTimedOut = part(17, 25), kNoAnswer = part(25, 28), kStopped = part(28, 29);

// A client's own sentence stands at the start; a payload that quotes one further down is no claim.
constexpr std::size_t kHeadBytes = 512;

bool begins_with_any(std::string_view text, Texts words) {
  return std::any_of(words.begin(), words.end(), [text](std::string_view word) { return text.starts_with(word); });
}

bool holds_any(std::string_view text, Texts words) {
  return std::any_of(words.begin(), words.end(), [text](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

bool says_replaced(std::string_view head) { return begins_with_any(head, kReplaced) || (holds_any(head, kTooLong) && holds_any(head, kCounted)); }

}  // namespace

ClientWord client_word(std::string_view text, bool is_error) {
  const std::string_view head = text.substr(0, kHeadBytes);
  if (says_replaced(head)) return ClientWord::replaced;
  if (!is_error) return ClientWord::none;
  if (begins_with_any(head, kNotSent)) return ClientWord::not_sent;
  if (holds_any(head, kTimedOut)) return ClientWord::timed_out;
  if (holds_any(head, kNoAnswer)) return ClientWord::no_answer;
  return holds_any(head, kStopped) ? ClientWord::stopped : ClientWord::none;
}

std::span<const std::string_view> client_phrases() { return kPhrases; }

}  // namespace mcpscan::ingest
