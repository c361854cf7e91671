#include "base/text_buffer.h"

#include <catch2/catch.hpp>

#include <cstring>
#include <string>

#include "base/text_head.h"

using mcpscan::text_head;
using mcpscan::TextBuffer;

TEST_CASE("a text buffer keeps what it holds when it grows, and is copied whole") {
  TextBuffer text(std::string_view("one"));
  const std::string more(5000, 'x');
  text.resize(3 + more.size());
  std::memcpy(text.data() + 3, more.data(), more.size());
  text.append('.');
  CHECK(text.view() == "one" + more + ".");
  const TextBuffer copy = text;
  text.resize(2);
  CHECK(text.view() == "on");
  CHECK(text.capacity() > more.size());
  CHECK(copy.view() == "one" + more + ".");
  text = {};
  CHECK(text.empty());
  CHECK(text.capacity() == 0);
}

TEST_CASE("the head of a text is never cut inside a character") {
  CHECK(text_head("abc", 3) == "abc");
  CHECK(text_head("abcd", 3) == "abc");
  CHECK(text_head("a\xC3\xBC", 2) == "a");
  CHECK(text_head("\xF0\x9F\x98\x80", 3).empty());
  CHECK(text_head("", 0).empty());
}
