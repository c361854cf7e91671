#include "net/packet_filter.h"

#include <pcap/pcap.h>

#include "net/link_layer.h"

namespace mcpscan::net {
namespace {

constexpr int kFilterSnapshot = 262144;

// What the filter looks at. NULL and LOOP carry the address family in the writer's byte order, which a compiled program
// cannot know: their packets are matched as raw IP.
struct View {
  int data_link;
  std::span<const std::uint8_t> bytes;
  std::uint32_t original_length;
};

View filter_view(const Packet& packet) {
  const bool family = packet.link_type == kLinkNull || packet.link_type == kLinkLoop;
  if (!family) return {packet.link_type == kLinkRaw ? DLT_RAW : static_cast<int>(packet.link_type), packet.bytes, packet.original_length};
  if (packet.bytes.size() < 4) return {DLT_RAW, {}, 0};
  return {DLT_RAW, packet.bytes.subspan(4), packet.original_length - 4};
}

}  // namespace

void PacketFilter::FreeProgram::operator()(bpf_program* program) const {
  pcap_freecode(program);
  delete program;
}

PacketFilter::Program PacketFilter::build(int data_link, std::string& why) const {
  const std::unique_ptr<pcap_t, decltype(&pcap_close)> handle(pcap_open_dead(data_link, kFilterSnapshot), &pcap_close);
  if (handle == nullptr) return nullptr;
  auto program = std::make_unique<bpf_program>();
  if (pcap_compile(handle.get(), program.get(), expression_.c_str(), 1, PCAP_NETMASK_UNKNOWN) != 0) {
    why = pcap_geterr(handle.get());
    return nullptr;
  }
  return Program(program.release());
}

Result<std::unique_ptr<PacketFilter>> PacketFilter::compile(std::string_view expression) {
  std::unique_ptr<PacketFilter> filter(new PacketFilter(expression));
  std::string why = "libpcap gave no reason";
  Program program = filter->build(DLT_EN10MB, why);
  if (program == nullptr) {
    return Error{ErrorCode::invalid_argument, "the filter \"" + filter->expression_ + "\" does not compile: " + why, "--filter",
                 "see pcap-filter(7), for example: tcp port 8000 and host 198.51.100.7"};
  }
  filter->programs_[DLT_EN10MB] = std::move(program);
  return filter;
}

PacketFilter::Match PacketFilter::match(const Packet& packet) {
  constexpr std::size_t kLinkTypesKept = 64;
  const View view = filter_view(packet);
  auto found = programs_.find(view.data_link);
  if (found == programs_.end()) {
    if (programs_.size() >= kLinkTypesKept) return Match::not_applicable;
    std::string why;
    found = programs_.emplace(view.data_link, build(view.data_link, why)).first;
  }
  if (found->second == nullptr) return Match::not_applicable;
  pcap_pkthdr header{};
  header.caplen = static_cast<bpf_u_int32>(view.bytes.size());
  header.len = view.original_length;
  return pcap_offline_filter(found->second.get(), &header, view.bytes.data()) != 0 ? Match::yes : Match::no;
}

}  // namespace mcpscan::net
