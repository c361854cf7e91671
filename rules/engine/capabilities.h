// The words for what evidence can show (model::Capability), and what a person can do where it does not.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "model/timeline.h"

namespace mcpscan::engine {

struct CapabilityEntry {
  std::uint32_t bit;
  std::string_view word;     // in a rule's `needs:`
  std::string_view missing;  // "the evidence carries no JSON-RPC ids"
  std::string_view enable;   // how to get it
};

std::span<const CapabilityEntry> capabilities();
std::uint32_t capability_by_word(std::string_view word);

}  // namespace mcpscan::engine
