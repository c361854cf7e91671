#include "session/argument_echo.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>

#include "base/find_text.h"

namespace mcpscan::session {
namespace {

constexpr std::size_t kTokens = 8, kShortest = 5, kShortestWithDigit = 3, kLongest = 96, kShortestNumber = 6;

enum CharClass : std::uint8_t { kPlain = 1, kDigit = 2, kLetter = 4 };  // plain: no escaping changes it

constexpr std::array<std::uint8_t, 256> kClasses = [] {
  std::array<std::uint8_t, 256> classes{};
  for (const char c : std::string_view("-_.:/@ ")) classes[static_cast<unsigned char>(c)] = kPlain;
  for (unsigned c = '0'; c <= '9'; ++c) classes[c] = kPlain | kDigit;
  for (unsigned c = 'a'; c <= 'z'; ++c) classes[c] = classes[c - 'a' + 'A'] = kPlain | kLetter;
  return classes;
}();

std::uint8_t class_of(char c) { return kClasses[static_cast<unsigned char>(c)]; }
bool is_digit(char c) { return (class_of(c) & kDigit) != 0; }

// The classes that any of its characters has.
std::uint8_t classes_in(std::string_view token) {
  return std::accumulate(token.begin(), token.end(), std::uint8_t{0}, [](std::uint8_t classes, char c) { return static_cast<std::uint8_t>(classes | class_of(c)); });
}

// "ev-5" tells a call apart where "open" does not.
std::size_t shortest_for(std::string_view token) {
  constexpr std::uint8_t kMixed = kDigit | kLetter;
  return (classes_in(token) & kMixed) == kMixed ? kShortestWithDigit : kShortest;
}

// The longest run of a value that no escaping changes.
std::string_view longest_plain_run(std::string_view value) {
  std::string_view best;
  for (std::size_t from = 0; from < value.size();) {
    std::size_t to = from;
    while (to < value.size() && (class_of(value[to]) & kPlain) != 0) ++to;
    if (to - from > best.size()) best = value.substr(from, to - from);
    from = to + 1;
  }
  return best;
}

void add(std::string_view token, std::size_t shortest, std::vector<std::string>& tokens) {
  token = token.substr(0, kLongest);
  if (token.size() < shortest || tokens.size() >= kTokens || (classes_in(token) & (kDigit | kLetter)) == 0) return;
  if (std::find(tokens.begin(), tokens.end(), token) == tokens.end()) tokens.emplace_back(token);
}

// End of the string literal whose opening quote stands at `quote`.
std::size_t string_end(std::string_view text, std::size_t quote) {
  for (std::size_t at = quote + 1; at < text.size(); ++at) {
    if (text[at] == '\\') ++at;
    else if (text[at] == '"') return at;
  }
  return text.size();
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// Whether a string literal that ends before `at` is a member's name.
bool is_name(std::string_view text, std::size_t at) {
  while (at < text.size() && is_blank(text[at])) ++at;
  return at < text.size() && text[at] == ':';
}

}  // namespace

void argument_tokens(std::string_view text, std::vector<std::string>& tokens) {
  constexpr std::string_view kKey = "\"arguments\"";
  std::size_t at = find_text(text, kKey);
  if (at == std::string_view::npos) return;
  at += kKey.size();
  int depth = 0;
  bool value = false;  // behind a colon, or inside an array
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      const std::size_t end = string_end(text, at);
      if (value && !is_name(text, end + 1)) {
        const std::string_view run = longest_plain_run(text.substr(at + 1, std::min(end, text.size()) - at - 1));
        add(run, shortest_for(run), tokens);
      }
      at = end;
    } else if (c == '{' || c == '[') {
      ++depth;
      value = true;
    } else if (c == '}' || c == ']') {
      if (--depth <= 0) return;
    } else if (is_digit(c)) {
      std::size_t end = at;
      while (end < text.size() && (is_digit(text[end]) || text[end] == '.')) ++end;
      add(text.substr(at, end - at), kShortestNumber, tokens);
      at = end - 1;
    } else if (c == ':') {
      value = true;
    }
  }
}

bool stands_in(std::string_view token, std::string_view text) {
  const auto joins = [](char c) { return (class_of(c) & (kDigit | kLetter)) != 0 || c == '_'; };
  for (std::size_t at = find_text(text, token); at != std::string_view::npos; at = find_text(text, token, at + 1)) {
    const std::size_t end = at + token.size();
    // A letter behind a backslash is an escape, no part of a word.
    const bool starts = at == 0 || !joins(text[at - 1]) || (at > 1 && text[at - 2] == '\\');
    if (starts && (end == text.size() || !joins(text[end]))) return true;
  }
  return false;
}

bool any_stands_in(const std::vector<std::string>& tokens, std::string_view text) {
  return std::any_of(tokens.begin(), tokens.end(), [text](const std::string& token) { return stands_in(token, text); });
}

bool repeats(std::string_view reply_text, std::string_view request_text) {
  std::vector<std::string> tokens;
  argument_tokens(request_text, tokens);
  return any_stands_in(tokens, reply_text);
}

bool repeats_all(std::string_view reply_text, std::string_view request_text) {
  std::vector<std::string> tokens;
  argument_tokens(request_text, tokens);
  return !tokens.empty() && std::all_of(tokens.begin(), tokens.end(), [&](const std::string& token) { return stands_in(token, reply_text); });
}

}  // namespace mcpscan::session
