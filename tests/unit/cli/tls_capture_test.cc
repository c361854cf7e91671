// What a report says of TLS that its capture cannot show.
#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

#include "pipeline/scan.h"
#include "unit/ingest/scratch_folder.h"
#include "unit/net/packets.h"

using namespace mcpscan;
using namespace mcpscan::tests;

namespace {

// One packet of a connection whose beginning is not in the capture.
std::string capture_of(const std::string& payload) {
  const std::string packet = ethernet(ipv4_bytes(tcp_bytes({1000, 2000, kAck | kPush, payload, 40000, 443})));
  const auto size = static_cast<std::uint32_t>(packet.size());
  return little32(0xa1b2c3d4) + little16(2) + little16(4) + little32(0) + little32(0) + little32(65535) + little32(1) + little32(1764000000) + little32(0) +
         little32(size) + little32(size) + packet;
}

std::vector<std::string> notes_of(const std::string& payload) {
  const ScratchFolder folder;
  const Limits limits;
  static const pipeline::Knowledge kBuiltIn = pipeline::load_knowledge({}, {});
  pipeline::ScanOptions options;
  options.inputs = {folder.write("tls.pcap", capture_of(payload))};
  options.threads = 1;
  return pipeline::scan(options, kBuiltIn, limits, [](const std::string&, std::uint64_t) {}).report.notes;
}

bool tells_tls(const std::vector<std::string>& notes) {
  return std::any_of(notes.begin(), notes.end(), [](const std::string& note) { return note.find("1 of 1 TLS connections could not be read") != std::string::npos; });
}

}  // namespace

TEST_CASE("a TLS connection that the capture joined midway is counted, and the report says what keys would allow") {
  const std::vector<std::string> notes = notes_of(std::string("\x17\x03\x03\x00\x10", 5) + std::string(16, '\x5a'));
  CHECK(tells_tls(notes));
  CHECK(std::any_of(notes.begin(), notes.end(), [](const std::string& note) { return note.find("--keylog") != std::string::npos; }));
}

TEST_CASE("what is no record of TLS is counted as none") { CHECK_FALSE(tells_tls(notes_of("\x17\x03\x09 no record"))); }
