// PacketFilter: a BPF expression compiled for each link type as it is met. Not thread-safe. Source: pcap-filter(7).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "net/capture_reader.h"

struct bpf_program;

namespace mcpscan::net {

class PacketFilter {
 public:
  enum class Match : std::uint8_t { yes, no, not_applicable };  // not_applicable: the link type lacks what is asked for

  static Result<std::unique_ptr<PacketFilter>> compile(std::string_view expression);
  Match match(const Packet& packet);

 private:
  struct FreeProgram {
    void operator()(bpf_program* program) const;
  };
  using Program = std::unique_ptr<bpf_program, FreeProgram>;

  explicit PacketFilter(std::string_view expression) : expression_(expression) {}
  Program build(int data_link, std::string& why) const;

  std::string expression_;
  std::map<int, Program> programs_;  // by libpcap's DLT_ value
};

}  // namespace mcpscan::net
