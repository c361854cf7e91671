// Credentials over plain HTTP to another machine. A capture taken behind the place where TLS ends shows the same, so only what a client's own
// record says (a HAR with an http:// URL) is an alarm; in a capture it is informational.
// Source: MCP 2025-11-25 "Authorization", Communication Security; protocol notes SC08.
#include "engine/net_address.h"
#include "model/detector.h"

namespace mcpscan::engine {
namespace {

using namespace model;

class CleartextToken : public Detector {
 public:
  void on_event(const TimelineEvent& event, FindingSink& findings) override {
    const HttpFacts* http = event.observation->http;
    if (!http || event.exchange->principal == 0 || http->scheme != Scheme::http) return;
    const std::string& server = event.exchange->server;
    const std::string_view host = std::string_view(server).substr(0, server.rfind(':'));
    if (host.starts_with("localhost") || is_loopback(host) || host == "[::1]") return;
    const bool recorded_by_client = event.exchange->peer.empty();
    FindingDraft draft;
    draft.session = event.session ? event.session->label : std::string();
    draft.at = event.at;
    if (!recorded_by_client) draft.level = Level::informational;
    draft.fault = {Party::client, recorded_by_client ? Certainty::proven : Certainty::weak, {}, "it sent its Authorization header over plain HTTP"};
    if (!recorded_by_client) draft.fault.reason += "; behind the place where TLS ends it looks the same";
    draft.evidence.push_back({event.source, {}});
    findings.add(std::move(draft));
  }
};

}  // namespace

extern const DetectorEntry kCleartextToken{"cleartext_token", event_bit(EventKind::exchange_opened), {}, made<CleartextToken>};

}  // namespace mcpscan::engine
