// One session used by several principals or from several addresses in turn. A change for good (a refreshed token, another network) is
// no sharing: only who comes back after another one shares.
// Source: MCP 2025-11-25 security best practices "Session Hijacking"; protocol notes SE05 SE06.
#include <map>
#include <string>

#include "model/detector.h"

namespace mcpscan::engine {
namespace {

using namespace model;

constexpr std::size_t kUsers = 64;

// Who used the session, in the order of their last use; `returned` once someone came back after another.
struct Users {
  std::map<std::string, std::uint64_t> last_use;
  std::string current;
  std::uint64_t clock = 0;
  bool returned = false;
  std::vector<Evidence> evidence;
  Time first;

  void note(const std::string& user, const TimelineEvent& event) {
    if (user.empty() || user == current) return;
    const bool known = last_use.contains(user);
    if (known) returned = true;
    if (!known && last_use.size() >= kUsers) return;
    last_use[user] = ++clock;
    current = user;
    if (evidence.size() < kUsers) evidence.push_back(evidence_of(event));
    if (!first.known()) first = event.at;
  }
  bool shared() const { return returned && last_use.size() > 1; }
};

class SessionShared : public Detector {
 public:
  void on_event(const TimelineEvent& event, FindingSink& findings) override {
    if (!event.session) return;
    if (event.kind == EventKind::session_finished) return flush(*event.session, findings);
    const Exchange& exchange = *event.exchange;
    if (!exchange.named_session) return;
    Seen& seen = seen_[event.session->index];
    seen.addresses.note(exchange.peer, event);
    if (exchange.principal != 0) seen.principals.note(std::to_string(exchange.principal), event);
  }

 private:
  struct Seen {
    Users addresses, principals;
  };

  static void tell(const Session& session, Users& users, const char* what, Level level, FindingSink& findings) {
    if (!users.shared()) return;
    FindingDraft draft;
    draft.detail = what;
    draft.session = session.label;
    draft.level = level;
    draft.count = users.last_use.size();
    draft.at = users.first;
    draft.evidence = std::move(users.evidence);
    draft.fault = {Party::client, Certainty::weak, {}, std::string("several ") + what + " used the session in turn; whether that is meant cannot be seen"};
    findings.add(std::move(draft));
  }

  void flush(const Session& session, FindingSink& findings) {
    const auto found = seen_.find(session.index);
    if (found == seen_.end()) return;
    tell(session, found->second.addresses, "addresses", Level::medium, findings);
    tell(session, found->second.principals, "principals", Level::critical, findings);
    seen_.erase(found);
  }

  std::map<std::uint32_t, Seen> seen_;
};

}  // namespace

extern const DetectorEntry kSessionShared{"session_shared", event_bit(EventKind::exchange_opened) | event_bit(EventKind::session_finished), {},
                                          [](const Parameters&) -> std::unique_ptr<Detector> { return std::make_unique<SessionShared>(); }};

}  // namespace mcpscan::engine
