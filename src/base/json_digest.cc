#include "base/json_digest.h"

#include <array>
#include <span>

#include "base/hash.h"
#include "base/json_escapes.h"

namespace mcpscan {
namespace {

// A string's content with each character as itself, but for what would end it. The bytes written.
std::size_t put_content(std::string_view content, char* to) {
  char* const start = to;
  while (!content.empty()) {
    std::array<char, 64> piece;
    const std::size_t size = decode_piece(content, piece);
    for (const char c : std::string_view(piece.data(), size)) {
      if (c == '"' || c == '\\') *to++ = '\\';
      *to++ = c;
    }
  }
  return static_cast<std::size_t>(to - start);
}

}  // namespace

std::uint64_t json_digest(std::string_view json, Arena& arena) {
  if (json.empty()) return 0;
  const std::span<char> room = arena.buffer(2 * json.size());
  std::size_t used = 0;
  for (std::size_t at = 0; at < json.size();) {
    const char c = json[at++];
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n') continue;
    room[used++] = c;
    if (c != '"') continue;
    const std::size_t size = string_content_end(json.substr(at));
    used += put_content(json.substr(at, size), room.data() + used);
    at += size;
    if (at < json.size()) room[used++] = json[at++];
  }
  return hash_bytes({room.data(), used});
}

}  // namespace mcpscan
