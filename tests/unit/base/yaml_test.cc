#include "base/yaml.h"

#include <catch2/catch.hpp>

#include <string>

using namespace mcpscan;

namespace {

// The tree in one line: texts bare, quoted ones in quotes, null as ~.
std::string shown(const YamlNode& node) {
  if (node.is_null()) return "~";
  if (node.is_text()) return node.is_quoted() ? '"' + node.text() + '"' : node.text();
  std::string line;
  for (const YamlNode& item : node.items()) line += (line.empty() ? "" : " ") + shown(item);
  for (const YamlEntry& entry : node.entries()) line += (line.empty() ? "" : " ") + shown(entry.key) + ":" + shown(entry.value);
  return node.is_list() ? "[" + line + "]" : node.is_map() ? "{" + line + "}" : "?";
}

std::string shown(std::string_view text) { return shown(read_yaml(text).root); }

}  // namespace

TEST_CASE("maps, lists and texts of every style are a tree in the order of the text") {
  CHECK(shown("b: 1\na: [x, 'y', \"z\\n\"]\nc:\n- k: v\n-\n- ~\nd: |\n  two\n  lines\ne: >-\n  folded\n  text\n") ==
        "{b:1 a:[x \"y\" \"z\n\"] c:[{k:v} ~ ~] d:\"two\nlines\n\" e:\"folded text\"}");
  CHECK(shown("just a text") == "just a text");
  CHECK(shown("a: {b: {c: []}}") == "{a:{b:{c:[]}}}");
}

TEST_CASE("null is what YAML calls so, unless it is quoted or said to be a text") {
  CHECK(shown("[null, ~, Null, 'null', !!str null, nil]") == "[~ ~ ~ \"null\" \"null\" nil]");
}

TEST_CASE("a mark in front and line ends of Windows belong to no value") {
  CHECK(shown("\xEF\xBB\xBF" "a: 1\r\nb: [x]\r\n") == "{a:1 b:[x]}");
}

TEST_CASE("only the first document is read, and of nothing nothing comes") {
  CHECK(shown("--- a\n--- b\n") == "a");
  CHECK(shown("") == "?");
  CHECK(shown("# only a comment\n") == "?");
}

TEST_CASE("a value is found by its key, a key that is not there is undefined at any depth") {
  const YamlNode root = read_yaml("a: 1\nb: {c: 2}\na: 3\n").root;
  CHECK(root["a"].text() == "1");
  CHECK(root["b"]["c"].text() == "2");
  CHECK_FALSE(root["x"]["y"].is_defined());
  CHECK(root.entries().size() == 3);
}

TEST_CASE("each node says where it stands") {
  const YamlNode root = read_yaml("a: 1\nb:\n  - {c: dd}\n").root;
  const YamlNode& inner = root["b"].items()[0]["c"];
  CHECK(inner.place().line == 2);
  CHECK(inner.place().column == 8);
}

TEST_CASE("an alias is a copy of what was named before it, and stands for no more than the bound") {
  CHECK(shown("a: &x [1, {b: 2}]\nc: *x\n") == "{a:[1 {b:2}] c:[1 {b:2}]}");
  CHECK(read_yaml("a: *x\n").error == "nothing before is named 'x'");
  CHECK(read_yaml("a: &x [*x]\n").error == "nothing before is named 'x'");
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int k = 0; k < 8; ++k) bomb += (k ? ", *a" : "*a") + std::to_string(i - 1);
    bomb += "]\n";
  }
  CHECK(read_yaml(bomb).error == "its aliases stand for too much");
}

TEST_CASE("a text that nests deeper than the bound is refused, however deep") {
  CHECK(read_yaml(std::string(kYamlDepth, '[') + std::string(kYamlDepth, ']')).error.empty());
  CHECK(read_yaml(std::string(kYamlDepth + 1, '[')).error == "it is nested too deep");
  CHECK(read_yaml(std::string(1 << 20, '[')).error == "it is nested too deep");
}

TEST_CASE("what is no YAML is told with its place, and gives no tree") {
  const YamlText text = read_yaml("a: 1\nb: [2\nc: 3\n");
  CHECK_FALSE(text.error.empty());
  CHECK(text.error_place.line == 2);
  CHECK_FALSE(text.root.is_defined());
  CHECK(read_yaml("a: 1\nb: [2").error_place.line == 1);
  CHECK(read_yaml("a: 1\nb: [2\n\n").error_place.line == 1);
  const YamlText bytes = read_yaml("a: 1\nbc: \x01\n");
  CHECK(bytes.error == "control characters are not allowed");
  CHECK(bytes.error_place.line == 1);
  CHECK(bytes.error_place.column == 4);
}
