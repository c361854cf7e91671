#include "session/closed_calls.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "session/packed_call.h"

namespace mcpscan::session {

// The generation with room for one more call: a new one, in the memory of the oldest where that has to go.
ClosedCalls::Generation& ClosedCalls::filled() {
  if (!generations_.empty() && generations_.back()->entries.size() < kGeneration) return *generations_.back();
  std::unique_ptr<Generation> fresh;
  if (size_ + kGeneration > most_ && !generations_.empty()) {
    fresh = std::move(generations_.front());
    generations_.pop_front();
    size_ -= fresh->entries.size();
    fresh->bytes.clear();
    fresh->entries.clear();
    fresh->places = {};
  } else {
    fresh = std::make_unique<Generation>();
    if (!generations_.empty()) fresh->bytes.reserve(generations_.back()->bytes.size());
  }
  return *generations_.emplace_back(std::move(fresh));
}

void ClosedCalls::keep(std::uint64_t identity, const model::Call& call) {
  if (most_ == 0) return;
  Generation& generation = filled();
  std::size_t place = home_of(identity);
  while (generation.places[place].entry != kFree) place = (place + 1) & (kPlaces - 1);
  generation.places[place] = {static_cast<std::uint16_t>(generation.entries.size()), tag_of(identity)};
  generation.entries.push_back({identity, generation.bytes.size(), false});
  pack_call(call, generation.bytes);
  ++size_;
}

bool ClosedCalls::take(std::uint64_t identity, FunctionRef<bool(const model::Call&)> wanted, model::Call& call) {
  for (auto generation = generations_.rbegin(); generation != generations_.rend(); ++generation) {
    if (take_from(**generation, identity, wanted, call)) return true;
  }
  return false;
}

// Those kept last stand last, however many share the hash.
bool ClosedCalls::take_from(Generation& generation, std::uint64_t identity, FunctionRef<bool(const model::Call&)> wanted, model::Call& call) {
  std::array<Entry*, kLooks> last{};
  std::size_t found = 0;
  for (std::size_t place = home_of(identity); generation.places[place].entry != kFree; place = (place + 1) & (kPlaces - 1)) {
    if (generation.places[place].tag != tag_of(identity)) continue;
    Entry& entry = generation.entries[generation.places[place].entry];
    if (entry.identity == identity && !entry.taken) last[found++ % kLooks] = &entry;
  }
  for (std::size_t looks = std::min(found, kLooks); looks > 0; --looks) {
    Entry& entry = *last[--found % kLooks];
    unpack_call(std::string_view(generation.bytes).substr(entry.offset), call);
    if (!wanted(call)) continue;
    return entry.taken = true;
  }
  return false;
}

}  // namespace mcpscan::session
