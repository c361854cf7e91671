#include "ingest/text/shape_memo.h"

#include <cstring>

#include "ingest/text/byte_words.h"

namespace mcpscan::ingest {

std::string_view ShapeMemo::shape(std::string_view text) {
  if (text.empty() || text.size() > kBytes) return {};
  std::memcpy(buffer_.data(), text.data(), text.size());
  const std::size_t words = (text.size() + 7) / 8;
  for (std::size_t i = 0; i < words; ++i) {
    const std::uint64_t word = shape_of_eight(eight_bytes(buffer_.data() + 8 * i));
    std::memcpy(buffer_.data() + 8 * i, &word, sizeof word);
  }
  return {buffer_.data(), text.size()};
}

const ShapeMemo::Known* ShapeMemo::find(std::string_view text) {
  const std::string_view asked = entries_.empty() ? std::string_view{} : shape(text);
  const Entry* entry = asked.empty() ? nullptr : entry_of(asked);
  return entry == nullptr ? nullptr : &entry->known;
}

ShapeMemo::Entry* ShapeMemo::entry_of(std::string_view shape) {
  for (Entry& entry : entries_.places_of(shape)) {
    if (entry.size == shape.size() && std::memcmp(entry.shape.data(), shape.data(), shape.size()) == 0) return &entry;
  }
  return nullptr;
}

void ShapeMemo::learn(std::string_view text, const Known& known) {
  const std::string_view asked = shape(text);
  if (asked.empty()) return;
  Entry* const known_before = entries_.empty() ? nullptr : entry_of(asked);
  Entry& entry = known_before != nullptr ? entries_.put(*known_before) : entries_.put(asked);
  std::memcpy(entry.shape.data(), asked.data(), asked.size());
  entry.size = static_cast<std::uint16_t>(asked.size());
  entry.known = known;
}

}  // namespace mcpscan::ingest
