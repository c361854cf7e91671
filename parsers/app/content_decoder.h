// ContentDecoder: undoes content codings (gzip, deflate as zlib or raw, br, zstd, stacked), streamed: what can be decoded of
// the bytes given so far comes out at once, so that an event stream flushed per event keeps its times.
// Owns one library state a coding; bounded by Limits::expansion_ratio beyond Limits::expansion_floor_bytes. Not thread-safe.
// Source: RFC 9110 section 8.4.1, RFC 1950 to 1952, 7932, 8878.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "app/http_head.h"
#include "base/function_ref.h"
#include "base/limits.h"

namespace mcpscan::app {

// One coding. decode() gives `out` what it can; false when the data is damaged or `out` asked to stop.
class DecodeStage {
 public:
  using Output = FunctionRef<bool(std::string_view)>;
  virtual ~DecodeStage() = default;
  virtual bool decode(std::string_view in, Output out) = 0;
};

class ContentDecoder {
 public:
  using Output = FunctionRef<void(std::string_view)>;
  enum class State : std::uint8_t { good, damaged, bomb, unknown_coding };

  ContentDecoder(const Limits& limits, const CodingList& codings);

  // Once it is not `good` it stays so and yields nothing more.
  State feed(std::string_view in, Output out);

 private:
  bool run(std::size_t stage, std::string_view in, Output out);
  bool within_ratio() const;

  const Limits& limits_;
  std::vector<std::unique_ptr<DecodeStage>> stages_;  // in the order of decoding
  std::uint64_t bytes_in_ = 0, bytes_out_ = 0;
  State state_ = State::good;
};

}  // namespace mcpscan::app
