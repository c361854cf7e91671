#include "session/held_replies.h"

#include <iterator>

namespace mcpscan::session {

bool HeldReplies::add(const model::Observation& seen, std::uint32_t session) {
  const model::RpcMessage& message = *seen.message;
  const std::size_t cost = sizeof(Held) + message.text.size();
  if (cost > limits_.early_response_bytes - bytes_) return false;
  bytes_ += cost;
  Held& held = held_.emplace_back();
  held.cost = cost;
  held.session = session;
  held.id = model::OwnedId(message.id);
  held.related = model::OwnedId(message.related);
  held.method.assign(message.method);
  held.head.assign(seen.text.substr(0, limits_.evidence_text_bytes));
  held.text.assign(message.text);
  held.reason.assign(message.reason.substr(0, limits_.evidence_text_bytes));
  held.message.kind = message.kind;
  held.message.method = held.method;
  held.message.related = held.related.view();
  held.message.id = held.id.view();
  held.message.reason = held.reason;
  held.message.error_code = message.error_code;
  held.message.result_keys = message.result_keys;
  held.message.defects = message.defects;
  held.message.digest = message.digest;
  held.message.text = held.text;
  held.seen = seen;
  held.seen.session = held.seen.server = held.seen.event_id = {};
  held.seen.http = nullptr;
  held.seen.text = held.head;
  held.seen.message = &held.message;
  return true;
}

void HeldReplies::release(FunctionRef<bool(const model::Observation&, std::uint32_t)> due,
                          FunctionRef<void(const model::Observation&, std::uint32_t)> show) {
  std::list<Held> out;
  for (auto each = held_.begin(); each != held_.end();) {
    const auto next = std::next(each);
    if (due(each->seen, each->session)) {
      bytes_ -= each->cost;
      out.splice(out.end(), held_, each);
    }
    each = next;
  }
  for (const Held& each : out) show(each.seen, each.session);
}

}  // namespace mcpscan::session
