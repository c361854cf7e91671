// Log entries as the Google Cloud CLI prints them: YAML documents, read as JSON lines.
#include "ingest/text/yaml_records.h"

#include <catch2/catch.hpp>

#include <string>

#include "unit/ingest/pieces_reader.h"

namespace mcpscan::ingest {
namespace {

std::string as_lines(const std::string& text, std::size_t piece = 1 << 20, const Limits& limits = {}) {
  tests::PiecesReader pieces(text, piece);
  YamlRecordLines lines(pieces, limits);
  std::string all;
  char room[7];
  for (std::size_t count = lines.read(room); count != 0; count = lines.read(room)) all.append(room, count);
  return all;
}

const std::string kEntry = "---\ninsertId: 65f1\nlabels:\n  a: b\nlogName: projects/p/logs/x\ntextPayload: hello\n";

TEST_CASE("a document with the keys of a log entry at its top is one, with any payload") {
  CHECK(is_yaml_of_records(kEntry));
  CHECK(is_yaml_of_records("\xEF\xBB\xBF---\r\nhttpRequest:\r\n  status: 200\r\ninsertId: a\r\n"));
  CHECK(is_yaml_of_records("insertId: a\njsonPayload:\n  message: b\n"));
}

TEST_CASE("other YAML and other text is none") {
  CHECK_FALSE(is_yaml_of_records("---\nkind: Pod\nmetadata:\n  name: a\n"));
  CHECK_FALSE(is_yaml_of_records("---\ntextPayload: of something else\n"));
  CHECK_FALSE(is_yaml_of_records("  insertId: a\n  textPayload: b\n"));
  CHECK_FALSE(is_yaml_of_records("2026-11-29 insertId: a\ntextPayload: b\n"));
  CHECK_FALSE(is_yaml_of_records("--- a/log.txt\n+++ b/log.txt\ninsertId: a\ntextPayload: b\n"));
  CHECK_FALSE(is_yaml_of_records(""));
}

TEST_CASE("each document is one line, however the bytes come") {
  const std::string text = kEntry + kEntry + "---\r\ninsertId: c\r\ntextPayload: d\r\n";
  const std::string line = R"({"insertId":"65f1","labels":{"a":"b"},"logName":"projects/p/logs/x","textPayload":"hello"})" "\n";
  const std::string lines = line + line + R"({"insertId":"c","textPayload":"d"})" "\n";
  CHECK(as_lines(text) == lines);
  for (std::size_t piece = 1; piece < text.size(); ++piece) CHECK(as_lines(text, piece) == lines);
}

TEST_CASE("folded, quoted and literal text is the text that it stands for") {
  CHECK(as_lines("textPayload: 'Created\n  new transport, ''x'''\ninsertId: \"a\\tb\"\n") == "{\"textPayload\":\"Created new transport, 'x'\",\"insertId\":\"a\\u0009b\"}\n");
  CHECK(as_lines("textPayload: |-\n  Request stream 7 not found\n    for message.\n  --- no new document\ninsertId: a\n") ==
        "{\"textPayload\":\"Request stream 7 not found\\n  for message.\\n--- no new document\",\"insertId\":\"a\"}\n");
}

TEST_CASE("a number is one where it is not quoted, and only as JSON knows it") {
  CHECK(as_lines("a: 7\nb: '7'\nc: -0.5e3\nd: 007\ne: .5\nf: true\ng: null\nh:\n- 1\n- x\n") ==
        R"({"a":7,"b":"7","c":-0.5e3,"d":"007","e":".5","f":true,"g":null,"h":[1,"x"]})" "\n");
}

TEST_CASE("a document that is no YAML is one line that is no JSON, and the next one is read") {
  CHECK(as_lines("---\ninsertId: [a\ntextPayload: b\n" + kEntry).substr(0, 36) == "--- insertId: [a textPayload: b\n{\"in");
}

TEST_CASE("bytes that YAML does not have cost no entry") {
  CHECK(as_lines("textPayload: a\x01z \xff\ninsertId: '\xc3\xa9'\n") == "{\"textPayload\":\"a z ?\",\"insertId\":\"\xc3\xa9\"}\n");
}

TEST_CASE("a document longer than a block is no entry, and the next one is read") {
  Limits limits;
  limits.block_bytes = 200;
  const std::string lines = as_lines("---\ninsertId: a\ntextPayload: " + std::string(300, 'x') + "\n" + kEntry, 1 << 20, limits);
  CHECK(lines.substr(0, 17) == "--- insertId: a .");
  CHECK(lines.find("\n{\"insertId\":\"65f1\"") != std::string::npos);
}

TEST_CASE("aliases that stand for more than a line may hold, and what is nested too deep, are given up") {
  Limits limits;
  limits.line_bytes = 1000;
  std::string bomb = "a: &a [x,x,x,x,x,x,x,x]\n";
  for (char c = 'b'; c < 'k'; ++c) bomb += std::string(1, c) + ": &" + c + " [*" + char(c - 1) + ",*" + char(c - 1) + ",*" + char(c - 1) + ",*" + char(c - 1) + "]\n";
  CHECK(as_lines(bomb, 1 << 20, limits).substr(0, 4) == "--- ");
  CHECK(as_lines("a: " + std::string(300, '[') + std::string(300, ']') + "\n").substr(0, 4) == "--- ");
  CHECK(as_lines("a: " + std::string(100000, '[') + "\n").substr(0, 4) == "--- ");
}

}  // namespace
}  // namespace mcpscan::ingest
