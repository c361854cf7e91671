#include "ingest/text/csv_records.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

#include "unit/ingest/pieces_reader.h"

namespace mcpscan::ingest {
namespace {

std::string as_lines(const std::string& text, std::size_t piece = 1 << 20, const Limits& limits = {}) {
  tests::PiecesReader pieces(text, piece);
  CsvRecordLines lines(pieces, limits);
  std::string all;
  char room[7];
  for (std::size_t count = lines.read(room); count != 0; count = lines.read(room)) all.append(room, count);
  return all;
}

TEST_CASE("a table of records names a time and a text") {
  CHECK(is_csv_of_records("timestamp,message\n1,a\n"));
  CHECK(is_csv_of_records("\xEF\xBB\xBF\"@timestamp\",\"@message\",\"@logStream\"\r\n"));
  CHECK(is_csv_of_records("Date,Host,Service,Message\n"));
  CHECK_FALSE(is_csv_of_records("timestamp,message"));
  CHECK_FALSE(is_csv_of_records("time,level\n"));
  CHECK_FALSE(is_csv_of_records("2026-11-29 16:35:55,274 - the message, at that time\n"));
}

TEST_CASE("rows become objects: quotes doubled, line ends and commas in cells, CRLF, an end without a line end") {
  const std::string text = "\xEF\xBB\xBF\"Date\",Message\r\n1,\"{\"\"a\"\": \"\"b,c\"\"}\"\r\n2,\"x\ny\"\r\n\r\n3,back\\slash\t!";
  const std::string lines = "{\"date\":\"1\",\"message\":\"{\\\"a\\\": \\\"b,c\\\"}\"}\n{\"date\":\"2\",\"message\":\"x\\ny\"}\n{\"date\":\"3\",\"message\":\"back\\\\slash\\u0009!\"}\n";
  CHECK(as_lines(text) == lines);
  for (std::size_t piece = 1; piece < text.size(); ++piece) CHECK(as_lines(text, piece) == lines);
}

TEST_CASE("rows with too few or too many cells keep what has a name") {
  CHECK(as_lines("timestamp,message\n1\n1,2,3\n,\n") == "{\"timestamp\":\"1\"}\n{\"timestamp\":\"1\",\"message\":\"2\"}\n{\"timestamp\":\"\",\"message\":\"\"}\n");
}

TEST_CASE("a row beyond Limits::line_bytes keeps its beginning, and the next row is read") {
  Limits limits;
  limits.line_bytes = 10;
  CHECK(as_lines("time,log\n1,abcdefghijklmnop\n2,b\n", 3, limits) == "{\"time\":\"1\",\"log\":\"\"}\n{\"time\":\"2\",\"log\":\"\"}\n");
  limits.line_bytes = 16;
  CHECK(as_lines("time,log\n1,abcdefghijklmnop\n2,b\n", 3, limits) == "{\"time\":\"1\",\"log\":\"abcde\"}\n{\"time\":\"2\",\"log\":\"b\"}\n");
}

}  // namespace
}  // namespace mcpscan::ingest
