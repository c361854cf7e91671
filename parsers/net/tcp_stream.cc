#include "net/tcp_stream.h"

#include "base/hash.h"

namespace mcpscan::net {

void RecentPayloads::add(std::uint64_t begin, std::string_view bytes) {
  entries_[next_] = {begin, hash_bytes(bytes), bytes.size()};
  next_ = (next_ + 1) % entries_.size();
}

bool RecentPayloads::contradicts(std::uint64_t begin, std::string_view bytes) const {
  for (const Entry& entry : entries_) {
    if (entry.begin == begin && entry.size == bytes.size()) return entry.digest != hash_bytes(bytes);
  }
  return false;
}

void TcpStream::acknowledge(std::uint64_t to, std::int64_t now) {
  if (to <= acked) return;
  acked = to;
  if (acked > next && mark <= next) {
    mark = acked;
    mark_at = now;
  }
}

void TcpStream::age(std::int64_t now, std::int64_t reorder_us) {
  if (mark > next && now - mark_at >= reorder_us) {
    settled = mark;
    mark = 0;
  }
  if (mark <= next && acked > std::max(next, settled)) {
    mark = acked;
    mark_at = now;
  }
}

}  // namespace mcpscan::net
