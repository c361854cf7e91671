#include "app/json_skipper.h"

#include <catch2/catch.hpp>

#include <random>
#include <string>

#include "app/json_blocks.h"
#include "support/compare_message.h"

namespace mcpscan::app {
namespace {

TEST_CASE("the vector and the bytewise classification agree on every byte at every place") {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    char bytes[JsonBlock::kBytes];
    for (char& byte : bytes) byte = static_cast<char>(round < 256 ? round : random());
    const JsonBlock a = classify(bytes), b = classify_bytewise(bytes);
    CHECK((a.quote == b.quote && a.backslash == b.backslash && a.open == b.open && a.close == b.close));
    CHECK((a.control == b.control && a.high == b.high && a.odd == b.odd));
  }
}

TEST_CASE("a container is skipped whole at every alignment to the blocks, before and after it other text") {
  const std::string value = R"({"a":"}\\\"]{","b":[1,{"c":"\\"},[]],"d":"\u00e9\\\\"})";
  for (std::size_t inner = 0; inner < 70; ++inner) {
    for (const std::size_t after : {std::size_t{0}, std::size_t{1}, std::size_t{63}, std::size_t{64}, std::size_t{200}}) {
      const std::string padded = "[\"" + std::string(inner, 'x') + "\"," + value + "]";
      const std::string text = padded + std::string(after, '}');
      JsonSkipper in(text, 16);
      const JsonToken token = in.value();
      INFO(inner << " " << after);
      CHECK(token.type == JsonType::array);
      CHECK(token.raw == padded);
      CHECK(in.faults() == 0);
    }
  }
}

TEST_CASE("a string full of escapes ends at the same quote as byte by byte, with the same faults") {
  std::mt19937 random(7);
  const std::string_view bytes = "aa\\\\\\\"nu0d8\x01\xc3";
  for (int round = 0; round < 20000; ++round) {
    std::string text = "\"";
    for (std::size_t length = random() % 200; length > 0; --length) text += random() % 3 == 0 ? bytes[random() % bytes.size()] : 'x';
    text += round % 4 == 0 ? "" : "\",";
    std::size_t end = 1;
    bool escaped = false, control = false;
    for (; end < text.size() && text[end] != '"'; ++end) {
      control = control || text[end] == '\x01';
      if (text[end] == '\\') escaped = true, ++end;
    }
    JsonSkipper in(text, 4);
    const JsonToken token = in.string();
    INFO(text);
    if (end >= text.size()) {
      CHECK((!token && (in.faults() & kCut) != 0));
      continue;
    }
    CHECK(token.raw == std::string_view(text).substr(0, end + 1));
    CHECK(token.escaped == escaped);
    CHECK(((in.faults() & kControlByte) != 0) == control);
    CHECK(((in.faults() & kHighBytes) != 0) == (text.substr(0, end).find('\xc3') != std::string::npos));
  }
}

TEST_CASE("scalars are judged by JSON's grammar") {
  const auto type = [](const char* text) {
    JsonSkipper in(text, 4);
    return in.value().type;
  };
  CHECK(type("-0,") == JsonType::integer);
  CHECK(type("10 ") == JsonType::integer);
  CHECK(type("-1.5e+3]") == JsonType::fraction);
  CHECK(type("true,") == JsonType::boolean);
  CHECK(type("null") == JsonType::null);
  for (const char* bad : {"-", "1.", "1e", ".5", "+1", "tru", "nul", "", "x", "'a'", "\"abc"}) CHECK(type(bad) == JsonType::none);
  JsonSkipper zero("[01]", 4);
  std::size_t elements = 0;
  CHECK_FALSE(zero.elements([&] { elements += zero.value() ? 1 : 0; }));
  CHECK((zero.faults() & kBroken) != 0);
}

TEST_CASE("brackets that do not pair are broken, brackets that do not close are cut") {
  for (const char* text : {"[}", "{]", "[{]}", "{\"a\":[1,2}}"}) {
    JsonSkipper in(text, 16);
    CHECK_FALSE(in.value());
    CHECK((in.faults() & kBroken) != 0);
  }
  JsonSkipper open("[[{}", 16);
  CHECK_FALSE(open.value());
  CHECK((open.faults() & kCut) != 0);
}

// --- the skipper against simdjson ---

class RandomJson {
 public:
  explicit RandomJson(std::uint32_t seed) : random_(seed) {}

  std::string message() {
    std::vector<std::string> members;
    for (const char* key : {"jsonrpc", "id", "method", "params", "result", "error", "extra"}) {
      if (below(3) != 0) members.push_back(string_of(key) + space() + ":" + space() + member(key));
    }
    std::shuffle(members.begin(), members.end(), random_);
    return space() + "{" + space() + joined(members) + "}" + space();
  }

 private:
  unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }
  std::string space() { return std::string(below(4) == 0 ? below(3) : 0, " \n\t\r"[below(4)]); }

  std::string joined(const std::vector<std::string>& members) {
    std::string text;
    for (const auto& one : members) text += (text.empty() ? "" : ",") + space() + one + space();
    return text;
  }

  // The word, now and then with its letters escaped.
  std::string string_of(const std::string& word) {
    std::string text = "\"";
    for (const char c : word) {
      if (below(20) == 0) text += "\\u00" + std::string(1, "0123456789abcdef"[c >> 4]) + "0123456789abcdef"[c & 15];
      else text += c;
    }
    return text + "\"";
  }

  std::string scalar() {
    static const std::vector<std::string> kScalars = {
        "0", "-0", "12", "-7", "9007199254740993", "1.5", "1e3", "1E5", "true", "false", "null", "\"\"", "\"1\"", "\"2.0\"", "\"tools/call\"",
        "\"ping\"", "\"\\ud83d\\ude00\"", "\"\\\\\"", "\"\\\"}{][\"", "\"caf\xc3\xa9\"", "\"\\\\\\\"\"", "\"\\/\\b\\f\\n\\r\\t\"", "\"N'aN\""};
    return kScalars[below(static_cast<unsigned>(kScalars.size()))];
  }

  std::string value(int depth) {
    if (depth == 0 || below(3) == 0) return scalar();
    std::vector<std::string> items(below(4));
    const bool object = below(2) == 0;
    for (auto& item : items) item = (object ? scalar_key() + ":" : "") + value(depth - 1);
    return (object ? "{" : "[") + space() + joined(items) + (object ? "}" : "]");
  }

  std::string scalar_key() {
    static const std::vector<std::string> kKeys = {"name", "uri", "requestId", "progressToken", "_meta", "code", "message", "content",
                                                   "protocolVersion", "clientInfo", "isError", "x"};
    return string_of(kKeys[below(static_cast<unsigned>(kKeys.size()))]);
  }

  std::string member(const std::string& key) {
    if (key == "jsonrpc" && below(5) != 0) return "\"2.0\"";
    if (key == "method" && below(4) != 0) return string_of(below(2) == 0 ? "tools/call" : "initialize");
    return value(4);
  }

  std::mt19937 random_;
};

TEST_CASE("on sound JSON in every order, spacing and escaping the skipper says what simdjson says") {
  for (std::uint32_t seed = 0; seed < 20000; ++seed) {
    const std::string text = RandomJson(seed).message();
    const std::string difference = tests::compare_with_dom(text);
    if (difference.empty()) continue;
    FAIL(difference << ": " << text);
  }
  SUCCEED("20,000 messages compared");
}

}  // namespace
}  // namespace mcpscan::app
