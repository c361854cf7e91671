// Content types that the peers of Streamable HTTP cannot work with: a request that is not JSON, and an answer that is neither JSON nor an
// event stream.
// Source: MCP 2025-11-25 transports "Sending Messages to the Server"; protocol notes HT02.
#include <fmt/format.h>

#include "engine/other_body.h"
#include "model/detector.h"
#include "model/media_type.h"

namespace mcpscan::engine {
namespace {

using namespace model;

class ContentType : public Detector {
 public:
  void on_event(const TimelineEvent& event, FindingSink& findings) override {
    const HttpFacts* http = event.observation->exchange == event.exchange->id ? event.observation->http : nullptr;
    if (!http || http->content_type.empty()) return;
    const Exchange& exchange = *event.exchange;
    if (event.kind == EventKind::exchange_opened) {
      if (exchange.method == "POST" && !is_json_type(http->content_type)) tell(event, {Party::client, Certainty::proven, {}, fmt::format("it sent a message as {}", http->content_type)}, findings);
      return;
    }
    const bool answer = exchange.method == "POST" && exchange.carries_request && exchange.status == 200;
    const OtherBody body = answer ? other_body(http->content_type) : OtherBody::none;
    if (body != OtherBody::none) tell(event, fault_of(body, fmt::format("it answered a request as {}", http->content_type)), findings);
  }

 private:
  static void tell(const TimelineEvent& event, Fault fault, FindingSink& findings) {
    FindingDraft draft;
    draft.session = event.session ? event.session->label : std::string();
    draft.discriminator = event.kind == EventKind::exchange_opened ? "request" : "answer";
    draft.at = event.at;
    if (event.call) draft.call = finding_call(*event.call);
    draft.fault = std::move(fault);
    draft.evidence.push_back({event.exchange->source, {}});
    findings.add(std::move(draft));
  }
};

}  // namespace

extern const DetectorEntry kContentType{"content_type", event_bits(EventKind::exchange_opened, EventKind::exchange_closed), {}, made<ContentType>};

}  // namespace mcpscan::engine
