#include "ingest/transcript/transcript_calls.h"

namespace mcpscan::ingest {

TranscriptCall* TranscriptCalls::find(std::string_view id) {
  const auto found = calls_.find(id);
  return found == calls_.end() ? nullptr : &found->second;
}

TranscriptCall& TranscriptCalls::add(std::string_view id) {
  if (TranscriptCall* known = find(id)) return *known = TranscriptCall{};
  if (calls_.size() >= limits_.transcript_calls && !order_.empty()) {
    calls_.erase(order_.front());
    order_.pop_front();
    ++forgotten_;
  }
  order_.emplace_back(id);
  return calls_[order_.back()];
}

}  // namespace mcpscan::ingest
