// What the two sides agreed on against what they use. The rule's `fault` parameter says which: capability (a method whose capability the
// other side did not declare) or revision (a method that the revision in use does not have). One finding a session and method.
// Source: MCP 2025-11-25 "Lifecycle", Capability Negotiation; schemas of all revisions; protocol notes LC06 LC07 LC12.
#include <fmt/format.h>

#include <array>

#include "engine/by_session.h"
#include "engine/message_json.h"
#include "model/detector.h"

namespace mcpscan::engine {
namespace {

using namespace model;

struct MethodFacts {
  std::string_view method;       // or its beginning, where it ends in '/'
  const char* capability;        // pointer in the capabilities of the side that is asked; null: none needed
  std::string_view since, until; // revisions, the first one with it and the first one without; empty: always
};
constexpr std::array<MethodFacts, 22> kMethods{{
    {"tools/", "/tools", {}, {}},
    {"prompts/", "/prompts", {}, {}},
    {"resources/subscribe", "/resources/subscribe", {}, "2026-07-28"},
    {"resources/unsubscribe", "/resources/subscribe", {}, "2026-07-28"},
    {"resources/", "/resources", {}, {}},
    {"logging/setLevel", "/logging", {}, "2026-07-28"},
    {"sampling/createMessage", "/sampling", {}, "2026-07-28"},
    {"roots/list", "/roots", {}, "2026-07-28"},
    {"elicitation/create", "/elicitation", "2025-06-18", "2026-07-28"},
    {"tasks/list", "/tasks", "2025-11-25", "2026-07-28"},
    {"tasks/result", "/tasks", "2025-11-25", "2026-07-28"},
    {"tasks/get", nullptr, "2025-11-25", {}},
    {"tasks/cancel", nullptr, "2025-11-25", {}},
    {"tasks/update", nullptr, "2026-07-28", {}},
    {"subscriptions/listen", nullptr, "2026-07-28", {}},
    {"initialize", nullptr, {}, "2026-07-28"},
    {"ping", nullptr, {}, "2026-07-28"},
    {"completion/complete", "/completions", {}, {}},
    {"notifications/initialized", nullptr, {}, "2026-07-28"},
    {"notifications/roots/list_changed", nullptr, {}, "2026-07-28"},
    {"notifications/tasks/status", nullptr, "2025-11-25", {}},
    {"notifications/elicitation/complete", nullptr, "2025-11-25", {}},
}};

const MethodFacts* facts_of(std::string_view method) {
  for (const MethodFacts& facts : kMethods) {
    if (facts.method.ends_with('/') ? method.starts_with(facts.method) : method == facts.method) return &facts;
  }
  return nullptr;
}

std::uint32_t bit_of(const MethodFacts& facts) { return 1u << (&facts - kMethods.data()); }

class ProtocolUse : public Detector {
 public:
  explicit ProtocolUse(const Parameters& parameters) : capability_(parameters.at("fault") == "capability") {}

  std::uint32_t wants() const override { return capability_ ? ~0u : event_bits(EventKind::request, EventKind::notification); }

  void on_event(const TimelineEvent& event, FindingSink& findings) override {
    if (event.kind == EventKind::session_finished) return void(declared_.erase(event.session->index));
    const RpcMessage* message = event.observation ? event.observation->message : nullptr;
    if (!message || !event.session) return;
    if (event.kind == EventKind::reply) {
      if (capability_ && event.call && event.call->method == kInitialize && message->kind == MessageKind::result) declare(event, *message, "/result/capabilities", true);
      return;
    }
    if (capability_ && message->method == kInitialize) return declare(event, *message, "/params/capabilities", false);
    const MethodFacts* facts = facts_of(message->method);
    if (facts) capability_ ? judge_capability(event, *message, *facts, findings) : judge_revision(event, *message, *facts, findings);
  }

 private:
  struct Declared {
    std::uint32_t of_client = 0, of_server = 0;  // a bit for each of kMethods whose capability was declared
    bool client_known = false, server_known = false;
  };

  void declare(const TimelineEvent& event, const RpcMessage& message, const std::string& where, bool server) {
    if (!json_.read(message) || !json_.at(where)) return;
    Declared& declared = declared_[event.session->index];
    std::uint32_t& bits = server ? declared.of_server : declared.of_client;
    (server ? declared.server_known : declared.client_known) = true;
    for (const MethodFacts& facts : kMethods) {
      if (!facts.capability) continue;
      const auto value = json_.at(where + facts.capability);
      if (value && !value->is_null() && !(value->is_bool() && !bool(*value))) bits |= bit_of(facts);
    }
  }

  // From 2025-06-18 on a MUST, a recommendation before; completion needed no flag in the first revision.
  void judge_capability(const TimelineEvent& event, const RpcMessage& message, const MethodFacts& facts, FindingSink& findings) {
    const Declared* const declared = declared_.find(event.session->index);
    if (!facts.capability || !declared || event.kind != EventKind::request || event.modern || event.session->mixed) return;
    const bool by_client = event.observation->direction != Direction::server_to_client;
    const std::string& version = event.session->protocol_version;
    if (message.method == "completion/complete" && version <= "2024-11-05") return;
    if (!(by_client ? declared->server_known : declared->client_known) || ((by_client ? declared->of_server : declared->of_client) & bit_of(facts)) != 0) return;
    FindingDraft draft = draft_for(event, message, by_client);
    if (version < "2025-06-18") draft.level = Level::low;
    draft.fault.reason = fmt::format("it used {}, which the {} had not declared", message.method, by_client ? "server" : "client");
    findings.add(std::move(draft));
  }

  void judge_revision(const TimelineEvent& event, const RpcMessage& message, const MethodFacts& facts, FindingSink& findings) const {
    const bool handshake = message.method == kInitialize || message.method == "notifications/initialized";
    if (handshake || (!event.modern && !event.session->initialize_answered)) return;  // what is agreed on is not known yet
    const std::string_view version = event.modern ? std::string_view("2026-07-28") : std::string_view(event.session->protocol_version);
    if (version.empty() || event.session->mixed) return;
    const bool too_early = !facts.since.empty() && version < facts.since, too_late = !facts.until.empty() && version >= facts.until;
    if (!too_early && !too_late) return;
    FindingDraft draft = draft_for(event, message, event.observation->direction != Direction::server_to_client);
    draft.fault.reason = fmt::format("it used {} in revision {}, which {}", message.method, version, too_early ? "does not have it yet" : "does not have it any more");
    findings.add(std::move(draft));
  }

  static FindingDraft draft_for(const TimelineEvent& event, const RpcMessage& message, bool by_client) {
    FindingDraft draft;
    draft.session = event.session->label;
    draft.requestor = by_client ? Direction::client_to_server : Direction::server_to_client;
    draft.discriminator = message.method;
    draft.at = event.at;
    if (event.call) draft.call = finding_call(*event.call);
    draft.fault = {by_client ? Party::client : Party::server, Certainty::strong, {}, {}};
    draft.evidence.push_back(evidence_of(event));
    return draft;
  }

  bool capability_;
  MessageJson json_;
  BySession<Declared> declared_;
};

}  // namespace

extern const DetectorEntry kProtocolUse{"protocol_use", event_bits(EventKind::request, EventKind::reply, EventKind::notification, EventKind::session_finished), {"fault"}, made<ProtocolUse>};

}  // namespace mcpscan::engine
