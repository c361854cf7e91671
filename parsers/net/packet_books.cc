#include "net/packet_books.h"

#include <fmt/format.h>

#include <algorithm>

namespace mcpscan::net {
namespace {

constexpr Refusal kOtherIgnored{"other", 0, false};
constexpr Refusal kOtherMalformed{"other", 0, true};

std::string text_of(const Refusal& refusal) {
  std::string text;
  for (const char* c = refusal.word; *c != '\0'; ++c) {
    if (*c == '#') text += fmt::format("{}", refusal.number);
    else if (*c == '@') text += fmt::format("{:04x}", refusal.number);
    else text += *c;
  }
  return text;
}

}  // namespace

void PacketBooks::refuse(const Refusal& refusal, std::uint64_t packets) {
  const auto same = [&](const Row& row) {
    return row.refusal.word == refusal.word && row.refusal.number == refusal.number && row.refusal.malformed == refusal.malformed;
  };
  auto row = std::find_if(rows_.begin(), rows_.end(), same);
  if (row == rows_.end() && rows_.size() >= kReasons && refusal.word != kOtherIgnored.word) {
    refuse(refusal.malformed ? kOtherMalformed : kOtherIgnored, packets);
    return;
  }
  if (row == rows_.end()) row = rows_.insert(rows_.end(), {refusal, 0});
  row->packets += packets;
}

void PacketBooks::settle(model::Books& books) {
  books.use(used_);
  for (const Row& row : rows_) {
    if (row.refusal.malformed) books.malform(text_of(row.refusal), row.packets);
    else books.ignore(text_of(row.refusal), row.packets);
  }
  rows_.clear();
  used_ = 0;
}

}  // namespace mcpscan::net
