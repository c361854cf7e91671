// Log records of replies that had no stream to go to, by session and stream key. Records of one key closer together than the
// burst gap form a burst; one alone is what a client that hung up leaves behind.
// Source: Python SDK server/streamable_http.py (message router), TypeScript SDK server/streamableHttp.ts (send).
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "model/detector.h"

namespace mcpscan::engine {
namespace {

using namespace model;

constexpr std::string_view kGetStream = "_GET_stream";
constexpr std::size_t kGroups = 20000;          // session and key pairs followed; later ones share one group
constexpr std::string_view kOtherKeys = "(others)";
constexpr std::size_t kEvidenceOfGroup = 100;
constexpr std::uint64_t kUntimedBurst = 3;      // records of one key, where there are no times

class StreamNotFoundBurst : public Detector {
 public:
  explicit StreamNotFoundBurst(const Parameters& parameters) : gap_us_(duration_parameter(parameters, "burst_gap_s", kSecond)) {}

  void on_event(const TimelineEvent& event, FindingSink&) override {
    const Notice* notice = event.observation->notice;
    if (!notice || (notice->kind != NoticeKind::stream_not_found && notice->kind != NoticeKind::reply_undeliverable)) return;
    std::string session = event.session ? event.session->label : std::string();
    std::string key(notice->key);
    if (groups_.size() >= kGroups && !groups_.contains({session, key})) session.clear(), key = kOtherKeys;
    Group& group = groups_[{std::move(session), std::move(key)}];
    const bool fresh_burst = !group.last.known() || !event.at.known() || event.at.us - group.last.us >= gap_us_;
    if (fresh_burst && event.observation->at.known()) end_burst(group);
    note(group, event);
  }

  void finish(FindingSink& findings) override {
    for (auto& [key, group] : groups_) {
      end_burst(group);
      tell(key.first, key.second, group, findings);
    }
  }

 private:
  // One record; beyond the bound the last one kept stands for all that follow.
  struct Record {
    Time at;
    std::uint64_t count = 1;
    Evidence evidence;
    std::optional<FindingCall> call;
  };
  using Records = std::vector<Record>;
  struct Group {
    std::uint64_t records = 0;
    std::uint64_t tied = 0;                      // to requests that share the id
    std::uint64_t bursts = 0;
    std::uint64_t longest = 0;
    std::int64_t longest_us = 0;
    std::uint64_t current = 0;                   // records of the burst that may still go on
    Time current_first, last;
    Records newest, bursting, alone, undated;    // of the burst that may still go on; of bursts; of single ones; of no time, but behind a shared id
    std::vector<StoryLine> picture;
  };

  static void keep(Records& records, Record record) {
    if (records.size() < kEvidenceOfGroup) return records.push_back(std::move(record));
    records.back().count += record.count;
    if (record.at.known()) records.back().at = record.at;
  }

  static void note(Group& group, const TimelineEvent& event) {
    ++group.records;
    const bool timed = event.observation->at.known();
    const bool tied = event.call && event.call->collided;
    const bool shared = tied || event.fitting >= 2;
    if (tied) ++group.tied;
    if (timed) {
      if (group.current++ == 0) group.current_first = event.at;
      group.last = event.at;
    }
    keep(timed ? group.newest : shared ? group.undated : group.alone,
         {event.at, 1, evidence_of(event), event.call ? std::optional(finding_call(*event.call)) : std::nullopt});
    if (group.picture.size() < 2) {
      const std::string whose = event.call && !event.call->target.empty() ? ": a reply is dropped; " + event.call->target + " waits on" : std::string(": a reply is dropped");
      group.picture.push_back({event.at, '!', fmt::format("Request stream {} not found{}", event.observation->notice->key, whose), event.source});
      if (event.call) group.picture.back().call = event.call->target, group.picture.back().asked = event.call->source;
    }
  }

  static void end_burst(Group& group) {
    const bool burst = group.current >= 2;
    if (burst) {
      ++group.bursts;
      if (group.current > group.longest) {
        group.longest = group.current;
        group.longest_us = group.last.us - group.current_first.us;
      }
    }
    move_to(burst ? group.bursting : group.alone, group.newest);
    group.current = 0;
  }

  static std::uint64_t count_of(const Records& records) {
    return std::accumulate(records.begin(), records.end(), std::uint64_t{0}, [](std::uint64_t sum, const Record& record) { return sum + record.count; });
  }

  static void move_to(Records& records, Records& from) {
    for (Record& record : from) keep(records, std::move(record));
    from.clear();
  }

  static void tell(const std::string& session, const std::string& key, Group& group, FindingSink& findings) {
    const bool harmless = key == kGetStream || key == kOtherKeys;
    move_to(count_of(group.undated) >= kUntimedBurst ? group.bursting : group.alone, group.undated);
    if (harmless) move_to(group.alone, group.bursting);
    const bool in_bursts = !group.bursting.empty();
    if (in_bursts) tell_bursts(session, key, group, findings);
    if (group.alone.empty()) return;
    FindingDraft draft = draft_for(session, key);
    draft.discriminator = in_bursts ? key + ", single" : key;
    draft.level = Level::informational;
    if (key == kGetStream) {
      draft.detail = "a message of the server's own while no GET stream was open: harmless";
    } else if (key == kOtherKeys) {
      draft.detail = "records of more keys than are told apart";
    } else if (group.tied == group.records) {
      draft.detail = "single records, behind calls that shared an id";
      blame(key, group, draft);
    } else {
      draft.detail = "single records, as clients leave behind that hung up";
    }
    if (!in_bursts) draft.picture = std::move(group.picture);
    add_all(std::move(draft), key, group.alone, findings);
  }

  static void tell_bursts(const std::string& session, const std::string& key, Group& group, FindingSink& findings) {
    FindingDraft draft = draft_for(session, key);
    draft.detail = group.bursts == 0 ? fmt::format("{} records, no times to tell bursts by", count_of(group.bursting))
                                     : fmt::format("{} burst{}, longest {} in {}", group.bursts, group.bursts == 1 ? "" : "s", group.longest, format_duration(group.longest_us));
    blame(key, group, draft);
    draft.picture = std::move(group.picture);
    add_all(std::move(draft), key, group.bursting, findings);
  }

  // Each record with its own time, place and call: a history counts what happened when.
  static void add_all(FindingDraft draft, const std::string& key, Records& records, FindingSink& findings) {
    const bool names_calls = std::any_of(records.begin(), records.end(), [](const Record& record) { return record.call.has_value(); });
    if (!names_calls) records.front().call = call_of_key(key);
    for (Record& record : records) {
      FindingDraft each = draft;
      draft.picture.clear();
      each.at = record.at;
      each.count = record.count;
      each.call = std::move(record.call);
      each.evidence.push_back(std::move(record.evidence));
      findings.add(std::move(each));
    }
  }

  static FindingDraft draft_for(const std::string& session, const std::string& key) {
    FindingDraft draft;
    draft.session = session;
    draft.discriminator = key;
    draft.detail_is_note = true;
    draft.tally_key = "stream " + key;
    return draft;
  }

  static void blame(const std::string& key, const Group& group, FindingDraft& draft) {
    draft.cause_rule = "duplicate-request-id";
    draft.cause_id = key;
    if (group.tied == 0) {
      draft.fault.reason = "the log does not show the requests behind it; requests that share an id are the usual cause, hung-up clients the other";
      return;
    }
    draft.fault = {Party::client, Certainty::proven, {"server"}, "the requests behind it shared one id, so each took over the reply stream of the one before"};
  }

  std::int64_t gap_us_;
  std::map<std::pair<std::string, std::string>, Group> groups_;
};

}  // namespace

extern const DetectorEntry kStreamNotFoundBurst{"stream_not_found_burst", event_bit(EventKind::notice), {"burst_gap_s"},
                                                [](const Parameters& parameters) -> std::unique_ptr<Detector> { return std::make_unique<StreamNotFoundBurst>(parameters); }};

}  // namespace mcpscan::engine
