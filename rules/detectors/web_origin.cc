// Requests of web pages that a server should have refused. The rule's `fault` parameter says which: foreign-origin (a page of another site
// reaches a server that only this machine or network should reach) or rebinding (the page's own name was bound to this machine).
// A server on a public address may serve pages of any site on purpose; nothing is told there.
// Source: MCP 2025-11-25 transports, Security Warning; protocol notes SC04 SC05.
#include <fmt/format.h>

#include "engine/net_address.h"
#include "model/detector.h"

namespace mcpscan::engine {
namespace {

using namespace model;

// The host of an origin or authority: without scheme and port, brackets removed.
std::string_view host_of(std::string_view text) {
  if (const std::size_t scheme = text.find("://"); scheme != std::string_view::npos) text.remove_prefix(scheme + 3);
  text = text.substr(0, text.find('/'));
  if (text.starts_with('[')) return text.substr(1, text.find(']') == std::string_view::npos ? text.size() : text.find(']') - 1);
  return text.substr(0, text.find(':'));
}

bool is_this_machine(std::string_view host) { return host == "localhost" || host.ends_with(".localhost") || is_loopback(host); }

class WebOrigin : public Detector {
 public:
  explicit WebOrigin(const Parameters& parameters) : rebinding_(parameters.at("fault") == "rebinding") {}

  void on_event(const TimelineEvent& event, FindingSink& findings) override {
    const HttpFacts* http = event.observation->exchange == event.exchange->id ? event.observation->http : nullptr;
    if (!http || http->origin.empty() || http->origin == "null" || event.exchange->status < 200 || event.exchange->status >= 300 || event.exchange->method == "OPTIONS") return;
    const std::string_view origin = host_of(http->origin), host = host_of(http->host), server = host_of(event.exchange->server);
    if (origin.empty() || is_this_machine(origin)) return;
    const bool own_page = origin == host;
    if (rebinding_) {
      const bool bound_here = is_loopback(server) && !is_this_machine(host) && http->forwarded_for.empty();
      if (own_page && bound_here) tell(event, origin, "it took a request for {} although it is reached at a loopback address: that name was bound to this machine by somebody else", findings);
      return;
    }
    const bool near = is_loopback(server) || is_private(server) || is_this_machine(host);
    if (!own_page && near && !host.empty()) tell(event, origin, "it carried out a request of a page from {}", findings);
  }

 private:
  static void tell(const TimelineEvent& event, std::string_view origin, const char* reason, FindingSink& findings) {
    FindingDraft draft;
    draft.session = event.session ? event.session->label : std::string();
    draft.discriminator = origin;
    draft.at = event.at;
    draft.fault = {Party::server, Certainty::strong, {}, fmt::format(fmt::runtime(reason), origin)};
    draft.evidence.push_back({event.exchange->source, {}});
    findings.add(std::move(draft));
  }

  bool rebinding_;
};

}  // namespace

extern const DetectorEntry kWebOrigin{"web_origin", event_bit(EventKind::exchange_closed), {"fault"}, made<WebOrigin>};

}  // namespace mcpscan::engine
