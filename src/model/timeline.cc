#include "model/timeline.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace mcpscan::model {
namespace {

constexpr std::array<std::string_view, kEventKinds> kEvents{"session_started", "request", "reply", "notification", "cancel", "timeout", "call_closed",
                                                   "notice", "exchange_opened", "exchange_closed", "exchange_summary", "malformed", "gap",
                                                   "session_finished", "outcome"};
constexpr std::array<std::string_view, 10> kVerdicts{"answer", "late", "duplicate", "redelivery", "type_drift", "orphan", "unattributed", "refusal", "head_of_evidence",
                                                      "other_session"};
constexpr std::array<std::string_view, 21> kReasons{"open", "answered", "refused", "cancelled", "timed_out", "overwritten", "undeliverable", "stream_closed",
                                                    "connection_reset", "client_closed", "accepted_only", "client_dead", "restarted", "session_ended",
                                                    "evidence_ends", "evidence_gap", "aged_out", "no_response", "sent_again", "unseen",
                                                    "backend_gone"};

constexpr std::int64_t kFirstBucketUs = 500;  // two buckets a power of two from half a millisecond: up to 12 days

std::size_t bucket_of(std::int64_t us) {
  const auto steps = static_cast<std::uint64_t>(us > 0 ? us - 1 : 0) / kFirstBucketUs;
  const std::size_t bucket = 2 * std::min<std::size_t>(31, static_cast<std::size_t>(std::bit_width(steps)));
  const std::int64_t upper = kFirstBucketUs << (bucket / 2);
  return us <= upper - upper / 4 || bucket == 0 ? bucket : bucket + 1;
}

std::int64_t upper_edge(std::size_t bucket) {
  const std::int64_t upper = kFirstBucketUs << (bucket / 2);
  return bucket % 2 == 1 || bucket == 0 ? upper : upper - upper / 4;
}

}  // namespace

std::string_view to_string(EventKind kind) { return kEvents[static_cast<std::size_t>(kind)]; }
std::string_view to_string(ReplyVerdict verdict) { return kVerdicts[static_cast<std::size_t>(verdict)]; }
std::string_view to_string(CloseReason reason) { return kReasons[static_cast<std::size_t>(reason)]; }

void LatencyHistogram::add(std::int64_t us) {
  us = std::max<std::int64_t>(us, 0);
  ++buckets_[bucket_of(us)];
  ++count_;
  total_ += us;
  longest_ = std::max(longest_, us);
}

std::int64_t LatencyHistogram::quantile(double q) const {
  if (count_ == 0) return -1;
  const auto wanted = static_cast<std::uint64_t>(std::ceil(q * static_cast<double>(count_)));
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    seen += buckets_[i];
    if (seen >= wanted && seen > 0) return std::min(upper_edge(i), longest_);
  }
  return longest_;
}

}  // namespace mcpscan::model
