#include "app/message_tail.h"

#include <algorithm>
#include <cstring>

#include "app/message_head.h"

namespace mcpscan::app {

namespace {

constexpr std::size_t kTailBytes = 1024;  // "jsonrpc", "id" and what a logger appends to the line
constexpr std::size_t kTailDepth = 8;

// The members from `members` to a closing brace that nothing of the same text follows, as an object.
bool read_closing_members(std::string_view members, Arena& arena, model::RpcMessage& message) {
  char* const object = arena.buffer(members.size() + 1).data();
  object[0] = '{';
  std::memcpy(object + 1, members.data(), members.size());
  JsonSkipper in({object, members.size() + 1}, kTailDepth);
  const bool has_version = read_head(in, arena, message);
  if (in.stopped()) return false;
  in.skip_space();
  const char next = in.peek();
  return next != ',' && next != '}' && next != ']' && has_version && message.id.present();
}

}  // namespace

bool has_cut_marker(std::string_view text) {
  if (text.find(" chars truncated]") != std::string_view::npos || text.find("[truncated]") != std::string_view::npos) return true;
  const std::string_view end = text.substr(text.size() - std::min<std::size_t>(text.size(), 8));
  return end.find("...") != std::string_view::npos || end.find("\xe2\x80\xa6") != std::string_view::npos;
}

bool recover_tail(std::string_view text, Arena& arena, model::RpcMessage& message) {
  const std::string_view tail = text.substr(text.size() - std::min(text.size(), kTailBytes));
  constexpr int kTries = 8;
  std::size_t at = 0;
  for (int i = 0; i < kTries; ++i, ++at) {
    at = std::min(tail.find("\"jsonrpc\"", at), tail.find("\"id\"", at));
    model::RpcMessage last;
    if (at == std::string_view::npos) return false;
    if (!read_closing_members(tail.substr(at), arena, last)) continue;
    message.id = last.id;
    if (message.kind == model::MessageKind::invalid) message.kind = last.kind;
    return true;
  }
  return false;
}

}  // namespace mcpscan::app
