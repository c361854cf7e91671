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

// A run of plain bytes, with the classes that any of them has.
struct Run {
  std::string_view text;
  std::uint8_t classes = 0;
};

// "ev-5" tells a call apart where "open" does not.
std::size_t shortest_for(const Run& run) {
  constexpr std::uint8_t kMixed = kDigit | kLetter;
  return (run.classes & kMixed) == kMixed ? kShortestWithDigit : kShortest;
}

// Those found so far, each once.
struct Tokens {
  std::array<std::string_view, kTokens> list;
  std::size_t count = 0;

  // False for what is none, or is there already.
  bool add(Run run, std::size_t shortest) {
    if (run.text.size() > kLongest) run = {run.text.substr(0, kLongest), classes_in(run.text.substr(0, kLongest))};
    if (run.text.size() < shortest || count >= kTokens || (run.classes & (kDigit | kLetter)) == 0) return false;
    if (std::find(list.begin(), list.begin() + count, run.text) != list.begin() + count) return false;
    list[count++] = run.text;
    return true;
  }
};

// End of the string literal whose opening quote stands at `quote`; `longest`: the longest run of it that no escaping changes.
std::size_t string_end(std::string_view text, std::size_t quote, Run& longest) {
  std::size_t from = quote + 1, at = from;
  std::uint8_t classes = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    const std::uint8_t of_byte = class_of(c);
    classes |= of_byte;
    if ((of_byte & kPlain) != 0) continue;
    if (at - from > longest.text.size()) longest = {text.substr(from, at - from), classes};
    if (c == '"') return at;
    if (c == '\\' && at + 1 < text.size() && (text[at + 1] == '"' || text[at + 1] == '\\')) ++at;
    from = at + 1;
    classes = 0;
  }
  if (at - from > longest.text.size()) longest = {text.substr(from), classes};
  return text.size();
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// Whether a string literal that ends before `at` is a member's name.
bool is_name(std::string_view text, std::size_t at) {
  while (at < text.size() && is_blank(text[at])) ++at;
  return at < text.size() && text[at] == ':';
}

// Gives the tokens of `params.arguments` to `take` until it wants no more.
template <typename Take>
void each_token(std::string_view text, Take take) {
  std::size_t at = find_text(text, kArgumentsKey);
  if (at == std::string_view::npos) return;
  at += kArgumentsKey.size();
  Tokens tokens;
  const auto wants_more = [&](const Run& run, std::size_t shortest) { return !tokens.add(run, shortest) || take(tokens.list[tokens.count - 1]); };
  int depth = 0;
  bool value = false;  // behind a colon, or inside an array
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      Run longest;
      const std::size_t end = string_end(text, at, longest);
      if (value && !is_name(text, end + 1) && !wants_more(longest, shortest_for(longest))) return;
      at = end;
    } else if (c == '{' || c == '[') {
      ++depth;
      value = true;
    } else if (c == '}' || c == ']') {
      if (--depth <= 0) return;
    } else if (is_digit(c)) {
      std::size_t end = at;
      while (end < text.size() && (is_digit(text[end]) || text[end] == '.')) ++end;
      if (!wants_more({text.substr(at, end - at), kPlain | kDigit}, kShortestNumber)) return;
      at = end - 1;
    } else if (c == ':') {
      value = true;
    }
  }
}

}  // namespace

void argument_tokens(std::string_view text, std::vector<std::string>& tokens) {
  each_token(text, [&](std::string_view token) {
    tokens.emplace_back(token);
    return true;
  });
}

bool stands_in(std::string_view token, std::string_view text) {
  const auto joins = [](char c) { return (class_of(c) & (kDigit | kLetter)) != 0 || c == '_'; };
  // From behind: what is structured stands behind the prose that says the same.
  for (std::size_t at = rfind_text(text, token); at != std::string_view::npos; at = rfind_text(text, token, at - 1)) {
    const std::size_t end = at + token.size();
    // A letter behind a backslash is an escape, no part of a word.
    const bool starts = at == 0 || !joins(text[at - 1]) || (at > 1 && text[at - 2] == '\\');
    if (starts && (end == text.size() || !joins(text[end]))) return true;
    if (at == 0) break;
  }
  return false;
}

bool any_stands_in(const std::vector<std::string>& tokens, std::string_view text) {
  return std::any_of(tokens.begin(), tokens.end(), [text](const std::string& token) { return stands_in(token, text); });
}

bool repeats(std::string_view reply_text, std::string_view request_text) {
  bool found = false;
  each_token(request_text, [&](std::string_view token) {
    found = stands_in(token, reply_text);
    return !found;
  });
  return found;
}

bool repeats_all(std::string_view reply_text, std::string_view request_text) {
  std::vector<std::string> tokens;
  argument_tokens(request_text, tokens);
  return !tokens.empty() && std::all_of(tokens.begin(), tokens.end(), [&](const std::string& token) { return stands_in(token, reply_text); });
}

}  // namespace mcpscan::session
