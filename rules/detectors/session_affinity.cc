// A session that one replica knows and another does not: refused and answered in turn within a short time, in one log or in those of two
// replicas, of which one only answers it and the other only refuses it; or refused once, by a server that never answered for it.
// Source: MCP 2025-11-25 transports "Session Management"; protocol notes SE03.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "engine/by_input.h"
#include "engine/by_session.h"
#include "engine/session_refusal.h"
#include "engine/session_servers.h"
#include "model/detector.h"
#include "session/session_table.h"

namespace mcpscan::engine {
namespace {

using namespace model;

class SessionAffinity : public Detector {
 public:
  explicit SessionAffinity(const Parameters& parameters) : one_input_(one_input(parameters)), window_us_(duration_parameter(parameters, "window_s", kSecond)) {}

  void on_event(const TimelineEvent& event, FindingSink& findings) override {
    if (!event.session) return;
    if (event.kind == EventKind::session_finished) return flush(event, findings);
    const bool summary = event.kind == EventKind::exchange_summary;
    const unsigned status = summary ? event.observation->http->status : event.exchange->status;
    const HttpFacts* http = event.observation->http;
    const std::string_view method = summary ? http->method : std::string_view(event.exchange->method);
    const bool refused = refuses_session(method, status, http ? http->refusal : std::string_view());
    const bool answered = status >= 200 && status < 300 && !refused;
    if (answered) servers_.note_answer(event);
    if (!summary && !event.exchange->named_session) return;
    if (refused) servers_.note_refusal(event);
    else if (!answered) return;
    if (!refused && refused_last(event)) return;
    note(event, refused, refused && speaks(event));
  }

  void finish(FindingSink& findings) override {
    for (const auto& [id, replicas] : replicas_) tell_replicas(replicas, findings);
    const bool sure = strays_.size() > 1 && !servers_.forgets();
    for (FindingDraft& draft : strays_) tell_stray(std::move(draft), sure, findings);
    strays_.clear();
  }

 private:
  struct Sighting {
    Time at;
    bool refused = false;
    Evidence evidence;
  };
  struct Seen {
    std::string id;
    bool refused = false, any = false;
    bool told = false;  // some refusal was more than a bare status
    Time last;
    std::uint64_t flips = 0;
    std::vector<Evidence> evidence;
    Time first_flip;
    Vantage vantage = Vantage::unknown;
    std::vector<Sighting> sightings;  // while they are all alike, and where there may be another replica's log
  };
  struct Replicas {
    std::string label;
    std::vector<Seen> all;
  };

  // In JSON-RPC, or of the session.
  static bool speaks(const TimelineEvent& event) {
    const std::string_view body = event.observation->http ? event.observation->http->refusal : std::string_view();
    return (event.exchange && event.exchange->replies > 0) || tells_lost_session(body) || says_not_initialized(body);
  }

  bool refused_last(const TimelineEvent& event) {
    const Seen& seen = seen_[event.session->index][event.source.input];
    return seen.refused && asked_before(event, seen.last);
  }

  void note(const TimelineEvent& event, bool refused, bool told) {
    Seen& seen = seen_[event.session->index][event.source.input];
    if (!seen.any) seen.id = event.session->id;
    seen.vantage = event.observation->vantage;
    if (!one_input_ && event.at.known() && seen.sightings.size() < kEvidence) seen.sightings.push_back({event.at, refused, evidence_of(event)});
    const bool near = !seen.last.known() || !event.at.known() || event.at.us - seen.last.us <= window_us_;
    if (seen.any && seen.refused != refused && near) {
      if (++seen.flips == 1) seen.first_flip = event.at;
      seen.evidence.push_back(evidence_of(event));
      if (seen.evidence.size() > kEvidence) seen.evidence.pop_back();
    }
    seen.any = true;
    seen.told = seen.told || told;
    seen.refused = refused;
    seen.last = event.at;
  }

  void flush(const TimelineEvent& event, FindingSink& findings) {
    const auto inputs = seen_.take(event.session->index);
    bool told = false;
    if (inputs) {
      for (auto& [input, seen] : *inputs) {
        if (!seen.id.empty() && seen.id != event.session->id) {  // of another input's session that has the same number
          seen_[event.session->index][input] = std::move(seen);
          continue;
        }
        told = told || seen.flips >= 2;
        if (seen.flips >= 2) tell(event.session->label, seen.flips, seen.first_flip, std::move(seen.evidence), seen.told || seen.flips > 2, findings);
        else if (seen.flips == 0) keep(*event.session, std::move(seen));
      }
    }
    SessionServers::OfId* const strays = servers_.strays_of(*event.session);
    if (strays && !told && !strays->told) hold_stray(event.session->label, *strays, findings);
    if (strays) strays->told = true;
    servers_.forget(*event.session);
  }

  void hold_stray(const std::string& session, const SessionServers::OfId& id, FindingSink& findings) {
    FindingDraft draft;
    draft.session = session;
    draft.count = id.strayed;
    draft.at = id.first_stray;
    draft.evidence = id.strays;
    strays_.size() < kSessions ? strays_.push_back(std::move(draft)) : tell_stray(std::move(draft), !servers_.forgets(), findings);
  }

  // Of one session alone, or where others are forgotten, both may be the same service, which has forgotten it.
  static void tell_stray(FindingDraft draft, bool sure, FindingSink& findings) {
    draft.fault = {Party::network, sure ? Certainty::strong : Certainty::weak, {"server"}, "the session was sent to a server that had never answered for it, while the one that had was still there: a load balancer does not keep sessions together"};
    findings.add(std::move(draft));
  }

  void keep(const Session& session, Seen seen) {
    if (seen.sightings.empty() || session.id.empty()) return;
    const std::string id = session::normalise_session_id(session.id);
    if (replicas_.size() >= kSessions && !replicas_.contains(id)) return;
    Replicas& replicas = replicas_[id];
    replicas.label = session.label;
    if (replicas.all.size() < kReplicas) replicas.all.push_back(std::move(seen));
  }

  // Each log is of one mind about the session, and they do not agree.
  void tell_replicas(const Replicas& replicas, FindingSink& findings) const {
    std::vector<const Sighting*> all;
    for (const Seen& seen : replicas.all) {
      if (seen.vantage != replicas.all.front().vantage) return;  // another hop shows the same exchanges
      for (const Sighting& each : seen.sightings) all.push_back(&each);
    }
    std::stable_sort(all.begin(), all.end(), [](const Sighting* a, const Sighting* b) { return a->at < b->at; });
    std::uint64_t flips = 0;
    Time first;
    std::vector<Evidence> evidence;
    for (std::size_t i = 1; i < all.size(); ++i) {
      if (all[i]->refused == all[i - 1]->refused || all[i]->at.us - all[i - 1]->at.us > window_us_) continue;
      if (++flips == 1) first = all[i]->at;
      if (evidence.size() < kEvidence) evidence.push_back(all[i]->evidence);
    }
    if (flips >= 2) tell(replicas.label, flips, first, std::move(evidence), true, findings);
  }

  // A bare 404 that came once between answers may as well be that of a proxy that had no route for a moment.
  static void tell(const std::string& session, std::uint64_t flips, Time first, std::vector<Evidence> evidence, bool certain, FindingSink& findings) {
    FindingDraft draft;
    draft.session = session;
    draft.count = flips;
    draft.at = first;
    draft.evidence = std::move(evidence);
    draft.fault = {Party::network, Certainty::strong, {"server"}, "a load balancer sends one session to several replicas, of which only one knows it"};
    if (!certain) {
      draft.level = Level::informational;
      draft.fault = {Party::unknown, Certainty::undetermined, {"network", "server"}, "it was answered and refused in turn only once, without a word about the session: by a replica that does not know it, or by a proxy that had no route for a moment"};
    }
    findings.add(std::move(draft));
  }

  static constexpr std::size_t kEvidence = 50, kReplicas = 16, kSessions = 4096;
  bool one_input_;
  std::int64_t window_us_;
  BySession<ByInput<Seen>> seen_;
  SessionServers servers_;
  std::vector<FindingDraft> strays_;  // until it is known how many sessions were sent elsewhere
  std::map<std::string, Replicas> replicas_;
};

}  // namespace

extern const DetectorEntry kSessionAffinity{"session_affinity",
                                            event_bit(EventKind::exchange_summary) | event_bit(EventKind::exchange_closed) | event_bit(EventKind::session_finished),
                                            {"window_s"},
                                            [](const Parameters& parameters) -> std::unique_ptr<Detector> { return std::make_unique<SessionAffinity>(parameters); }};

}  // namespace mcpscan::engine
