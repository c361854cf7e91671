#include "engine/hop_calls.h"

#include <map>
#include <set>
#include <unordered_map>
#include <utility>

namespace mcpscan::engine {

using namespace model;

namespace {

constexpr std::int64_t kLongestHopUs = 10 * kSecond;  // what a gateway takes to pass a call on, its queue included
constexpr std::int64_t kSkewUs = 50 * kMillisecond;   // of two logs of one machine

// The name behind a gateway's prefix: server__tool, server-tool, server.tool, server/tool.
bool is_tool_behind(std::string_view front, std::string_view behind) {
  if (front == behind) return true;
  if (behind.empty() || front.size() <= behind.size() || !front.ends_with(behind)) return false;
  return std::string_view("-_./:").find(front[front.size() - behind.size() - 1]) != std::string_view::npos;
}

// Whether the first is in front of the second, as far as they tell: a call takes longer the farther from the server it is watched, which needs no
// common clock, and comes earlier there.
int votes(const HopCall& first, const HopCall& second) {
  const auto sign = [](std::int64_t us) { return us > 0 ? 1 : us < 0 ? -1 : 0; };
  const Time a = first.call.replied_at, b = second.call.replied_at;
  if (a.known() && b.known()) return sign((a.us - first.call.requested_at.us) - (b.us - second.call.requested_at.us));
  return sign(second.call.requested_at.us - first.call.requested_at.us);
}

using Places = std::set<std::pair<std::uint32_t, std::string_view>>;  // inputs and the sessions in each

// A session that stands on both sides is passed on as it is: its calls go on in no other, however much alike another client's are.
bool carries_on(const HopCall& front, const HopCall& behind, const Places& places) {
  const Time asked = front.call.requested_at, passed = behind.call.requested_at;
  if (front.input == behind.input || !asked.known() || !passed.known()) return false;
  const std::int64_t took = passed.us - asked.us;
  if (took < -kSkewUs || took > kLongestHopUs || !is_tool_behind(front.call.tool, behind.call.tool)) return false;
  return !places.contains({behind.input, front.session}) && !places.contains({front.input, behind.session});
}

}  // namespace

void HopCalls::note(const TimelineEvent& event) {
  const RpcMessage* message = event.observation ? event.observation->message : nullptr;
  if (!message || !event.session || event.session->mixed) return;  // of several clients each may have its ids: nothing shows whose a call is
  const std::uint64_t place = event.call ? std::uint64_t{event.source.input} << 48 | event.call->number : 0;
  if (event.kind == EventKind::reply && event.call) {
    const auto asked = open_.extract(place);
    if (!asked.empty()) calls_[asked.mapped()].call.replied_at = event.at;
    return;
  }
  if (event.kind == EventKind::cancel || event.kind == EventKind::timeout) {
    if (message->method != "notifications/cancelled" || cancels_.size() >= kCalls) return;
    cancels_.push_back({event.source.input, event.session->label, OwnedId(message->related), event.at, evidence_of(event)});
    return;
  }
  const bool call = event.kind == EventKind::request && event.call && event.call->method == kToolsCall && event.call->requestor == Direction::client_to_server;
  if (!call || message->arguments_digest == 0 || calls_.size() >= kCalls) return;
  const HttpFacts* http = event.observation->http;
  open_[place] = calls_.size();
  HopCall& kept = calls_.emplace_back();
  kept.input = event.source.input;
  kept.session = event.session->label;
  kept.user = event.exchange ? event.exchange->principal : http ? http->principal : 0;
  kept.arguments = message->arguments_digest;
  kept.collided = event.other != nullptr;
  kept.call = finding_call(*event.call);
  kept.evidence = evidence_of(event);
}

void HopCalls::pair() {
  std::unordered_map<std::uint64_t, std::vector<HopCall*>> by_arguments;
  Places places;
  for (HopCall& call : calls_) by_arguments[call.arguments].push_back(&call), places.emplace(call.input, call.session);
  const auto only = [](const std::vector<HopCall*>& alike, auto fits) {
    HopCall* found = nullptr;
    for (HopCall* call : alike) {
      if (!fits(*call)) continue;
      if (found) return static_cast<HopCall*>(nullptr);
      found = call;
    }
    return found;
  };
  std::vector<std::pair<HopCall*, HopCall*>> pairs;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> in_front;  // votes for the first input to be in front of the second
  for (HopCall& front : calls_) {
    const auto& alike = by_arguments[front.arguments];
    HopCall* const behind = only(alike, [&](const HopCall& call) { return carries_on(front, call, places); });
    if (!behind || only(alike, [&](const HopCall& call) { return carries_on(call, *behind, places); }) != &front) continue;
    pairs.emplace_back(&front, behind);
    in_front[{front.input, behind->input}] += votes(front, *behind);
  }
  // Within the skew of two clocks either may have come first: all calls between two files go the same way.
  for (const auto& [front, behind] : pairs) {
    if (in_front[{front->input, behind->input}] <= in_front[{behind->input, front->input}]) continue;
    front->behind = behind;
    behind->front = front;
  }
}

}  // namespace mcpscan::engine
