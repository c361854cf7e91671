// ContentDigest: XXH3 of the texts of a result's content blocks, as they read once decoded, one behind the other: what a client shows for
// the call has the same digest, whoever escaped which characters. Keeps nothing of the texts.
// Ownership: the tokens given outlive it. Threads: one. Bounds: a fixed buffer, whatever the number and size of the texts.
#pragma once

#include <cstdint>
#include <optional>

#include "app/json_skipper.h"
#include "base/hash.h"

namespace mcpscan::app {

class ContentDigest {
 public:
  void add(const JsonToken& text);
  // 0 when there was no text.
  std::uint64_t value() const;

 private:
  JsonToken only_;                       // nearly every result has one text
  std::optional<XXH3_state_t> state_;    // from the second on
};

}  // namespace mcpscan::app
