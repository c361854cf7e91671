// What the texts mean that clients themselves put in the place of a result: given up, never sent, saved elsewhere. A server may
// write the same words in an error of its own, so the meaning is a claim of the record, to be laid beside the wire.
// Source: Claude Code 2.0.76 and 2.1.332, Codex CLI, MCP SDKs (texts of their errors); docs/transcripts.md.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace mcpscan::ingest {

enum class ClientWord : std::uint8_t {
  none,
  timed_out,  // the client waited for its limit
  no_answer,  // the stream or connection ended
  stopped,    // the person interrupted the call
  not_sent,   // refused before it went out
  replaced,   // the payload was too large to show or was cleared later
};

// `is_error`: the record calls the result an error; without it only `replaced` is told.
ClientWord client_word(std::string_view text, bool is_error);

// The texts it looks for: who rewrites a record and wants it to say the same leaves them as they stand.
std::span<const std::string_view> client_phrases();

}  // namespace mcpscan::ingest
