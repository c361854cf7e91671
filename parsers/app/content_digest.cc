#include "app/content_digest.h"

#include <array>

#include "app/json_text.h"

namespace mcpscan::app {
namespace {

using Room = std::array<char, 4096>;

void update(XXH3_state_t& state, const JsonToken& text) {
  std::string_view content = text.content();
  if (!text.escaped) return void(XXH3_64bits_update(&state, content.data(), content.size()));
  Room room;
  while (!content.empty()) {
    const std::size_t used = decode_piece(content, room);
    XXH3_64bits_update(&state, room.data(), used);
  }
}

}  // namespace

void ContentDigest::add(const JsonToken& text) {
  if (!only_) {
    only_ = text;
    return;
  }
  if (!state_) {
    XXH3_64bits_reset(&state_.emplace());
    update(*state_, only_);
  }
  update(*state_, text);
}

std::uint64_t ContentDigest::value() const {
  if (!only_) return 0;
  if (state_) return XXH3_64bits_digest(&*state_);
  if (!only_.escaped) return hash_bytes(only_.content());
  Room room;
  std::string_view content = only_.content();
  const std::size_t used = decode_piece(content, room);
  if (content.empty()) return hash_bytes({room.data(), used});
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  update(state, only_);
  return XXH3_64bits_digest(&state);
}

}  // namespace mcpscan::app
