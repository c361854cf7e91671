#include "session/argument_echo.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace mcpscan::session {
namespace {

constexpr std::size_t kTokens = 8, kShortest = 5, kShortestWithDigit = 3, kLongest = 96, kShortestNumber = 6;

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' || c == ':' || c == '/' || c == '@' || c == ' ';
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// "ev-5" tells a call apart where "open" does not.
std::size_t shortest_for(std::string_view token) {
  const bool mixed = std::any_of(token.begin(), token.end(), is_digit) && std::any_of(token.begin(), token.end(), is_letter);
  return mixed ? kShortestWithDigit : kShortest;
}

// The longest run of a value that no escaping changes.
std::string_view longest_plain_run(std::string_view value) {
  std::string_view best;
  for (std::size_t from = 0; from < value.size();) {
    std::size_t to = from;
    while (to < value.size() && is_plain(value[to])) ++to;
    if (to - from > best.size()) best = value.substr(from, to - from);
    from = to + 1;
  }
  return best;
}

void add(std::string_view token, std::size_t shortest, std::vector<std::string>& tokens) {
  token = token.substr(0, kLongest);
  const bool says_something = std::any_of(token.begin(), token.end(), is_digit) || std::any_of(token.begin(), token.end(), is_letter);
  if (token.size() < shortest || !says_something || tokens.size() >= kTokens) return;
  if (std::find(tokens.begin(), tokens.end(), token) == tokens.end()) tokens.emplace_back(token);
}

// string_view::find stops at each byte that looks like the first one, which in prose is often.
std::size_t place_of(std::string_view word, std::string_view text, std::size_t from) {
  const void* const at = memmem(text.data() + from, text.size() - from, word.data(), word.size());
  return at == nullptr ? std::string_view::npos : static_cast<std::size_t>(static_cast<const char*>(at) - text.data());
}

// End of the string literal whose opening quote stands at `quote`.
std::size_t string_end(std::string_view text, std::size_t quote) {
  for (std::size_t at = quote + 1; at < text.size(); ++at) {
    if (text[at] == '\\') ++at;
    else if (text[at] == '"') return at;
  }
  return text.size();
}

}  // namespace

void argument_tokens(std::string_view text, std::vector<std::string>& tokens) {
  constexpr std::string_view kKey = "\"arguments\"";
  std::size_t at = place_of(kKey, text, 0);
  if (at == std::string_view::npos) return;
  at += kKey.size();
  int depth = 0;
  bool value = false;  // behind a colon, or inside an array
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      const std::size_t end = string_end(text, at);
      const bool is_key = end + 1 < text.size() && text.find_first_not_of(" \t\r\n", end + 1) != std::string_view::npos &&
                          text[text.find_first_not_of(" \t\r\n", end + 1)] == ':';
      if (!is_key && value) {
        const std::string_view run = longest_plain_run(text.substr(at + 1, std::min(end, text.size()) - at - 1));
        add(run, shortest_for(run), tokens);
      }
      at = end;
    } else if (c == '{' || c == '[') {
      ++depth;
      value = true;
    } else if (c == '}' || c == ']') {
      if (--depth <= 0) return;
    } else if (c >= '0' && c <= '9') {
      std::size_t end = at;
      while (end < text.size() && ((text[end] >= '0' && text[end] <= '9') || text[end] == '.')) ++end;
      add(text.substr(at, end - at), kShortestNumber, tokens);
      at = end - 1;
    } else if (c == ':') {
      value = true;
    }
  }
}

bool stands_in(std::string_view token, std::string_view text) {
  const auto joins = [](char c) { return is_digit(c) || is_letter(c) || c == '_'; };
  if (token.empty()) return false;
  for (std::size_t at = place_of(token, text, 0); at != std::string_view::npos; at = place_of(token, text, at + 1)) {
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

}  // namespace mcpscan::session
