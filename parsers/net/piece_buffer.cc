#include "net/piece_buffer.h"

#include <algorithm>

namespace mcpscan::net {
namespace {

// The part of `bytes`, which begin at `begin`, that lies in [from, to).
std::string_view within(std::string_view bytes, std::uint64_t begin, std::uint64_t from, std::uint64_t to) {
  const std::uint64_t skip = from - begin;
  if (skip >= bytes.size()) return {};
  return bytes.substr(static_cast<std::size_t>(skip), static_cast<std::size_t>(to - from));
}

bool differ(std::string_view a, std::string_view b) {
  const std::size_t both = std::min(a.size(), b.size());
  return a.substr(0, both) != b.substr(0, both);
}

}  // namespace

PieceBuffer::Added PieceBuffer::add(std::uint64_t begin, std::uint64_t end, std::string_view bytes, std::uint64_t needs,
                                    const model::Stamp& stamp) {
  Added added;
  auto next = pieces_.upper_bound(begin);
  if (next != pieces_.begin() && std::prev(next)->second.end > begin) --next;
  std::uint64_t at = begin;
  while (at < end) {
    if (next == pieces_.end() || next->first >= end) {
      store(at, end, within(bytes, begin, at, end), needs, stamp);
      break;
    }
    if (next->first > at) {
      store(at, next->first, within(bytes, begin, at, next->first), needs, stamp);
      at = next->first;
    }
    const std::uint64_t until = std::min(next->second.end, end);
    added.duplicate_bytes += until - at;
    added.differs |= differ(within(bytes, begin, at, until), within(next->second.bytes, next->first, at, until));
    at = until;
    ++next;
  }
  return added;
}

void PieceBuffer::store(std::uint64_t begin, std::uint64_t end, std::string_view bytes, std::uint64_t needs, const model::Stamp& stamp) {
  const auto placed = pieces_.emplace(begin, Piece{end, std::string(bytes), needs, stamp}).first;
  cost_ += cost_of(placed->second);
}

Piece PieceBuffer::pop() {
  auto node = pieces_.extract(pieces_.begin());
  cost_ -= cost_of(node.mapped());
  return std::move(node.mapped());
}

void PieceBuffer::clear() {
  pieces_.clear();
  cost_ = 0;
}

}  // namespace mcpscan::net
