// One line of a client's session transcript, told as tool events: a call was made, a result was shown. Knows the line only; pairing
// and repetition are TranscriptReader's. Two forms: Claude Code's (JSONL under ~/.claude/projects, and the same objects of
// --output-format stream-json), and Codex CLI's rollouts. Texts are unescaped into the arena; views live as long as line and arena.
// Threads: none of its own. Bounds: none needed, nothing is kept.
// Source: Claude Code 2.0.76 to 2.1.332; Codex CLI RolloutLine; Anthropic Messages API content blocks.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/arena.h"
#include "base/function_ref.h"
#include "base/time.h"
#include "ingest/text/json_scan.h"

namespace mcpscan::ingest {

// The texts that a result's content shows, put together.
struct ShownText {
  std::string_view text;
  bool any = false;  // there was a text at all, be it empty
};

// `content`: a string, an array of content blocks, or an object that holds such under "content".
ShownText shown_text(const JsonValue& content, Arena& arena);

// A string member as text; empty when there is none, or it is no string.
std::string_view text_of(const JsonMembers& members, std::string_view key, Arena& arena);

struct ToolEvent {
  bool is_start = false;
  bool is_error = false;
  bool names_mcp = false;           // an MCP tool for sure
  std::string_view call;            // the client's id of the call
  std::string_view tool, server;    // empty in a result that does not name them
  std::string_view arguments;       // JSON as it stood
  ShownText shown;                  // of a result
  ShownText payload;                // of a result whose text stands for another: what the client kept beside it
  std::int64_t duration_us = -1;    // of a result that tells it
  std::string_view quote;           // the part of the line that says so
};

enum class TranscriptForm : std::uint8_t { unknown, claude_code, codex };

// Facts that the line gives for all its events.
struct TranscriptLine {
  TranscriptForm form = TranscriptForm::unknown;
  std::string_view at;               // as it stood
  std::string_view conversation, agent;
  bool sidechain = false;
};

using OnToolEvent = FunctionRef<void(const ToolEvent&)>;

// Events go out in the order of the line. `line` is filled before the first of them.
void read_claude_line(const JsonMembers& members, Arena& arena, TranscriptLine& line, OnToolEvent on_event);
void read_codex_line(const JsonMembers& members, Arena& arena, TranscriptLine& line, OnToolEvent on_event);

// mcp__SERVER__TOOL, cut at the first __ behind the prefix. False when the name is of no such form.
bool split_mcp_name(std::string_view name, ToolEvent& event);

}  // namespace mcpscan::ingest
