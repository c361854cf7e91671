// One session used by several principals or from several addresses in turn. A change for good (a refreshed token, another network) is
// no sharing: only who comes back after another one shares. And one session behind a gateway that carries the calls of several users.
// Source: MCP 2025-11-25 security best practices "Session Hijacking"; protocol notes SE05 SE06.
#include <map>
#include <string>
#include <utility>

#include "engine/by_input.h"
#include "engine/by_session.h"
#include "engine/hop_calls.h"
#include "model/detector.h"

namespace mcpscan::engine {
namespace {

using namespace model;

constexpr std::size_t kUsers = 64;

// Who used the session, in the order of their last use; `returned` once someone came back after another.
struct Users {
  std::map<std::string, std::uint64_t> last_use;
  std::string current, before;
  std::uint64_t clock = 0;
  std::uint64_t returned_in = 0;   // the exchange that did, after `before`
  bool returned = false;
  std::vector<Evidence> evidence;
  Time first;

  void note(const std::string& user, const TimelineEvent& event) {
    if (user.empty() || user == current) return;
    const bool known = last_use.contains(user);
    if (!known && last_use.size() >= kUsers) return;
    if (known && !returned) returned = true, returned_in = event.exchange->id, before = current;
    last_use[user] = ++clock;
    current = user;
    if (evidence.size() < kUsers) evidence.push_back(evidence_of(event));
    if (!first.known()) first = event.at;
  }
  // Who is refused has not used the session: calls under way while a token is renewed come with the old one once more.
  void take_back(std::uint64_t exchange) {
    if (!returned || returned_in != exchange) return;
    returned = false;
    current = before;
  }
  bool shared() const { return returned && last_use.size() > 1; }
};

class SessionShared : public Detector {
 public:
  explicit SessionShared(const Parameters& parameters) : one_input_(one_input(parameters)) {}

  std::uint32_t wants() const override { return one_input_ ? ~event_bits(EventKind::request, EventKind::reply) : ~0u; }

  void on_event(const TimelineEvent& event, FindingSink& findings) override {
    if (!event.session) return;
    if (event.kind == EventKind::session_finished) return flush(event, findings);
    if (event.kind == EventKind::request || event.kind == EventKind::reply) return hops_.note(event);
    const Exchange& exchange = *event.exchange;
    if (!exchange.named_session) return;
    Seen& seen = seen_[event.session->index][event.source.input];
    if (event.kind == EventKind::exchange_closed) return seen.refuse(exchange);
    seen.addresses.note(exchange.peer, event);
    if (exchange.principal == 0 || exchange.principal == seen.principal) return;
    seen.principal = exchange.principal;
    seen.principals.note(std::to_string(exchange.principal), event);
  }

  void finish(FindingSink& findings) override {
    hops_.pair();
    std::map<std::pair<std::uint32_t, std::string>, std::map<std::uint64_t, const HopCall*>> pools;
    for (const HopCall& call : hops_.calls()) {
      if (call.behind && call.user != 0) pools[{call.behind->input, call.behind->session}].emplace(call.user, &call);
    }
    for (const auto& [session, users] : pools) tell_pool(session.second, users, findings);
  }

 private:
  struct Seen {
    Users addresses, principals;
    std::uint64_t principal = 0;  // the current one

    void refuse(const Exchange& exchange) {
      if (exchange.status != 401 && exchange.status != 403) return;
      principals.take_back(exchange.id);
      if (exchange.principal == principal) principal = 0;
    }
  };

  void tell(const Session& session, Users& users, const char* what, Level level, FindingSink& findings) {
    if (!users.shared()) return;
    std::uint64_t& told = told_[session.label + '\x1f' + what];  // the same users, at another hop
    if (users.last_use.size() <= told) return;
    FindingDraft draft;
    draft.detail = what;
    draft.session = session.label;
    draft.level = level;
    draft.count = users.last_use.size() - std::exchange(told, users.last_use.size());
    draft.at = users.first;
    draft.evidence = std::move(users.evidence);
    draft.fault = {Party::client, Certainty::weak, {}, std::string("several ") + what + " used the session in turn; whether that is meant cannot be seen"};
    findings.add(std::move(draft));
  }

  void flush(const TimelineEvent& event, FindingSink& findings) {
    const Session& session = *event.session;
    const auto seen = seen_.take(session.index);
    if (!seen) return;
    const auto found = seen->find(event.source.input);
    if (found == seen->end()) return;
    tell(session, found->second.addresses, "addresses", Level::medium, findings);
    tell(session, found->second.principals, "principals", Level::critical, findings);
  }

  // Users in front of a gateway whose calls went on in one session.
  void tell_pool(const std::string& session, const std::map<std::uint64_t, const HopCall*>& users, FindingSink& findings) const {
    if (users.size() < 2) return;
    FindingDraft draft;
    draft.detail = "principals";
    draft.session = session;
    draft.level = Level::critical;
    draft.count = users.size();
    draft.at = users.begin()->second->call.requested_at;
    for (const auto& [user, call] : users) draft.evidence.insert(draft.evidence.end(), {call->evidence, call->behind->evidence});
    draft.fault = {Party::gateway, Certainty::strong, {}, "it carries the calls of several users in one session behind it: what a server keeps by session is shared by them"};
    findings.add(std::move(draft));
  }

  BySession<ByInput<Seen>> seen_;
  std::map<std::string, std::uint64_t> told_;                     // by session and what; how many users
  bool one_input_;
  HopCalls hops_;
};

}  // namespace

extern const DetectorEntry kSessionShared{"session_shared", event_bits(EventKind::exchange_opened, EventKind::exchange_closed, EventKind::request, EventKind::reply, EventKind::session_finished), {}, made<SessionShared>};

}  // namespace mcpscan::engine
