// Messages on streams that are done, or that belong to another request. The rule's `fault` parameter says which: after-final,
// foreign-stream or resume-after-cancel. Replies are other rules' business.
// Source: MCP 2025-11-25 transports "Sending Messages to the Server", "Resumability and Redelivery"; protocol notes CH07 CH11 CA01.
#include <set>

#include "model/detector.h"

namespace mcpscan::engine {
namespace {

using namespace model;

constexpr std::size_t kCancelled = 4096;  // exchanges of cancelled calls remembered

class StreamOrder : public Detector {
 public:
  explicit StreamOrder(const Parameters& parameters)
      : breach_(parameters.at("fault") == "after-final" ? Breach::after_final : parameters.at("fault") == "foreign-stream" ? Breach::foreign_stream : Breach::resumed) {}

  std::uint32_t wants() const override {
    return breach_ == Breach::resumed ? event_bits(EventKind::cancel, EventKind::timeout, EventKind::exchange_opened) : event_bits(EventKind::notification, EventKind::request);
  }

  void on_event(const TimelineEvent& event, FindingSink& findings) override {
    switch (breach_) {
      case Breach::after_final: return after_final(event, findings);
      case Breach::foreign_stream: return foreign_stream(event, findings);
      case Breach::resumed: return resumed(event, findings);
    }
  }

 private:
  enum class Breach : std::uint8_t { after_final, foreign_stream, resumed };

  static bool from_server(const TimelineEvent& event) { return event.exchange && event.observation->direction == Direction::server_to_client; }

  static void after_final(const TimelineEvent& event, FindingSink& findings) {
    if (!from_server(event)) return;
    const Exchange& exchange = *event.exchange;
    if (!exchange.is_sse || exchange.stream != StreamKind::post || exchange.calls.empty() || exchange.replies < exchange.calls.size()) return;
    tell(event, event.call, {Party::server, Certainty::strong, {}, "it sent a message on a stream whose last response was out"}, findings);
  }

  // Progress of a call belongs on the stream of its request, or on one that resumes it; of several calls under one token nothing tells which is meant.
  static void foreign_stream(const TimelineEvent& event, FindingSink& findings) {
    if (!from_server(event) || event.fitting > 1 || !event.call || event.call->exchange == 0 || event.call->exchange == event.exchange->id) return;
    const StreamKind stream = event.exchange->stream;
    if (stream != StreamKind::post && stream != StreamKind::get_standalone) return;
    const bool stands = event.call->stream_ended == CloseReason::open;
    if (stands) tell(event, event.call, {Party::server, Certainty::strong, {}, "it reported progress on another stream than that of the request"}, findings);
  }

  void resumed(const TimelineEvent& event, FindingSink& findings) {
    if (event.kind == EventKind::cancel || event.kind == EventKind::timeout) {
      if (!event.call || event.call->exchange == 0) return;
      if (cancelled_.size() >= kCancelled) cancelled_.clear();
      cancelled_.insert(event.call->exchange);
    } else if (event.kind == EventKind::exchange_opened && event.exchange->resumes != 0 && cancelled_.contains(event.exchange->resumes)) {
      tell(event, nullptr, {Party::client, Certainty::strong, {}, "it asked for the rest of a stream whose request it had cancelled"}, findings);
    }
  }

  static void tell(const TimelineEvent& event, const Call* call, Fault fault, FindingSink& findings) {
    FindingDraft draft;
    draft.session = event.session ? event.session->label : std::string();
    draft.at = event.at;
    draft.fault = std::move(fault);
    if (call) draft.call = finding_call(*call);
    draft.evidence.push_back(evidence_of(event));
    findings.add(std::move(draft));
  }

  Breach breach_;
  std::set<std::uint64_t> cancelled_;
};

}  // namespace

extern const DetectorEntry kStreamOrder{"stream_order",
                                        event_bits(EventKind::notification, EventKind::request, EventKind::cancel, EventKind::timeout, EventKind::exchange_opened), {"fault"},
                                        made<StreamOrder>};

}  // namespace mcpscan::engine
