// Replies, progress and cancels that were read before their request: on the transport of 2024-11-05, and in what a client answers or cancels, the two
// come on different connections, and a hole or a packet out of order in the one holds its bytes back while the other is read on. Kept until the
// request came or may be waited for no longer.
// Ownership: copies of what a reply is matched and shown by. Bounded by Limits::early_response_bytes over all.
#pragma once

#include <cstdint>
#include <list>
#include <string>

#include "base/function_ref.h"
#include "base/limits.h"
#include "base/time.h"
#include "model/observation.h"

namespace mcpscan::session {

inline constexpr std::int64_t kReorderedUs = kMillisecond;  // packets of several queues are stamped this much out of their order

class HeldReplies {
 public:
  explicit HeldReplies(const Limits& limits) : limits_(limits) {}
  bool empty() const { return held_.empty(); }
  // `session` is the number of the reply's session. False when no more are kept: the reply is judged as it comes.
  bool add(const model::Observation& seen, std::uint32_t session);
  // Takes out, in their order, those that `due` says it of, and shows them.
  void release(FunctionRef<bool(const model::Observation&, std::uint32_t session)> due, FunctionRef<void(const model::Observation&, std::uint32_t session)> show);

 private:
  struct Held {
    model::Observation seen;
    model::RpcMessage message;
    model::OwnedId id, related;
    std::string head, text, reason, method;
    std::size_t cost = 0;
    std::uint32_t session = 0;
  };
  const Limits& limits_;
  std::size_t bytes_ = 0;
  std::list<Held> held_;  // a list: what is held is pointed to
};

}  // namespace mcpscan::session
