// module: cli
// Any bytes as a HAR: every entry is booked once, messages only between an exchange's start and end, nothing depends on how the
// bytes arrive, nothing reads out of bounds. Small bounds, so that every one of them is reached.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "fuzz/books.h"
#include "fuzz/pieces.h"
#include "pipeline/har_scan.h"

namespace {

using namespace mcpscan;

// Holds the order that the session layer relies on, and sums up what was told.
class Order : public model::ObservationSink {
 public:
  void observe(const model::Observation& seen) override {
    using Kind = model::ObservationKind;
    if (seen.exchange != 0) {
      if (seen.kind == Kind::exchange_request) open_.insert(seen.exchange);
      else if (!open_.contains(seen.exchange)) std::abort();
      if (seen.kind == Kind::exchange_end) open_.erase(seen.exchange);
    }
    digest = hash_combine(digest, hash_combine(static_cast<std::uint64_t>(seen.kind), static_cast<std::uint64_t>(seen.at.us)));
    if (seen.message != nullptr) digest = hash_bytes(seen.message->text, digest);
  }
  bool all_closed() const { return open_.empty(); }
  std::uint64_t digest = 0;

 private:
  std::set<std::uint64_t> open_;
};

std::uint64_t run(std::string_view text, std::size_t slice, const Limits& limits) {
  tests::Pieces bytes(text, slice);
  Order order;
  model::InputRow row;
  pipeline::CaptureNumbers numbers;
  (void)pipeline::scan_har(bytes, {}, 0, {}, limits, numbers, order, row, [](std::uint64_t) {});
  if (!tests::adds_up(row.books) || !order.all_closed()) std::abort();
  for (const auto& [kind, anomaly] : row.anomalies.entries()) order.digest = hash_combine(order.digest, hash_bytes(kind + anomaly.text, anomaly.count));
  return hash_combine(order.digest, row.books.total);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Limits limits;
  limits.har_entry_bytes = 4096;
  limits.har_pending_entries = 4;
  limits.har_reorder_entries = 2;
  limits.har_pending_bytes = 4096;
  limits.block_bytes = 1024;
  const std::uint64_t whole = run(text, text.size() + 1, limits);
  limits.block_bytes = 64;
  if (run(text, 7, limits) != whole) std::abort();
  return 0;
}
