#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include "report/escape.h"
#include "report/utf8.h"

using namespace mcpscan::report;

namespace {

std::string json(std::string_view text) {
  std::string to;
  append_json_string(to, text);
  return to;
}

}  // namespace

TEST_CASE("terminal text shows controls, ANSI and C1 as what they are") {
  CHECK(escape_terminal("a\x1b[31mred\x1b[0m") == "a\\x1b[31mred\\x1b[0m");
  CHECK(escape_terminal("one\r\ntwo\tthree") == "one\\r\\ntwo\\tthree");
  CHECK(escape_terminal(std::string_view("nul\0del\x7f", 8)) == "nul\\x00del\\x7f");
  CHECK(escape_terminal("csi\xc2\x9b" "2J") == "csi\\x9b2J");
  CHECK(escape_terminal("bell\x07") == "bell\\x07");
}

TEST_CASE("terminal text shows every mark that reorders or hides text") {
  CHECK(escape_terminal("\xe2\x80\xae" "exe.gpj") == "\\u{202e}exe.gpj");
  CHECK(escape_terminal("\xe2\x81\xa6x\xe2\x81\xa9") == "\\u{2066}x\\u{2069}");
  CHECK(escape_terminal("zero\xe2\x80\x8bwidth") == "zero\\u{200b}width");
  CHECK(escape_terminal("line\xe2\x80\xa8sep") == "line\\u{2028}sep");
  CHECK(escape_terminal("tag\xf3\xa0\x81\xa1") == "tag\\u{e0061}");
  CHECK(escape_terminal("\xef\xbb\xbf" "bom") == "\\u{feff}bom");
}

TEST_CASE("terminal text keeps letters of all scripts and bounds stacked marks") {
  const std::string_view plain = "r\xc3\xa9sum\xc3\xa9 \xe4\xbd\xa0\xe5\xa5\xbd \xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d \xf0\x9f\x98\x80";
  CHECK(escape_terminal(plain) == plain);
  CHECK(escape_terminal("e\xcc\x81\xcc\x81\xcc\x81\xcc\x81") == "e\xcc\x81\xcc\x81\xcc\x81\\u{301}");
}

TEST_CASE("invalid UTF-8 becomes visible bytes, one by one") {
  CHECK(escape_terminal("\xff\xfe") == "\\xff\\xfe");
  CHECK(escape_terminal("cut \xe4\xbd") == "cut \\xe4\\xbd");
  CHECK(escape_terminal("overlong \xc0\xaf") == "overlong \\xc0\\xaf");
  CHECK(escape_terminal("surrogate \xed\xa0\x80") == "surrogate \\xed\\xa0\\x80");
  CHECK(escape_terminal("beyond \xf4\x90\x80\x80") == "beyond \\xf4\\x90\\x80\\x80");
}

TEST_CASE("JSON strings decode to the text they were made from") {
  const std::string text("q\" b\\ \n\t\r\x01\x1b\x7f\xc2\x9b \xe2\x80\xae \xf3\xa0\x81\xa1 \xe4\xbd\xa0 \xf0\x9f\x98\x80");
  CHECK(nlohmann::json::parse(json(text)).get<std::string>() == text);
}

TEST_CASE("JSON strings hold no raw control, bidi mark or invalid byte") {
  CHECK(json("\x1b\n") == "\"\\u001b\\n\"");
  CHECK(json("\xe2\x80\xae\xf3\xa0\x81\xa1") == "\"\\u202e\\udb40\\udc61\"");
  CHECK(json("a\xff" "b") == "\"a\\\\xffb\"");
  CHECK(json("a\xfe" "b") != json("a\xff" "b"));
}

TEST_CASE("widths count terminal cells, not bytes") {
  CHECK(text_width("abc") == 3);
  CHECK(text_width("\xe4\xbd\xa0\xe5\xa5\xbd") == 4);
  CHECK(text_width("e\xcc\x81") == 1);
  CHECK(text_width("\xf0\x9f\x98\x80") == 2);
}

TEST_CASE("a prefix never cuts a code point") {
  CHECK(utf8_prefix("ab\xe4\xbd\xa0", 4) == "ab");
  CHECK(utf8_prefix("ab\xe4\xbd\xa0", 5) == "ab\xe4\xbd\xa0");
  CHECK(utf8_prefix("\x80\x80\x80\x80\x80", 4).size() <= 4);
}
