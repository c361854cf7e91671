#include "ingest/text/json_array.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

namespace mcpscan::ingest {
namespace {

// Gives its text in pieces of the size given.
class Pieces : public ByteReader {
 public:
  Pieces(std::string text, std::size_t piece) : text_(std::move(text)), piece_(piece) {}
  std::size_t read(std::span<char> to) override {
    const std::size_t count = std::min({to.size(), piece_, text_.size() - at_});
    std::copy_n(text_.data() + at_, count, to.data());
    at_ += count;
    return count;
  }

 private:
  std::string text_;
  std::size_t piece_, at_ = 0;
};

std::string as_lines(const std::string& text, std::size_t piece = 1 << 20) {
  Pieces pieces(text, piece);
  JsonArrayLines lines(pieces);
  std::string all;
  char room[7];
  for (std::size_t count = lines.read(room); count != 0; count = lines.read(room)) all.append(room, count);
  return all;
}

std::string without_blanks(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  return text;
}

const std::string kPretty = "[\n  {\n    \"debug\": \"a [b], {c}\",\n    \"n\": [1, 2]\n  },\n  {\n    \"error\": \"x \\\" y\"\n  }\n]\n";

TEST_CASE("an array over lines is told from a batch on one line and from a log line in brackets") {
  CHECK(is_array_over_lines(kPretty));
  CHECK(is_array_over_lines("\n[\r\n{\"a\":1}"));
  CHECK_FALSE(is_array_over_lines("[{\"jsonrpc\":\"2.0\"}]\n"));
  CHECK_FALSE(is_array_over_lines("[info] {\"a\":1}\n"));
  CHECK_FALSE(is_array_over_lines("[\n1\n]"));
  CHECK_FALSE(is_array_over_lines("[\n"));
  CHECK_FALSE(is_array_over_lines(""));
}

TEST_CASE("each element becomes one line, its blanks stay in number, and its strings stay as they are") {
  const std::string lines = as_lines(kPretty);
  CHECK(std::count(lines.begin(), lines.end(), '\n') == 1);
  CHECK(without_blanks(lines).starts_with("{\"debug\":\"a[b],{c}\",\"n\":[1,2]}\n{\"error\":\"x\\\"y\"}"));
  CHECK(lines.find("\"a [b], {c}\"") != std::string::npos);
  const std::size_t before_first = kPretty.find('{');
  CHECK(lines.find("\"error\"") + before_first == kPretty.find("\"error\""));
}

TEST_CASE("the lines do not depend on how the bytes are cut") {
  const std::string whole = as_lines(kPretty);
  for (std::size_t piece = 1; piece < kPretty.size(); ++piece) CHECK(as_lines(kPretty, piece) == whole);
}

TEST_CASE("a string that does not end breaks its element only") {
  const std::string lines = without_blanks(as_lines("[\n{\"a\":\"one\n},\n{\"b\":2},\n{\"c\":\"cut"));
  CHECK(lines.find("\n{\"b\":2}\n") != std::string::npos);
  CHECK(lines.find("\n{\"c\":\"cut") != std::string::npos);
}

TEST_CASE("what stands behind the array and elements that are no objects are lines of their own") {
  CHECK(without_blanks(as_lines("[\n{\"a\":1},\n7,\n\"x,y\",\n[1,2]]\n{\"b\":2}\n")) == "{\"a\":1}\n7\n\"x,y\"\n[1,2]\n{\"b\":2}");
}

}  // namespace
}  // namespace mcpscan::ingest
