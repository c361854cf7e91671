#include <catch2/catch.hpp>

#include "report/layout.h"
#include "report/utf8.h"

using namespace mcpscan::report;
using Lines = std::vector<std::string>;

TEST_CASE("numbers carry thousands separators and their noun") {
  CHECK(thousands(0) == "0");
  CHECK(thousands(999) == "999");
  CHECK(thousands(1000) == "1,000");
  CHECK(thousands(18446744073709551615ull) == "18,446,744,073,709,551,615");
  CHECK(counted(1, "call") == "1 call");
  CHECK(counted(0, "reply", "replies") == "0 replies");
}

TEST_CASE("percent never rounds to all or to none") {
  CHECK(percent(424, 499) == "85 %");
  CHECK(percent(9999, 10000) == "over 99 %");
  CHECK(percent(1, 10000) == "under 1 %");
  CHECK(percent(10, 10) == "100 %");
  CHECK(percent(0, 0) == "0 %");
}

TEST_CASE("lists of words end with and, or with how many are left out") {
  CHECK(joined({"a"}, 4) == "a");
  CHECK(joined({"a", "b"}, 4) == "a and b");
  CHECK(joined({"a", "b", "c"}, 2) == "a, b and 1 more");
  CHECK(joined({}, 2).empty());
}

TEST_CASE("wrapping breaks at spaces and keeps runs of spaces inside a line") {
  CHECK(wrapped("one two three", 7, 7) == Lines{"one two", "three"});
  CHECK(wrapped("a    b c", 6, 6) == Lines{"a    b", "c"});
  CHECK(wrapped("first line is short", 5, 20) == Lines{"first", "line is short"});
  CHECK(wrapped("", 5, 5) == Lines{""});
  CHECK(wrapped("   ", 5, 5) == Lines{""});
}

TEST_CASE("wrapping breaks a word that is longer than a line, at a code point") {
  CHECK(wrapped("abcdefgh", 3, 3) == Lines{"abc", "def", "gh"});
  CHECK(wrapped("\xe4\xbd\xa0\xe5\xa5\xbd\xe4\xbd\xa0", 5, 5) == Lines{"\xe4\xbd\xa0\xe5\xa5\xbd", "\xe4\xbd\xa0"});
  CHECK(wrapped("t1\xe2\x9c\x9c", 2, 2) == Lines{"t1", "\xe2\x9c\x9c"});
  CHECK(wrapped("ab", 0, 0) == Lines{"ab"});
}

TEST_CASE("shortening keeps both ends and fits exactly") {
  CHECK(shortened("0123456789", 10) == "0123456789");
  CHECK(shortened("0123456789", 5) == "01…89");
  CHECK(text_width(shortened("\xe4\xbd\xa0\xe5\xa5\xbd\xe4\xbd\xa0\xe5\xa5\xbd", 5)) <= 5);
  CHECK(shortened("abc", 1) == "…");
  CHECK(shortened("abc", 0).empty());
}

TEST_CASE("a table drops optional columns before it shortens the others") {
  Table table({{"NAME", Table::Kind::text, true}, {"N", Table::Kind::number}, {"NOTE", Table::Kind::text, false, true}});
  table.add({"a-long-name-to-show", "7", "remark"});
  CHECK(table.lines(40) == Lines{"NAME                 N  NOTE", "a-long-name-to-show  7  remark"});
  CHECK(table.lines(22) == Lines{"NAME                 N", "a-long-name-to-show  7"});
  CHECK(table.lines(14) == Lines{"NAME         N", "a-lon…-show  7"});
}
