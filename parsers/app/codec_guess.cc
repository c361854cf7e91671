#include "app/codec_guess.h"

#include <algorithm>
#include <array>

namespace mcpscan::app {

namespace {

bool starts_with(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

bool starts_with_one_of(std::string_view text, std::initializer_list<std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(), [&](std::string_view prefix) { return starts_with(text, prefix); });
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$'; }

// {, [ or [{ and then the first byte of the first key tells.
Codec codec_of_object(std::string_view body) {
  const std::size_t key = body.find_first_not_of("{[ \t\r\n");
  if (key == std::string_view::npos) return Codec::json;
  if (body[key] == '\\') return Codec::json_string;
  // Python writes {'a': 1}, Node { a: 1 } and { 'a-b': 1 }.
  if (body[key] == '\'') return body[key - 1] == '{' || body[key - 1] == '[' ? Codec::python_repr : Codec::js_inspect;
  return is_letter(body[key]) && body.find('{') < key ? Codec::js_inspect : Codec::json;
}

bool is_java_record(std::string_view body) {
  const std::size_t end = std::min(body.find_first_of("[({ =\"'"), body.size());
  return end > 0 && end < body.size() && body[end] == '[' && is_letter(body[0]);
}

struct CodecWord {
  std::string_view word;
  Codec codec;
};

constexpr std::array<CodecWord, 10> kWords{{{"", Codec::automatic},
                                            {"auto", Codec::automatic},
                                            {"json", Codec::json},
                                            {"json-string", Codec::json_string},
                                            {"python-repr", Codec::python_repr},
                                            {"python-bytes", Codec::python_bytes},
                                            {"python-bytes-sse", Codec::python_bytes_sse},
                                            {"sse", Codec::sse},
                                            {"js-inspect", Codec::js_inspect},
                                            {"java-record", Codec::java_record}}};

}  // namespace

std::optional<Codec> codec_named(std::string_view word) {
  const auto* found = std::find_if(kWords.begin(), kWords.end(), [&](const CodecWord& known) { return known.word == word; });
  if (found == kWords.end()) return std::nullopt;
  return found->codec;
}

Codec codec_of(std::string_view body) {
  body.remove_prefix(std::min(body.find_first_not_of(" \t\r\n"), body.size()));
  if (starts_with_one_of(body, {"{", "["})) return codec_of_object(body);
  if (starts_with_one_of(body, {"b'", "b\"", "B'", "B\""})) return Codec::python_bytes_sse;
  if (starts_with_one_of(body, {"data:", "event:", "id:", "retry:", ":"})) return Codec::sse;
  if (starts_with_one_of(body, {"\"{", "\"[", "\"\\"})) return Codec::json_string;
  if (is_java_record(body)) return Codec::java_record;
  const bool is_repr = starts_with_one_of(body, {"root=", "method='", "jsonrpc='", "message=", "SessionMessage(", "JSONRPC"});
  return is_repr ? Codec::python_repr : Codec::json;
}

}  // namespace mcpscan::app
