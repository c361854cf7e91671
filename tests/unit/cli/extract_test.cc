// The whole way from evidence to a bundle that shows one incident, and to one that names nobody.
#include "pipeline/extract.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "extract/packet_writer.h"
#include "pipeline/incident_places.h"
#include "pipeline/same_incident.h"
#include "unit/ingest/scratch_folder.h"

using namespace mcpscan;
using namespace mcpscan::tests;
using model::Side;
namespace fs = std::filesystem;

namespace {

constexpr const char* kSession = "5bd0f521be84462b3b9be05d0e8e2329";
constexpr const char* kOther = "e2a214e8bbe946751d52490575ffc53d";
constexpr Time kStart{1795939200000000};

const pipeline::Knowledge& knowledge() {
  static const pipeline::Knowledge kBuiltIn = pipeline::load_knowledge({}, {});
  return kBuiltIn;
}

std::string call(int id, const std::string& word) {
  return fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":"tools/call","params":{{"name":"read_ledger","arguments":{{"owner":"{}"}}}}}})", id, word);
}
std::string reply(int id, const std::string& word) {
  return fmt::format(R"({{"jsonrpc":"2.0","id":{},"result":{{"content":[{{"type":"text","text":"{}"}}]}}}})", id, word);
}

// Two calls that share id 1 in one session; another session without fault; lines that are no traffic.
std::string gateway_log() {
  std::string log;
  int second = 0;
  const auto line = [&](const std::string& text) { log += fmt::format("2026-11-29T08:00:{:02}.000Z INFO {}\n", second++, text); };
  const auto body = [&](const char* session, const std::string& json) { line(fmt::format("gateway session={} body={}", session, json)); };
  for (int i = 0; i < 10; ++i) line("housekeeping: nothing to do at vault.plum.example");
  body(kSession, call(1, "Mallory"));
  body(kSession, call(1, "Quentin"));
  body(kSession, reply(1, "Mallory owes"));
  for (int id = 1; id < 6; ++id) {
    body(kOther, call(id, "nobody"));
    body(kOther, reply(id, "nothing"));
  }
  for (int i = 0; i < 10; ++i) line("housekeeping: nothing to do");
  return log;
}

class FileSink : public extract::PartSink {
 public:
  explicit FileSink(const std::string& path) : file_(path, std::ios::binary) {}
  void write(std::string_view bytes) override { file_.write(bytes.data(), static_cast<std::streamsize>(bytes.size())); }

 private:
  std::ofstream file_;
};

model::Endpoint end(std::uint8_t last, std::uint16_t port) {
  model::Endpoint end;
  end.address = {10, 20, 30, last};
  end.port = port;
  return end;
}

std::string post(const char* session, const std::string& json) {
  return fmt::format("POST /mcp HTTP/1.1\r\nHost: ledger.plum.example\r\nAuthorization: Bearer plum-9f8e7d6c5b\r\nX-Team: blue whale\r\nContent-Type: application/json\r\nMcp-Session-Id: {}\r\nContent-Length: {}\r\n\r\n{}",
                     session, json.size(), json);
}
std::string ok(const std::string& json) {
  return fmt::format("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{}", json.size(), json);
}

// A capture of three connections: two concurrent calls with id 1 in one session, and a sound call of another.
void write_capture(const std::string& path) {
  FileSink sink(path);
  extract::PacketWriter packets(sink);
  const auto at = [](int ms) { return Time{kStart.us + ms * kMillisecond}; };
  const auto first = packets.open(end(1, 40001), end(9, 8000), at(0));
  const auto second = packets.open(end(1, 40002), end(9, 8000), at(1));
  const auto sound = packets.open(end(2, 40003), end(9, 8000), at(2));
  packets.send(first, Side::client, post(kSession, call(1, "Mallory")), at(10));
  packets.send(second, Side::client, post(kSession, call(1, "Quentin")), at(20));
  packets.send(sound, Side::client, post(kOther, call(7, "nobody")), at(25));
  packets.send(sound, Side::server, ok(reply(7, "nothing")), at(30));
  packets.send(second, Side::server, ok(reply(1, "Quentin owes nothing")), at(40));
  packets.send(first, Side::server, ok(reply(1, "Mallory owes 4012888888881881")), at(50));
}

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::map<std::string, std::string> files_of(const std::string& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files[fs::relative(entry.path(), folder).string()] = content(entry.path().string());
  }
  return files;
}

pipeline::ScanResult scan_of(const std::string& input, const Limits& limits = {}, pipeline::TimelineTap* tap = nullptr) {
  pipeline::ScanOptions options;
  options.inputs = {input};
  options.threads = 1;
  return pipeline::scan(options, knowledge(), limits, [](const std::string&, std::uint64_t) {}, tap);
}

Result<pipeline::ExtractResult> extract_first(const std::string& input, const std::string& folder, bool share) {
  pipeline::ExtractOptions options;
  options.scan.inputs = {input};
  options.scan.threads = 1;
  options.incident = scan_of(input).report.incidents.at(0).id;
  options.folder = folder;
  options.command = "mcpscan extract";
  options.share = share;
  return pipeline::extract_incident(options, knowledge(), [](const std::string&, std::uint64_t) {});
}

std::string as_it_stands(std::string_view text) { return std::string(text); }

void check_same(const std::string& input, const std::string& bundle) {
  const auto whole = scan_of(input), again = scan_of(bundle);
  CHECK(again.problems.empty());
  CHECK(pipeline::find_same_incident(whole.report, whole.report.incidents.at(0), again.report, as_it_stands) != nullptr);
  CHECK(pipeline::shows_nothing_new(whole.report, again.report, as_it_stands));
}

void check_names_nobody(const std::string& bundle) {
  for (const auto& [name, text] : files_of(bundle)) {
    INFO(name);
    for (const char* own : {kSession, kOther, "Mallory", "Quentin", "10.20.30", "\x0a\x14\x1e", "plum", "4012888888881881", "blue whale"}) {
      INFO(own);
      CHECK(text.find(own) == std::string::npos);
    }
  }
}

}  // namespace

TEST_CASE("an incident whose fault is surer than before is not the same: the evidence that clears somebody is missing") {
  const ScratchFolder folder;
  const auto whole = scan_of(folder.write("gateway.log", gateway_log()));
  auto other = whole;
  REQUIRE_FALSE(other.report.findings.empty());
  CHECK(pipeline::find_same_incident(whole.report, whole.report.incidents.at(0), other.report, as_it_stands) != nullptr);
  for (model::Finding& finding : other.report.findings) finding.fault.certainty = finding.fault.certainty == model::Certainty::proven ? model::Certainty::strong : model::Certainty::proven;
  CHECK(pipeline::find_same_incident(whole.report, whole.report.incidents.at(0), other.report, as_it_stands) == nullptr);
}

TEST_CASE("An exchange that only the look of replies tells is cut down to its two calls: the bundle holds what the other replies taught") {
  const ScratchFolder folder;
  std::string log;
  int id = 0;
  const auto line = [&](const std::string& json) { log += fmt::format("2026-11-29T08:00:{:02}.{:03}Z INFO gateway session={} body={}\n", log.size() / 10000, log.size() % 10000 / 10, kSession, json); };
  const auto ask = [&](const char* tool) { line(fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":"tools/call","params":{{"name":"{}","arguments":{{}}}}}})", ++id, tool)); };
  const auto answer = [&](int of, const char* member) { line(fmt::format(R"({{"jsonrpc":"2.0","id":{},"result":{{"content":[{{"type":"text","text":"{{\"{}\":{}}}"}}]}}}})", of, member, of % 5)); };
  for (int i = 0; i < 200; ++i) {
    ask("search"), answer(id, "hits");
    ask("query"), answer(id, "rows");
  }
  ask("search"), ask("query"), answer(id - 1, "rows"), answer(id, "hits");
  pipeline::ExtractOptions options;
  options.scan.inputs = {folder.write("gateway.log", log)};
  options.scan.threads = 1;
  options.folder = (fs::path(folder.path()) / "bundle").string();
  options.incident = "inc-";
  const auto done = pipeline::extract_incident(options, knowledge(), [](const std::string&, std::uint64_t) {});
  REQUIRE(done.ok());
  CHECK(done->manifest.shapes == "reply-shapes.json");
  CHECK(done->manifest.reach == "calls");
  CHECK(done->bytes < log.size() / 20);
}

TEST_CASE("A log is cut to the incident's records with a few neighbours, and shows the incident again") {
  const ScratchFolder folder;
  const std::string log = folder.write("gateway.log", gateway_log()), bundle = folder.path("bundle");
  const auto result = extract_first(log, bundle, false);
  REQUIRE(result);
  const std::string part = content(bundle + "/evidence/gateway.log");
  CHECK(gateway_log().find(part.substr(0, part.find('\n'))) != std::string::npos);
  CHECK(part.find("Quentin") != std::string::npos);
  CHECK(part.find("nobody") == std::string::npos);
  CHECK(part.find("housekeeping") != std::string::npos);
  CHECK(result->bytes < result->source_bytes / 2);
  check_same(log, bundle);
  CHECK(files_of(bundle).contains("report.json"));
  CHECK(files_of(bundle)["report.txt"].find(folder.path("")) == std::string::npos);
}

TEST_CASE("A capture is cut to whole connections, packet by packet as they stood") {
  const ScratchFolder folder;
  const std::string capture = folder.path("wire.pcap"), bundle = folder.path("bundle");
  write_capture(capture);
  const auto result = extract_first(capture, bundle, false);
  REQUIRE(result);
  const std::string part = content(bundle + "/evidence/wire.pcap");
  CHECK(part.substr(0, 24) == content(capture).substr(0, 24));
  CHECK(part.find("Mallory owes") != std::string::npos);
  CHECK(part.find("nobody") == std::string::npos);
  CHECK(result->manifest.parts.at(0).records == 10);
  CHECK(result->manifest.parts.at(0).records_of == 15);
  check_same(capture, bundle);
}

TEST_CASE("A shared log shows the same incident and names nobody") {
  const ScratchFolder folder;
  const std::string log = folder.write("plum.log", gateway_log()), bundle = folder.path("bundle");
  REQUIRE(extract_first(log, bundle, true));
  check_same(log, bundle);
  check_names_nobody(bundle);
}

TEST_CASE("What a call is about is replaced where it is no tool's name, and the incident is the same") {
  const ScratchFolder folder;
  std::string text;
  const auto body = [&](int second, const std::string& json) { text += fmt::format("2026-11-29T08:00:{:02}.000Z INFO gateway session={} body={}\n", second, kSession, json); };
  body(1, R"({"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"plum://Mallory/accounts"}})");
  body(2, R"({"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"plum://Quentin/accounts"}})");
  body(3, R"({"jsonrpc":"2.0","id":1,"result":{"contents":[{"uri":"plum://Mallory/accounts","text":"none"}]}})");
  const std::string log = folder.write("plum.log", text), bundle = folder.path("bundle");
  REQUIRE(extract_first(log, bundle, true));
  CHECK(scan_of(log).report.incidents.at(0).tools.empty());
  check_same(log, bundle);
  check_names_nobody(bundle);
}

TEST_CASE("A shared capture is written anew with the same incident, and names nobody") {
  const ScratchFolder folder;
  const std::string capture = folder.path("plum.pcap"), bundle = folder.path("bundle");
  write_capture(capture);
  REQUIRE(extract_first(capture, bundle, true));
  check_same(capture, bundle);
  check_names_nobody(bundle);
}

TEST_CASE("A second extract is the same, byte for byte, wherever it goes") {
  const ScratchFolder folder;
  const std::string log = folder.write("gateway.log", gateway_log());
  for (const bool share : {false, true}) {
    const std::string one = folder.path(share ? "s1" : "one"), two = folder.path(share ? "s2" : "two");
    REQUIRE(extract_first(log, one, share));
    REQUIRE(extract_first(log, two, share));
    CHECK(files_of(one) == files_of(two));
  }
}

TEST_CASE("An extract of a bundle is possible, and is no larger") {
  const ScratchFolder folder;
  const std::string log = folder.write("gateway.log", gateway_log()), first = folder.path("first"), second = folder.path("second");
  REQUIRE(extract_first(log, first, false));
  REQUIRE(extract_first(first, second, false));
  CHECK(files_of(second)["evidence/gateway.log"].size() <= files_of(first)["evidence/gateway.log"].size());
}

TEST_CASE("An unknown incident is told with those there are, and no folder appears") {
  const ScratchFolder folder;
  pipeline::ExtractOptions options;
  options.scan.inputs = {folder.write("gateway.log", gateway_log())};
  options.scan.threads = 1;
  options.incident = "inc-000000";
  options.folder = folder.path("bundle");
  const auto result = pipeline::extract_incident(options, knowledge(), [](const std::string&, std::uint64_t) {});
  REQUIRE_FALSE(result);
  CHECK(result.error().hint.find("One id for concurrent calls") != std::string::npos);
  CHECK_FALSE(fs::exists(options.folder));
}

TEST_CASE("More records than extract_places make the inputs the only choice") {
  const ScratchFolder folder;
  const std::string log = folder.write("gateway.log", gateway_log());
  const auto whole = scan_of(log);
  Limits limits;
  limits.extract_places = 2;
  pipeline::IncidentPlaces places(whole.report, whole.report.incidents.at(0), limits);
  scan_of(log, limits, &places);
  places.collect(pipeline::Reach::calls);
  scan_of(log, limits, &places);
  CHECK(places.overflowed());
}
