#include "engine/reissues.h"

#include <fmt/format.h>

#include "base/hash.h"

namespace mcpscan::engine {

std::uint64_t Reissues::key(const AnsweredCall& call) { return hash_combine(call.tool, call.arguments); }

void Reissues::expect(const AnsweredCall& call) {
  if (call.arguments != 0 && calls_.size() < kCalls) calls_.try_emplace(key(call));
}

void Reissues::note(const AnsweredCall& again) {
  const auto expected = calls_.find(key(again));
  if (expected != calls_.end()) expected->second = {true, again.digest, again.shape};
}

Reissues::Corroboration Reissues::of(const AnsweredCall& got, const AnsweredCall& sibling) const {
  const auto found = calls_.find(key(got));
  if (found == calls_.end() || !found->second.seen || found->second.digest == got.digest) return {};
  const Again& again = found->second;
  if (again.digest != 0 && again.digest == sibling.digest) {
    return {kSamePayload, fmt::format("{} asked again later, alone, got what {} had been given", got.call.tool, sibling.call.tool)};
  }
  if (!again.shape.known() || !got.shape.known() || again.shape.features() == got.shape.features()) return {};
  return {kOtherForm, fmt::format("{} asked again later, alone, got a reply of another form", got.call.tool)};
}

}  // namespace mcpscan::engine
