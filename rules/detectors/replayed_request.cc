// A request of a session that somebody else sends again: the same id and body, after the first one was over, from another address or user.
// Without sessions small ids and equal bodies are common; nothing is told there.
// Source: MCP 2025-11-25 security best practices, Session Hijacking; protocol notes ID07.
#include <fmt/format.h>

#include <array>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "model/detector.h"

namespace mcpscan::engine {
namespace {

using namespace model;

constexpr std::size_t kBuckets = 1u << 11, kInBucket = 15;       // looked for, by hash
constexpr std::size_t kFirstBuckets = 32, kBeforeGrowing = 4;    // powers of two; many sources are short: buckets are added when so many a bucket are remembered
constexpr std::size_t kRemembered = 1u << 15;                    // the last ones of all sessions, 64 bytes each; a place is 16 bits
static_assert(kRemembered >= kBuckets * kInBucket);

class ReplayedRequest : public Detector {
 public:
  explicit ReplayedRequest(const Parameters& parameters) : apart_us_(duration_parameter(parameters, "client_timeout_s", kSecond)) {}

  void on_event(const TimelineEvent& event, FindingSink& findings) override {
    const Session& session = *event.session;
    const HttpFacts* http = event.observation->http;
    const bool keyed = session.keyed_by == SessionKeying::mcp_session_id || session.keyed_by == SessionKeying::legacy_session_id;
    if (!keyed || event.modern || event.call->requestor != Direction::client_to_server || event.call->params_digest == 0 || event.call->method == kInitialize) return;
    const std::string_view address = event.exchange ? std::string_view(event.exchange->peer) : http ? http->peer : std::string_view();
    const std::uint64_t peer = address.empty() ? 0 : hash_bytes(address);
    const std::uint64_t principal = event.exchange ? event.exchange->principal : http ? http->principal : 0;
    if (peer == 0 && principal == 0) return;  // who sent it is not told
    const std::uint64_t request = digest_of(event.call->id.value, event.call->params_digest, event.call->method, session);
    const Sent now{event.at, request, peer, principal, event.source};
    if (const Sent* const before = sent_before(request)) return judge(event, *before, now, findings);
    remember(now);
  }

 private:
  struct alignas(64) Sent {
    Time at;
    std::uint64_t request = 0;              // digest of session, id and what was asked
    std::uint64_t peer = 0, principal = 0;  // digests; 0: not told
    SourceRef source;
  };

  // Places of those of one hash, more or less. All buckets fit into a core's own cache, and nearly every look ends there.
  struct alignas(64) Bucket {
    std::array<std::uint16_t, kInBucket> tags{}, places{};
    std::uint16_t oldest = 0;
  };

  static std::uint64_t digest_of(std::string_view id, std::uint64_t params, std::string_view method, const Session& session) {
    return hash_combine(hash_combine(hash_bytes(id, params), hash_bytes(method)), session.index);
  }
  static std::uint16_t tag_of(std::uint64_t request) { return static_cast<std::uint16_t>(request >> 48); }
  Bucket& bucket_of(std::uint64_t request) { return buckets_[request & (buckets_.size() - 1)]; }

  const Sent* sent_before(std::uint64_t request) {
    const Bucket& bucket = bucket_of(request);
    for (std::size_t i = 0; i < kInBucket; ++i) {
      if (bucket.tags[i] == tag_of(request) && bucket.places[i] < sent_.size() && sent_[bucket.places[i]].request == request) return &sent_[bucket.places[i]];
    }
    return nullptr;
  }

  void remember(const Sent& now) {
    if (sent_.size() == kRemembered) {
      sent_[oldest_] = now;
      return put(now.request, std::exchange(oldest_, (oldest_ + 1) % kRemembered));
    }
    sent_.push_back(now);
    if (sent_.size() <= kBeforeGrowing * buckets_.size() || buckets_.size() == kBuckets) return put(now.request, sent_.size() - 1);
    buckets_ = std::vector<Bucket>(8 * buckets_.size());
    for (std::size_t place = 0; place < sent_.size(); ++place) put(sent_[place].request, place);
  }

  void put(std::uint64_t request, std::size_t place) {
    Bucket& bucket = bucket_of(request);
    bucket.tags[bucket.oldest] = tag_of(request);
    bucket.places[bucket.oldest] = static_cast<std::uint16_t>(place);
    bucket.oldest = static_cast<std::uint16_t>((bucket.oldest + 1) % kInBucket);
  }

  void judge(const TimelineEvent& event, const Sent& before, const Sent& now, FindingSink& findings) const {
    if (!before.at.known() || !now.at.known() || now.at.us - before.at.us <= apart_us_) return;
    const bool other_user = before.principal != 0 && now.principal != 0 && before.principal != now.principal;
    const bool other_address = before.peer != 0 && now.peer != 0 && before.peer != now.peer;
    if (!other_user && !other_address) return;
    FindingDraft draft;
    draft.session = event.session->label;
    draft.requestor = Direction::client_to_server;
    draft.call = finding_call(*event.call);
    draft.at = event.at;
    draft.fault = {Party::client, other_user ? Certainty::strong : Certainty::weak, {},
                   fmt::format("the same request, id and body, came again {} later from {}", format_duration(now.at.us - before.at.us), other_user ? "another user" : "another address")};
    draft.evidence = {{before.source, {}}, evidence_of(event)};
    findings.add(std::move(draft));
  }

  std::int64_t apart_us_;
  std::vector<Bucket> buckets_ = std::vector<Bucket>(kFirstBuckets);
  std::vector<Sent> sent_;
  std::size_t oldest_ = 0;  // once so many are remembered as may be
};

}  // namespace

extern const DetectorEntry kReplayedRequest{"replayed_request", event_bits(EventKind::request), {"client_timeout_s"}, made<ReplayedRequest>};

}  // namespace mcpscan::engine
