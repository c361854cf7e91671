#include "app/cut_message.h"

#include <algorithm>
#include <array>

#include "app/json_skipper.h"

namespace mcpscan::app {

namespace {

constexpr int kMaxStarts = 8;  // braces looked at

// How the first member behind the brace is quoted: JSON, JSON in a string, Python, JavaScript.
struct Opening {
  bool found = false, plain = false;
};

// {"result":{ and {"error":{ of replies, {"method":" of requests.
Opening opening_at(std::string_view text, std::size_t brace) {
  const auto skip = [&](std::size_t from, std::string_view bytes) { return std::min(text.find_first_not_of(bytes, from), text.size()); };
  const std::size_t quote = skip(brace + 1, " \n");
  const std::size_t name = skip(quote, "\\\"'");
  const std::string_view marks = text.substr(quote, name - quote);
  constexpr std::array<std::string_view, 3> kNames{"result", "error", "method"};
  constexpr std::array<std::string_view, 4> kMethods{"tools/", "resources/", "prompts/", "initialize"};
  for (const std::string_view member : kNames) {
    const std::size_t end = name + member.size();
    if (text.substr(name, member.size()) != member || text.substr(end, marks.size()) != marks) continue;
    const std::size_t colon = skip(end + marks.size(), " ");
    const std::size_t value = skip(colon + 1, " ");
    if (text.substr(colon, 1) != ":" || value >= text.size()) return {};
    const std::string_view method = text.substr(skip(value, "\\\"'"));
    const bool asks = member == "method" && std::any_of(kMethods.begin(), kMethods.end(), [&](std::string_view begin) { return method.starts_with(begin); });
    return {asks || text[value] == '{', marks == "\""};
  }
  return {};
}

// What follows the last bracket of a whole message, in whatever text it stands.
bool ends_in_bracket(std::string_view text) {
  const std::size_t last = text.find_last_not_of("'\") \t\r\n\\rn,");
  return last != std::string_view::npos && (text[last] == '}' || text[last] == ']');
}

}  // namespace

bool holds_cut_message(std::string_view text, std::size_t depth_limit) {
  std::size_t brace = text.find('{');
  for (int starts = 0; brace != std::string_view::npos && starts < kMaxStarts; brace = text.find('{', brace + 1), ++starts) {
    const Opening opening = opening_at(text, brace);
    if (!opening.found) continue;
    JsonSkipper in(text.substr(brace), depth_limit);
    if (opening.plain) in.value();
    if ((in.faults() & kCut) != 0) return true;
    return (!opening.plain || (in.faults() & kBroken) != 0) && !ends_in_bracket(text);
  }
  return false;
}

}  // namespace mcpscan::app
