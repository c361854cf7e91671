// One session used by several principals or from several addresses in turn. A change for good (a refreshed token, another network) is
// no sharing: only who comes back after another one shares. And one session behind a gateway that carries the calls of several users.
// Source: MCP 2025-11-25 security best practices "Session Hijacking"; protocol notes SE05 SE06.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/by_input.h"
#include "engine/by_session.h"
#include "engine/hop_calls.h"
#include "model/detector.h"

namespace mcpscan::engine {
namespace {

using namespace model;

constexpr std::size_t kUsers = 64;
constexpr std::size_t kRuns = 64;  // of one session, whose exchanges may still be refused

// Who used the session, in runs of one user each. Who is refused has not used it: a stranger's try, or calls under way while a token is renewed,
// which come with the old one once more. So a run whose exchanges were all refused goes, and what stood around it is one.
template <typename User>
class Users {
 public:
  void note(const User& user, const TimelineEvent& event) {
    if (user == User{}) return;
    const std::uint64_t exchange = event.exchange->id;
    if (!runs_.empty() && runs_.back().user == user) {
      ++runs_.back().uses;
      runs_.back().lowest = std::min(runs_.back().lowest, exchange);
      return;
    }
    if (runs_.size() == kRuns) settle(kRuns / 2);
    runs_.push_back({user, exchange, 1, {}, event.at});
    if (evidence_.size() < kUsers) runs_.back().evidence = evidence_of(event);
  }

  void take_back(const User& user, std::uint64_t exchange) {
    const auto of_it = [&](const Run& run) { return run.user == user && run.lowest <= exchange; };
    const auto found = std::find_if(runs_.rbegin(), runs_.rend(), of_it);
    if (found == runs_.rend() || --found->uses > 0) return;
    const auto behind = runs_.erase(found.base() - 1);
    if (behind == runs_.begin() || behind == runs_.end() || behind->user != (behind - 1)->user) return;
    (behind - 1)->uses += behind->uses;
    runs_.erase(behind);
  }

  void settle() { settle(runs_.size()); }

  // Of what is settled. A change for good is no sharing.
  bool shared() const { return returned_; }
  std::size_t count() const { return users_.size(); }
  Time first() const { return first_; }
  std::vector<Evidence>& evidence() { return evidence_; }

 private:
  struct Run {
    User user;
    std::uint64_t lowest;     // of its exchanges
    std::uint64_t uses;
    Evidence evidence;        // of the first kUsers runs
    Time at;
  };

  void settle(std::size_t count) {
    const auto end = runs_.begin() + static_cast<std::ptrdiff_t>(count);
    for (auto run = runs_.begin(); run != end; ++run) {
      if (run->user == last_) continue;
      const bool known = users_.contains(run->user);
      if (!known && users_.size() >= kUsers) continue;
      if (users_.empty()) first_ = run->at;
      if (!known) users_.insert(run->user);
      returned_ = returned_ || known;
      last_ = run->user;
      if (evidence_.size() < kUsers) evidence_.push_back(std::move(run->evidence));
    }
    runs_.erase(runs_.begin(), end);
  }

  std::vector<Run> runs_;
  std::set<User> users_;
  User last_{};
  bool returned_ = false;   // someone came back after another
  std::vector<Evidence> evidence_;
  Time first_;
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
    seen.principals.note(exchange.principal, event);
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
    Users<std::string> addresses;
    Users<std::uint64_t> principals;

    void refuse(const Exchange& exchange) {
      if (exchange.status < 400 || exchange.status >= 500) return;
      addresses.take_back(exchange.peer, exchange.id);
      principals.take_back(exchange.principal, exchange.id);
    }
  };

  template <typename User>
  void tell(const Session& session, Users<User>& users, const char* what, Level level, FindingSink& findings) {
    users.settle();
    if (!users.shared()) return;
    std::uint64_t& told = told_[session.label + '\x1f' + what];  // the same users, at another hop
    if (users.count() <= told) return;
    FindingDraft draft;
    draft.detail = what;
    draft.session = session.label;
    draft.level = level;
    draft.count = users.count() - std::exchange(told, users.count());
    draft.at = users.first();
    draft.evidence = std::move(users.evidence());
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
