// Secrets in URLs, where logs, proxies and Referer lines keep them. The rule's `what` parameter says which: session or token. The value itself
// is never quoted.
// Source: RFC 6750 section 5.3; MCP 2025-11-25 "Authorization", Access Token Usage; protocol notes SC02 SC03.
#include <fmt/format.h>

#include <algorithm>

#include "model/detector.h"

namespace mcpscan::engine {
namespace {

using namespace model;

constexpr std::size_t kLongEnough = 8;  // shorter values are switches and page numbers

bool is_named(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::any_of(names.begin(), names.end(), [name](std::string_view known) {
    return name.size() == known.size() && std::equal(name.begin(), name.end(), known.begin(), [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
  });
}

bool is_session(std::string_view name) { return is_named(name, {"sessionid", "session_id", "session-id", "mcp-session-id", "mcpsessionid", "mcp_session_id"}); }

bool is_token(std::string_view name, std::string_view value) {
  const bool named = is_named(name, {"access_token", "token", "api_key", "apikey", "api-key", "key", "auth", "authorization", "bearer", "jwt", "id_token", "secret", "client_secret"});
  return named || (value.starts_with("eyJ") && std::count(value.begin(), value.end(), '.') == 2);
}

class UrlSecrets : public Detector {
 public:
  explicit UrlSecrets(const Parameters& parameters) : tokens_(parameters.at("what") == "token") {}

  void on_event(const TimelineEvent& event, FindingSink& findings) override {
    const HttpFacts* http = event.observation ? event.observation->http : nullptr;
    const std::string_view path = event.exchange ? std::string_view(event.exchange->path) : http ? http->path : std::string_view();
    const std::string_view name = secret_in(path);
    if (name.empty()) return;
    // The transport of 2024-11-05 has its session in the URL by design.
    const bool by_design = !tokens_ && http && http->session_id.empty() && (!event.session || event.session->keyed_by != SessionKeying::mcp_session_id);
    FindingDraft draft;
    draft.session = event.session ? event.session->label : std::string();
    draft.at = event.at;
    draft.discriminator = name;
    if (by_design) draft.level = Level::informational;
    draft.fault = {by_design ? Party::server : Party::client, Certainty::proven, {}, fmt::format("the URL carries {} in '{}'", tokens_ ? "a credential" : "the session", name)};
    draft.evidence.push_back({event.source, {}});
    findings.add(std::move(draft));
  }

 private:
  // The name of the first parameter that is one; empty: none.
  std::string_view secret_in(std::string_view path) const {
    std::size_t at = path.find('?');
    while (at != std::string_view::npos && at + 1 < path.size()) {
      const std::size_t end = std::min(path.find('&', at + 1), path.size());
      const std::string_view parameter = path.substr(at + 1, end - at - 1);
      const std::size_t equal = std::min(parameter.find('='), parameter.size());
      const std::string_view name = parameter.substr(0, equal), value = parameter.substr(std::min(equal + 1, parameter.size()));
      if (value.size() >= kLongEnough && (tokens_ ? is_token(name, value) : is_session(name))) return name;
      at = end == path.size() ? std::string_view::npos : end;
    }
    return {};
  }

  bool tokens_;
};

}  // namespace

extern const DetectorEntry kUrlSecrets{"url_secrets", event_bits(EventKind::exchange_opened, EventKind::exchange_summary), {"what"}, made<UrlSecrets>};

}  // namespace mcpscan::engine
