#include <catch2/catch.hpp>

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "pipeline/verify.h"

using namespace mcpscan;

namespace {

// A log that is gone with its folder at the end of the test.
class LogFile {
 public:
  LogFile() : folder_((std::filesystem::temp_directory_path() / "mcpscan-verify-XXXXXX").string()) { REQUIRE(mkdtemp(folder_.data()) != nullptr); }
  ~LogFile() { std::filesystem::remove_all(folder_); }
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;
  std::string path() const { return folder_ + "/gateway.log"; }
  void say(int ms, std::string_view text) {
    lines_ += fmt::format("2026-01-05 {:02}:{:02}:{:02}.{:03} DEBUG gateway {}\n", 8 + ms / 3600000, ms / 60000 % 60, ms / 1000 % 60, ms % 1000, text);
  }
  void write() const { std::ofstream(path()) << lines_; }

 private:
  std::string folder_, lines_;
};

void ask(LogFile& log, int ms, int id, std::string_view tool, int key) {
  log.say(ms, fmt::format(R"(--> session=5f0c2b4e8d1a4c7f9e3b6a2d1c0f8e7b {{"jsonrpc":"2.0","id":{},"method":"tools/call","params":{{"name":"{}","arguments":{{"key":"order-{}"}}}}}})", id, tool, key));
}

void answer(LogFile& log, int ms, int id, std::string_view text) {
  log.say(ms, fmt::format(R"(<-- session=5f0c2b4e8d1a4c7f9e3b6a2d1c0f8e7b {{"jsonrpc":"2.0","id":{},"result":{{"content":[{{"type":"text","text":"{}"}}]}}}})", id, text));
}

// Two tools in turn, two calls at a time, 300 ms each, a wave every 5 s.
void write_day(LogFile& log, int waves) {
  log.say(0, R"(--> session=5f0c2b4e8d1a4c7f9e3b6a2d1c0f8e7b {"jsonrpc":"2.0","id":900,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}})");
  log.say(2, R"(<-- session=5f0c2b4e8d1a4c7f9e3b6a2d1c0f8e7b {"jsonrpc":"2.0","id":900,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}})");
  for (int wave = 0; wave < waves; ++wave) {
    const int at = 10 + wave * 5000, id = 2 * wave;
    ask(log, at, id, "find_order", 10000 + id);
    ask(log, at + 5, id + 1, "ship_order", 10001 + id);
    answer(log, at + 300, id, fmt::format("order-{} is packed", 10000 + id));
    answer(log, at + 310, id + 1, fmt::format("label for order-{}: {} g", 10001 + id, 100 + wave));
  }
  log.write();
}

pipeline::VerifyResult verified(const LogFile& log, const Limits& limits = {}) {
  pipeline::ScanOptions options;
  options.inputs = {log.path()};
  options.threads = 1;
  return pipeline::verify(options, pipeline::load_knowledge({}, {}), limits, 5, [](const std::string&, std::uint64_t) {});
}

const pipeline::VerifyRow& row_of(const pipeline::VerifyResult& result, std::string_view rule) {
  for (const auto& row : result.rows) {
    if (row.rule == rule) return row;
  }
  FAIL("no row for " << rule);
  return result.rows.front();
}

}  // namespace

TEST_CASE("faults seeded into a clean log are found, and nobody else is accused") {
  LogFile log;
  write_day(log, 40);
  const pipeline::VerifyResult result = verified(log);
  CHECK(result.calls == 80);
  CHECK(result.sessions == 1);
  CHECK(result.findings == 0);
  for (const auto& row : result.rows) {
    INFO(row.fault);
    CHECK(row.false_alarms == 0);
    if (row.seeded > 0) CHECK(row.found == row.seeded);
  }
  for (const std::string_view rule : {"reply-mismatch", "orphan-reply", "id-type-drift", "duplicate-request-id", "lost-reply", "late-reply", "duplicate-reply"}) {
    INFO(rule);
    CHECK(row_of(result, rule).seeded == 5);
  }
}

TEST_CASE("a fault that the evidence cannot carry is not seeded, and why is told") {
  LogFile log;
  write_day(log, 40);
  const pipeline::VerifyResult result = verified(log);
  CHECK(row_of(result, "wrong-channel-reply").seeded == 0);
  CHECK(row_of(result, "wrong-channel-reply").why_not == "the evidence does not tell streams, or no two calls overlap");
}

TEST_CASE("calls over verify_calls are left out and counted; replies over verify_reply_bytes are not exchanged") {
  LogFile log;
  write_day(log, 40);
  Limits limits;
  limits.verify_calls = 30;
  CHECK(verified(log, limits).calls_left_out == 50);
  limits = {};
  limits.verify_reply_bytes = 10;
  CHECK(row_of(verified(log, limits), "reply-mismatch").seeded == 0);
}
