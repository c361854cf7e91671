// Concurrent calls that were worked off one after the other: sent together, finished in the order they came, at the distance of what each
// takes by itself: an even one, or what its tool took when nothing ran beside it. A slow backend is something else: there calls wait together
// and are finished together. Names the head call; with calls that timed out behind it the level is high.
// A short wave looks so by chance once in some hundred: it is told only where at least half of the server's waves look so.
// Not told: requests of one HTTP/1.1 connection, which the protocol itself puts in a row; calls whose durations differ by nature.
// Source: protocol notes TM02 TM03.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <unordered_map>

#include "engine/overlap_group.h"
#include "model/detector.h"

namespace mcpscan::engine {
namespace {

using namespace model;

constexpr std::size_t kFewest = 4;                       // calls of a group, and replies that show the pace
constexpr std::size_t kFewestBeforeTimeout = 3;          // replies, where those behind them were given up
constexpr std::size_t kMost = 256;                       // calls of a group looked at
constexpr double kEvenness = 0.2;                        // standard deviation of the distances, against their mean
constexpr double kHeadTolerance = 0.35;                  // the first call's own time, against that mean
constexpr std::int64_t kShortestPaceUs = 50 * kMillisecond;  // below this, scheduling looks the same
constexpr double kOwnTolerance = 0.35;                   // a distance against what its tool takes alone
constexpr double kQueued = 1.5;                          // times what its tool takes alone: longer than that, a call waited for others
constexpr std::size_t kAlone = 15;                       // durations of a tool's lone calls that are kept, the last ones
constexpr std::size_t kToolsKnown = 256;                 // tools of a server
constexpr std::size_t kSure = 6;                         // replies in exact order at such a pace: chance makes 1 wave in 10^5 look so
constexpr std::size_t kMostHeld = 2048;                  // findings held until it is known how usual such a wave is
constexpr std::int64_t kPatience = 2;                    // client timeouts after which a call is nobody's any more

struct Member {
  std::uint32_t handle = 0;
  std::uint64_t connection = 0;
  const Call* asked = nullptr;  // while it is open
  FindingCall call;             // the tool; the rest by describe(), as few calls are ever told of
  Evidence evidence;
  Time requested, finished;
  bool answered = false, open = false, timed_out = false;
};
using Group = OverlapGroup<Member>;

class SerializedCalls : public Detector {
 public:
  explicit SerializedCalls(const Parameters& parameters) : groups_(kMost, kPatience * duration_parameter(parameters, "client_timeout_s", kSecond)) {}

  void on_event(const TimelineEvent& event, FindingSink& findings) override {
    if (event.kind == EventKind::session_finished) return close(*event.session, findings);
    if (event.kind == EventKind::notice) return note_lock(event, findings);
    if (!event.call || event.call->requestor != Direction::client_to_server || event.call->method != kToolsCall || !event.at.known()) return;
    if (event.kind == EventKind::request) return join(event, findings);
    Group* group = groups_.find(event.session->index);
    Member* member = group ? group->find_open(event.call->handle) : nullptr;
    if (!member) return;
    member->finished = event.at;
    member->answered = event.kind == EventKind::reply && event.verdict == ReplyVerdict::answer;
    member->timed_out = event.kind == EventKind::call_closed && (event.call->closed == CloseReason::timed_out || event.call->closed == CloseReason::client_closed);
    const bool after_first = member->answered && group->used < kFewest;  // none that comes from now on was sent before the first was finished
    if (!after_first) describe(*member);
    group->close(*member);
    if (group->open == 0) close(*event.session, findings);
  }

  void finish(FindingSink& findings) override {
    for (auto& [server, waves] : waves_of_) settle(waves, findings);
  }

 private:
  // What calls took that nothing ran beside, the last ones, in no order.
  struct Alone {
    std::vector<std::int64_t> took;
    std::size_t next = 0;

    void add(std::int64_t us) {
      if (took.size() < kAlone) return took.push_back(us);
      took[next] = us;
      next = (next + 1) % kAlone;
    }
  };
  // What is held back of one server, and how usual it is.
  struct Waves {
    std::size_t seen = 0, paced = 0;
    std::vector<FindingDraft> held;
    std::unordered_map<std::string, Alone> alone;  // by tool
  };
  struct Holder : FindingSink {
    explicit Holder(std::vector<FindingDraft>& into) : held(into) {}
    void add(FindingDraft draft) override { held.push_back(std::move(draft)); }
    std::vector<FindingDraft>& held;
  };

  // A gateway's own statement that it holds a call back because its id is in flight: the workaround for clients that use one id.
  static void note_lock(const TimelineEvent& event, FindingSink& findings) {
    if (event.observation->notice->kind != NoticeKind::call_serialized || !event.session) return;
    FindingDraft draft;
    draft.session = event.session->label;
    draft.requestor = Direction::client_to_server;
    draft.discriminator = "lock per id";
    draft.detail = "held back by a lock per id";
    draft.at = event.at;
    draft.evidence.push_back(evidence_of(event));
    draft.fault = {Party::gateway, Certainty::proven, {"client"}, "it holds calls back while their id is in flight, so that calls of one id wait for each other"};
    if (event.call) draft.call = finding_call(*event.call);
    findings.add(std::move(draft));
  }

  void join(const TimelineEvent& event, FindingSink& findings) {
    Member* const room = groups_.join(event.session->index, event.at, [](Member& overdue) { describe(overdue); }, [&](Group& group) { judge(*event.session, group, findings); });
    if (!room) return;
    Member& member = *room;
    const Call& call = *event.call;
    member.handle = call.handle;
    member.connection = event.exchange ? event.exchange->connection : 0;
    member.asked = &call;
    member.call.tool.assign(call.target);
    member.finished = Time{};
    member.answered = member.timed_out = false;
  }

  static void describe(Member& member) {
    reuse(member.call, *member.asked, member.requested);
    member.evidence.source = member.asked->source;
    member.evidence.text = member.asked->head;
  }

  void close(const Session& session, FindingSink& findings) {
    if (Group* group = groups_.find(session.index)) judge(session, *group, findings);
    groups_.end(session.index);
  }

  // One wave: calls sent before the first of them was finished, on connections of their own.
  void judge(const Session& session, Group& group, FindingSink& findings) {
    if (group.used == 1) return learn(waves_of_[session.server_endpoint], group.members[0]);
    if (group.used < kFewest) return;
    for (std::size_t i = 0; i < group.used; ++i) {
      if (group.members[i].open) describe(group.members[i]);
    }
    const std::vector<const Member*> wave = wave_of(group);
    if (wave.size() < kFewest) return;
    const auto answered = static_cast<std::size_t>(std::count_if(wave.begin(), wave.end(), [](const Member* member) { return member->answered; }));
    const bool timed_out = std::any_of(wave.begin(), wave.end(), [](const Member* member) { return member->timed_out; });
    if (answered < (timed_out ? kFewestBeforeTimeout : kFewest)) return;
    Waves& waves = waves_of_[session.server_endpoint];
    ++waves.seen;
    std::int64_t pace = even_pace(wave);
    if (answered < kFewest && exceptions(wave) > 0) pace = 0;
    const bool queued = pace == 0 && is_queue(wave, waves);
    if (pace == 0 && !queued) return;
    ++waves.paced;
    if ((timed_out && !queued) || (answered >= kSure && exceptions(wave) == 0)) return tell(session, wave, pace, findings);
    Holder held(waves.held);
    tell(session, wave, pace, held);
    if (waves.held.size() >= kMostHeld) settle(waves, findings);
  }

  static std::vector<const Member*> wave_of(const Group& group) {
    std::vector<const Member*> members, wave;
    for (std::size_t i = 0; i < group.used; ++i) members.push_back(&group.members[i]);
    std::sort(members.begin(), members.end(), [](const Member* a, const Member* b) { return a->requested < b->requested; });
    std::set<std::uint64_t> connections;
    Time first_finish;
    for (const Member* member : members) {
      if (member->answered && (!first_finish.known() || member->finished < first_finish)) first_finish = member->finished;
    }
    for (const Member* member : members) {
      if (member->requested >= first_finish) continue;
      wave.push_back(member);
      if (member->connection != 0) connections.insert(member->connection);
    }
    if (!connections.empty() && connections.size() < wave.size()) wave.clear();
    return wave;
  }

  static void learn(Waves& waves, const Member& member) {
    if (!member.answered || (waves.alone.size() >= kToolsKnown && !waves.alone.contains(member.call.tool))) return;
    waves.alone[member.call.tool].add(member.finished.us - member.requested.us);
  }

  // What a call to the tool takes when nothing runs beside it, the median; 0: not known, or different each time.
  static std::int64_t alone(const Waves& waves, const std::string& tool) {
    const auto known = waves.alone.find(tool);
    if (known == waves.alone.end() || known->second.took.size() < 2) return 0;
    std::vector<std::int64_t> took = known->second.took;
    std::sort(took.begin(), took.end());
    const auto median = static_cast<double>(took[took.size() / 2]);
    const auto near = std::count_if(took.begin(), took.end(), [median](std::int64_t one) { return std::abs(static_cast<double>(one) - median) <= kOwnTolerance * median; });
    return 4 * static_cast<std::size_t>(near) >= 3 * took.size() ? took[took.size() / 2] : 0;
  }

  // Each reply behind the first came as long after the one before it as its tool takes by itself, and much longer after its own request.
  static bool is_queue(const std::vector<const Member*>& wave, const Waves& waves) {
    if (exceptions(wave) > 0) return false;
    const Member* before = nullptr;
    std::size_t followers = 0;
    for (const Member* member : wave) {
      if (!member->answered) continue;
      if (before) {
        const auto own = static_cast<double>(alone(waves, member->call.tool));
        const auto distance = static_cast<double>(member->finished.us - before->finished.us), waited = static_cast<double>(member->finished.us - member->requested.us);
        if (own < static_cast<double>(kShortestPaceUs) || std::abs(distance - own) > kOwnTolerance * own || waited < kQueued * own) return false;
        ++followers;
      }
      before = member;
    }
    return followers + 1 >= kFewest;
  }

  static void settle(Waves& waves, FindingSink& findings) {
    if (2 * waves.paced >= waves.seen) {
      for (FindingDraft& draft : waves.held) findings.add(std::move(draft));
    }
    waves.held.clear();
  }

  // The distance at which replies came, when they came evenly and from the first one on; 0 when they did not.
  static std::int64_t even_pace(const std::vector<const Member*>& wave) {
    std::vector<std::int64_t> times;
    for (const Member* member : wave) {
      if (member->answered) times.push_back(member->finished.us);
    }
    if (times.size() < kFewestBeforeTimeout) return 0;
    std::sort(times.begin(), times.end());
    double mean = static_cast<double>(times.back() - times.front()) / static_cast<double>(times.size() - 1), variance = 0;
    for (std::size_t i = 1; i < times.size(); ++i) variance += std::pow(static_cast<double>(times[i] - times[i - 1]) - mean, 2);
    const double deviation = std::sqrt(variance / static_cast<double>(times.size() - 1));
    const double head = static_cast<double>(times.front() - wave.front()->requested.us);
    if (exceptions(wave) > 1) return 0;
    const bool even = mean >= static_cast<double>(kShortestPaceUs) && deviation <= kEvenness * mean && std::abs(head - mean) <= kHeadTolerance * mean;
    return even ? static_cast<std::int64_t>(mean) : 0;
  }

  // Replies before that of a call which had come earlier. A queue has none, or one where two calls raced to its door.
  static std::size_t exceptions(const std::vector<const Member*>& wave) {
    std::size_t count = 0;
    Time last;
    for (const Member* member : wave) {
      if (!member->answered) continue;
      if (last.known() && member->finished < last) ++count;
      last = member->finished;
    }
    return count;
  }

  static void tell(const Session& session, const std::vector<const Member*>& wave, std::int64_t pace, FindingSink& findings) {
    const auto head = std::min_element(wave.begin(), wave.end(), [](const Member* a, const Member* b) {
      return std::make_pair(!a->answered, a->finished) < std::make_pair(!b->answered, b->finished);
    });
    const auto timed_out = std::count_if(wave.begin(), wave.end(), [](const Member* member) { return member->timed_out; });
    for (const Member* member : wave) {
      FindingDraft draft;
      draft.session = session.label;
      draft.requestor = Direction::client_to_server;
      draft.detail = pace > 0 ? fmt::format("replies {} apart, {} of {} timed out", format_duration(pace), timed_out, wave.size())
                              : fmt::format("each after what it takes alone, {} of {} timed out", timed_out, wave.size());
      draft.detail_is_note = true;
      draft.level = timed_out > 0 ? Level::high : Level::medium;
      draft.call = member->call;
      draft.at = member->requested;
      draft.evidence.push_back(member->evidence);
      draft.fault = {Party::server, Certainty::strong, {}, reason_of(**head)};
      if (member == *head) draft.picture.push_back({member->requested, '>', fmt::format("{} leads a queue of {} calls", member->call.tool, wave.size()), member->evidence.source});
      findings.add(std::move(draft));
    }
  }

  static std::string reason_of(const Member& head) {
    return fmt::format("it worked off concurrent calls one after the other, {} (id {}) first: a lock or a single worker; behind a slow backend they would have been finished together",
                       head.call.tool, head.call.id.raw);
  }

  OverlapGroups<Member> groups_;
  std::map<std::string, Waves> waves_of_;  // by server endpoint
};

}  // namespace

extern const DetectorEntry kSerializedCalls{"serialized_calls",
                                            event_bit(EventKind::request) | event_bit(EventKind::reply) | event_bit(EventKind::call_closed) | event_bit(EventKind::session_finished) | event_bit(EventKind::notice),
                                            {},
                                            [](const Parameters& parameters) -> std::unique_ptr<Detector> { return std::make_unique<SerializedCalls>(parameters); }};

}  // namespace mcpscan::engine
