// What a shape leaves is what the rules leave: every sample of every dialect, with its digits changed in many ways, is read with a memo
// that knows its shape as it is read without one.
#include "ingest/text/shape_memo.h"

#include <catch2/catch.hpp>

#include "ingest/text/parser_memo.h"
#include "unit/ingest/log_test_kit.h"

using namespace mcpscan;
using mcpscan::tests::parse_block;
using mcpscan::tests::Read;

namespace {

// Each digit moved on by a step of its own, so that addresses, ports, statuses and times become others, sound or not.
std::string with_other_digits(std::string text, unsigned round) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] >= '0' && text[i] <= '9') text[i] = static_cast<char>('0' + (static_cast<unsigned>(text[i] - '0') + round * (i % 3 == 0 ? 1 : 7)) % 10);
  }
  return text;
}

}  // namespace

TEST_CASE("a shape has the same digit everywhere and all else as it stood") {
  ingest::ShapeMemo memo;
  CHECK(memo.shape("INFO:     10.7.247.84:36627 - \"POST /mcp HTTP/1.1\" 200 OK") == "INFO:     11.1.111.11:11111 - \"POST /mcp HTTP/1.1\" 111 OK");
  CHECK(memo.shape(std::string(ingest::ShapeMemo::kBytes + 1, 'x')).empty());
}

TEST_CASE("a shape is known by what was learned of it last, until others take its place") {
  ingest::ShapeMemo memo;
  CHECK(memo.find("a 1") == nullptr);
  ingest::ShapeMemo::Known known;
  known.add(7);
  memo.learn("a 1", known);
  REQUIRE(memo.find("a 5") != nullptr);
  CHECK(memo.find("a 5")->places[0] == 7);
  CHECK(memo.find("a 55") == nullptr);
  known.sightings = 1;
  memo.learn("a 9", known);
  CHECK(!memo.find("a 1")->tells());
}

TEST_CASE("samples of every dialect are read alike with a memo of their shapes, whatever their digits say") {
  std::size_t lines = 0;
  for (const EmbeddedFile& file : embedded_dialects()) {
    const auto dialect = ingest::load_dialect(file.text, file.path);
    REQUIRE(dialect.ok());
    ingest::LogParser parser(tests::all_dialects(), {}, {});
    for (const ingest::Sample& sample : dialect->samples) {
      parser.calibrate(sample.line);
      ingest::ParserMemo memo;
      for (unsigned round = 0; round < 20; ++round) {
        const std::string line = with_other_digits(sample.line, round);
        parse_block(parser, line, 1, 0, &memo);
        CHECK(parse_block(parser, line, 1, 0, &memo) == parse_block(parser, line, 1, 0));
        ++lines;
      }
    }
  }
  CHECK(lines > 1000);
}
