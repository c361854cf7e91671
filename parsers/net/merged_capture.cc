#include "net/merged_capture.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

namespace mcpscan::net {
namespace {

constexpr std::uint32_t kSection = 0x0a0d0d0a, kByteOrder = 0x1a2b3c4d, kInterface = 1;
constexpr std::size_t kBlockHead = 8;

std::uint32_t word_at(std::string_view bytes, std::size_t at, bool swapped) {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes.data() + at, sizeof word);
  return swapped ? __builtin_bswap32(word) : word;
}

}  // namespace

// draft-ietf-opsawg-pcapng section 4: interfaces are described before their packets, so mostly at the head.
std::size_t interfaces_of(std::string_view head) {
  if (head.size() < kBlockHead + 4 || word_at(head, 0, false) != kSection) return 0;
  const bool swapped = word_at(head, kBlockHead, false) != kByteOrder;
  std::size_t interfaces = 0;
  for (std::size_t at = 0; at + kBlockHead <= head.size();) {
    const std::uint32_t length = word_at(head, at + 4, swapped);
    interfaces += word_at(head, at, swapped) == kInterface;
    if (length < kBlockHead + 4 || length > head.size() - at) break;
    at += length;
  }
  return interfaces;
}

// Where time goes back to the first half of what was read since it went back last, and another interface begins: a clock that is set back goes
// back for all of them.
std::vector<std::uint64_t> first_of_runs(CaptureReader& capture, std::size_t interfaces) {
  std::vector<std::uint64_t> first{1};
  std::map<std::uint16_t, std::size_t> run_of;
  Packet packet;
  Time begun, latest;
  while (first.size() > 1 || run_of.size() < interfaces) {
    if (!capture.next(packet)) return first;
    if (!packet.at.known()) continue;
    const bool back = begun.known() && latest.us - begun.us > kSecond && packet.at.us < begun.us + (latest.us - begun.us) / 2;
    if (back && first.size() == kMostRuns) return {1};
    if (back) first.push_back(packet.number);
    if (run_of.emplace(packet.interface, first.size()).first->second != first.size()) return {1};
    if (!begun.known() || back) begun = latest = packet.at;
    latest = std::max(latest, packet.at);
  }
  return {1};
}

MergedCapture::MergedCapture(std::vector<Part> parts) {
  for (Part& part : parts) runs_.push_back({std::move(part), UINT64_MAX, {}, false});
  for (std::size_t i = 1; i < runs_.size(); ++i) runs_[i - 1].end = runs_[i].part.first;
}

Status MergedCapture::set_filter(std::string_view expression) {
  for (Run& run : runs_) {
    if (const Status status = run.part.capture->set_filter(expression); !status.ok()) return status;
  }
  return {};
}

void MergedCapture::advance(Run& run) {
  do {
    run.over = !run.part.capture->next(run.packet) || run.packet.number >= run.end;
  } while (!run.over && run.packet.number < run.part.first);
}

bool MergedCapture::next(Packet& packet) {
  if (!std::exchange(begun_, true)) std::for_each(runs_.begin(), runs_.end(), advance);
  else if (handed_out_) advance(*handed_out_);
  handed_out_ = nullptr;
  for (Run& run : runs_) {
    if (!run.over && (!handed_out_ || run.packet.at < handed_out_->packet.at)) handed_out_ = &run;
  }
  if (!handed_out_) return false;
  packet = handed_out_->packet;
  return true;
}

}  // namespace mcpscan::net
