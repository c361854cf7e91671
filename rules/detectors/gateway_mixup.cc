// What a gateway mixes up between its two sides. The rule's `fault` parameter says which: cancel (a cancel of one user's call goes out for
// another's) or id (two calls that came under ids of their own share one behind it). Needs both sides in the evidence.
// Source: JSON-RPC 2.0 section 5; MCP 2025-11-25 "Cancellation"; protocol notes ID13 CA01.
#include <fmt/format.h>

#include <algorithm>

#include "engine/hop_calls.h"
#include "model/detector.h"

namespace mcpscan::engine {
namespace {

using namespace model;

constexpr std::int64_t kPassedOnUs = 2 * kSecond;  // a cancel goes out behind the gateway within

class GatewayMixup : public Detector {
 public:
  explicit GatewayMixup(const Parameters& parameters) : cancels_(parameters.at("fault") == "cancel"), one_input_(one_input(parameters)) {}

  std::uint32_t wants() const override { return one_input_ ? 0 : ~0u; }

  void on_event(const TimelineEvent& event, FindingSink&) override { hops_.note(event); }

  void finish(FindingSink& findings) override {
    hops_.pair();
    cancels_ ? judge_cancels(findings) : judge_ids(findings);
  }

 private:
  // A cancel behind the gateway against the one in front of it that it passes on.
  void judge_cancels(FindingSink& findings) const {
    for (const HopCancel& cancel : hops_.cancels()) {
      const HopCall* hit = call_of(cancel);
      if (!hit || !hit->front) continue;  // not behind the gateway
      const HopCancel* origin = nullptr;
      bool several = false;
      for (const HopCancel& other : hops_.cancels()) {
        const bool before = other.input != cancel.input && other.at.known() && cancel.at.known() && other.at <= cancel.at && cancel.at.us - other.at.us <= kPassedOnUs;
        if (!before) continue;
        several = several || origin != nullptr;
        origin = &other;
      }
      const HopCall* meant = origin && !several ? call_of(*origin) : nullptr;
      if (!meant || !meant->behind || meant->behind == hit) continue;
      FindingDraft draft;
      draft.session = cancel.session;
      draft.requestor = Direction::client_to_server;
      draft.call = hit->call;
      draft.at = cancel.at;
      draft.fault = {Party::gateway, Certainty::proven, {},
                     fmt::format("the cancel of {} (id {}), which is {} behind it, went out for {}", meant->call.tool, meant->call.id.raw, meant->behind->call.id.raw, hit->call.id.raw)};
      draft.evidence = {origin->evidence, meant->behind->evidence, hit->evidence, cancel.evidence};
      findings.add(std::move(draft));
    }
  }

  const HopCall* call_of(const HopCancel& cancel) const {
    const auto& calls = hops_.calls();
    const auto found = std::find_if(calls.rbegin(), calls.rend(), [&](const HopCall& call) {
      return call.input == cancel.input && call.session == cancel.session && call.call.id.view() == cancel.target.view() && call.call.requested_at <= cancel.at;
    });
    return found == calls.rend() ? nullptr : &*found;
  }

  void judge_ids(FindingSink& findings) const {
    for (const HopCall& behind : hops_.calls()) {
      if (!behind.collided || !behind.front || behind.front->collided) continue;
      FindingDraft draft;
      draft.session = behind.session;
      draft.requestor = Direction::client_to_server;
      draft.call = behind.call;
      draft.at = behind.call.requested_at;
      draft.fault = {Party::gateway, Certainty::proven, {"server"},
                     fmt::format("{} came with id {} of its own and went on with {}, which another call in flight had", behind.front->call.tool, behind.front->call.id.raw, behind.call.id.raw)};
      draft.evidence = {behind.front->evidence, behind.evidence};
      findings.add(std::move(draft));
    }
  }

  bool cancels_;
  bool one_input_;
  HopCalls hops_;
};

}  // namespace

extern const DetectorEntry kGatewayMixup{"gateway_mixup", event_bits(EventKind::request, EventKind::reply, EventKind::cancel, EventKind::timeout), {"fault"}, made<GatewayMixup>};

}  // namespace mcpscan::engine
