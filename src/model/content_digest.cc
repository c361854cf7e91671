#include <array>

#include "base/hash.h"
#include "base/json_escapes.h"
#include "model/rpc_message.h"

namespace mcpscan::model {
namespace {

using Room = std::array<char, 4096>;

bool is_escaped(std::string_view text) { return text.find('\\') != std::string_view::npos; }

void update(XXH3_state_t& state, std::string_view text) {
  if (!is_escaped(text)) return void(XXH3_64bits_update(&state, text.data(), text.size()));
  Room room;
  while (!text.empty()) {
    const std::size_t used = decode_piece(text, room);
    XXH3_64bits_update(&state, room.data(), used);
  }
}

}  // namespace

std::uint64_t content_digest(const RpcMessage& message) {
  if (message.content_texts.empty()) return 0;
  const std::string_view first = message.content_texts.front();
  if (message.content_texts.size() == 1 && !is_escaped(first)) return hash_bytes(first);
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  for (const std::string_view text : message.content_texts) update(state, text);
  return XXH3_64bits_digest(&state);
}

std::uint64_t structured_digest(const RpcMessage& message) { return message.structured.empty() ? 0 : hash_bytes(message.structured); }

}  // namespace mcpscan::model
