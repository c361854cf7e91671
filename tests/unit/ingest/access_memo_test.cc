// What is known of an access line is what the rules say of each: lines that differ in some of their digits are read with a memo as without one.
#include "ingest/text/access_memo.h"

#include <catch2/catch.hpp>

#include "ingest/text/parser_memo.h"
#include "unit/ingest/log_test_kit.h"

using namespace mcpscan;
using mcpscan::tests::parse_block;
using mcpscan::tests::Read;

namespace {

// Each run of digits in turn is moved on, alone or with those before it.
std::string with_a_run_changed(std::string text, unsigned round) {
  unsigned run = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (digit && (i == 0 || text[i - 1] < '0' || text[i - 1] > '9')) ++run;
    if (digit && (run == round % 7 || run == round % 5)) text[i] = static_cast<char>('0' + (static_cast<unsigned>(text[i] - '0') + round) % 10);
  }
  return text;
}

struct Memory {
  explicit Memory(const std::string& calibration) : parser(tests::all_dialects(), {}, {}) { parser.calibrate(calibration); }
  // As often as it takes to know a line.
  void learn(const std::string& line) {
    for (int i = 0; i <= ingest::ShapeMemo::kSightings; ++i) parse_block(parser, line, 1, 0, &memo);
  }
  // The line, read with what is remembered and without.
  bool same(const std::string& text) { return parse_block(parser, text, 1, 0, &memo) == parse_block(parser, text, 1, 0); }
  bool knows(const std::string& line) {
    const ingest::TimeContext context;
    ingest::TimeReader times(context);
    Time at;
    return memo.accesses.find(line, times, at) != nullptr;
  }
  ingest::LogParser parser;
  ingest::ParserMemo memo;
};

}  // namespace

TEST_CASE("an access line with another address of the same form is known, and gives its own address and port") {
  Memory memory("INFO:     10.7.247.84:36627 - \"POST /mcp HTTP/1.1\" 200 OK\n");
  memory.learn("INFO:     10.7.247.84:36627 - \"POST /mcp HTTP/1.1\" 200 OK");
  for (const char* line : {"INFO:     10.7.247.84:36627 - \"POST /mcp HTTP/1.1\" 200 OK", "INFO:     10.7.247.85:36628 - \"POST /mcp HTTP/1.1\" 200 OK",
                           "INFO:     10.8.111.22:41001 - \"POST /mcp HTTP/1.1\" 200 OK"}) {
    CHECK(memory.same(line));
  }
  CHECK(memory.knows("INFO:     99.9.199.99:12345 - \"POST /mcp HTTP/1.1\" 200 OK"));
  CHECK(memory.same("INFO:     99.9.199.99:12345 - \"POST /mcp HTTP/1.1\" 200 OK"));
  const std::vector<Read> read = parse_block(memory.parser, "INFO:     99.9.199.99:12345 - \"POST /mcp HTTP/1.1\" 200 OK", 1, 0, &memory.memo);
  REQUIRE(read.size() == 1);
  CHECK(read[0].peer == "99.9.199.99");
  CHECK(read[0].all.find("12345") != std::string::npos);
}

TEST_CASE("a health check is known whoever asks for it") {
  Memory memory("INFO:     10.7.247.84:36627 - \"GET /health HTTP/1.1\" 200 OK");
  memory.learn("INFO:     10.7.247.84:36627 - \"GET /health HTTP/1.1\" 200 OK");
  for (const char* peer : {"10.7.247.84:36627", "10.7.247.85:36628", "10.8.111.22:41001", "99.9.199.99:12345"}) {
    CHECK(memory.same(std::string("INFO:     ") + peer + " - \"GET /health HTTP/1.1\" 200 OK"));
  }
  CHECK(memory.knows("INFO:     10.7.247.84:36699 - \"GET /health HTTP/1.1\" 200 OK"));
}

TEST_CASE("another status, path or impossible port is another line") {
  const std::string line = "INFO:     10.7.247.84:36627 - \"POST /mcp HTTP/1.1\" 200 OK";
  Memory memory(line);
  memory.learn(line);
  REQUIRE(memory.knows(line));
  for (const char* other : {"INFO:     10.7.247.84:36627 - \"POST /mcp HTTP/1.1\" 404 OK", "INFO:     10.7.247.84:36627 - \"POST /mcq HTTP/1.1\" 200 OK",
                            "INFO:     10.7.247.84:65536 - \"POST /mcp HTTP/1.1\" 200 OK", "INFO:     10.7.247.84:00000 - \"POST /mcp HTTP/1.1\" 200 OK",
                            "INFO:     10.7.247.84:36627 - \"POST /mcp HTTP/1.0\" 200 OK", "INFO:     10.7.247.84:36627 - \"POST /mcp HTTP/1.1\" 200 OK."}) {
    CHECK_FALSE(memory.knows(other));
    CHECK(memory.same(other));
  }
}

TEST_CASE("a time before an access line is the line's own") {
  const std::string head = "2026-11-29 16:53:0", tail = " - uvicorn.access - INFO - 10.0.0.7:1234 - \"POST /mcp HTTP/1.1\" 200\n";
  Memory memory(head + "1,007" + tail);
  memory.learn(head + "1,007" + tail);
  for (const char* second : {"1,007", "2,017", "3,027", "4,037", "5,047"}) CHECK(memory.same(head + second + tail));
  CHECK(memory.knows("2026-11-29 16:59:59,999 - uvicorn.access - INFO - 10.0.0.9:4321 - \"POST /mcp HTTP/1.1\" 200"));
  CHECK_FALSE(memory.knows("2026-11-30 16:59:59,999 - uvicorn.access - INFO - 10.0.0.9:4321 - \"POST /mcp HTTP/1.1\" 200"));
}

TEST_CASE("a known access line that goes on keeps what belongs to it") {
  const std::string line = "INFO:     10.7.247.84:36627 - \"POST /mcp HTTP/1.1\" 200 OK\n";
  Memory memory(line);
  memory.learn(line);
  const std::string torn = line + line + "Traceback (most recent call last):\n  File \"x.py\", line 1\nValueError: x\n" + line + "  and more\n" + line;
  CHECK(memory.same(torn));
  CHECK(parse_block(memory.parser, torn, 1, 0, &memory.memo).size() == 4);
}

TEST_CASE("samples of every dialect are read alike whichever of their numbers change") {
  std::size_t lines = 0, known = 0;
  for (const EmbeddedFile& file : embedded_dialects()) {
    const auto dialect = ingest::load_dialect(file.text, file.path);
    REQUIRE(dialect.ok());
    for (const ingest::Sample& sample : dialect->samples) {
      Memory memory(sample.line);
      memory.learn(sample.line);
      for (unsigned round = 1; round < 36; ++round) {
        const std::string line = with_a_run_changed(sample.line, round);
        known += memory.knows(line);
        INFO(line);
        CHECK(memory.same(line));
        ++lines;
      }
    }
  }
  CHECK(lines > 1000);
  CHECK(known > 20);
}
