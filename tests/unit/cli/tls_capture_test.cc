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

// A packet to port 443 from each of these ports, of connections whose beginnings are not in the capture.
std::string capture_of(const std::vector<std::pair<std::uint16_t, std::string>>& packets) {
  std::string file = little32(0xa1b2c3d4) + little16(2) + little16(4) + little32(0) + little32(0) + little32(65535) + little32(1);
  for (const auto& [port, payload] : packets) {
    const std::string packet = ethernet(ipv4_bytes(tcp_bytes({1000, 2000, kAck | kPush, payload, port, 443})));
    const auto size = static_cast<std::uint32_t>(packet.size());
    file += little32(1764000000) + little32(0) + little32(size) + little32(size) + packet;
  }
  return file;
}

const std::string kRecord = std::string("\x17\x03\x03\x00\x10", 5) + std::string(16, '\x5a');

model::Report report_of(const std::vector<std::pair<std::uint16_t, std::string>>& packets) {
  const ScratchFolder folder;
  const Limits limits;
  static const pipeline::Knowledge kBuiltIn = pipeline::load_knowledge({}, {});
  pipeline::ScanOptions options;
  options.inputs = {folder.write("tls.pcap", capture_of(packets))};
  options.threads = 1;
  return pipeline::scan(options, kBuiltIn, limits, [](const std::string&, std::uint64_t) {}).report;
}

std::vector<std::string> notes_of(const std::string& payload) { return report_of({{40000, payload}}).notes; }

bool tells_tls(const std::vector<std::string>& notes) {
  return std::any_of(notes.begin(), notes.end(), [](const std::string& note) { return note.find("1 of 1 TLS connections could not be read") != std::string::npos; });
}

}  // namespace

TEST_CASE("a TLS connection that the capture joined midway is counted, and the report says what keys would allow") {
  const std::vector<std::string> notes = notes_of(kRecord);
  CHECK(tells_tls(notes));
  CHECK(std::any_of(notes.begin(), notes.end(), [](const std::string& note) { return note.find("--keylog") != std::string::npos; }));
}

TEST_CASE("what is no record of TLS is counted as none") { CHECK_FALSE(tells_tls(notes_of("\x17\x03\x09 no record"))); }

TEST_CASE("a session beside a TLS connection to its server that could not be read says that something of it may be missing") {
  const std::string body = R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{}}})";
  const std::string post = "POST /mcp HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nMcp-Session-Id: s1\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  const auto tells_unread = [](const model::Report& report) {
    return std::any_of(report.findings.begin(), report.findings.end(), [](const model::Finding& finding) { return finding.rule == "capture-gap" && finding.detail == "other connections to its server could not be read"; });
  };
  CHECK(tells_unread(report_of({{40000, kRecord}, {40001, post}})));
  CHECK_FALSE(tells_unread(report_of({{40001, post}})));
}
