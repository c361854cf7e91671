#include "ingest/text/json_array.h"

#include <algorithm>
#include <array>

namespace mcpscan::ingest {
namespace {

constexpr std::size_t kChunkBytes = 64 * 1024;
constexpr std::string_view kBlanks = " \t\r\n";

bool is_space(char c) { return kBlanks.find(c) != std::string_view::npos; }

}  // namespace

bool is_array_over_lines(std::string_view head) {
  const std::size_t open = head.find_first_not_of(kBlanks);
  if (open == std::string_view::npos || head[open] != '[') return false;
  const std::size_t first = head.find_first_not_of(kBlanks, open + 1);
  return first != std::string_view::npos && head[first] == '{' && head.substr(open, first - open).find('\n') != std::string_view::npos;
}

std::size_t JsonArrayLines::read(std::span<char> to) {
  while (out_at_ == out_.size()) {
    std::array<char, kChunkBytes> chunk;
    const std::size_t count = bytes_.read(chunk);
    if (count == 0) return 0;
    out_.clear();
    out_at_ = 0;
    for (std::size_t i = 0; i < count; ++i) take(chunk[i]);
  }
  const std::size_t count = std::min(to.size(), out_.size() - out_at_);
  std::copy_n(out_.data() + out_at_, count, to.data());
  out_at_ += count;
  return count;
}

void JsonArrayLines::take(char c) {
  if (!in_element_) take_between(c);
  else if (in_string_) take_in_string(c);
  else take_in_element(c);
}

void JsonArrayLines::take_between(char c) {
  const bool structure = is_space(c) || c == ',' || c == ']' || c == '}' || (c == '[' && !any_);
  if (!structure) return begin_element(c);
  if (!any_) return;
  if (gap_) out_ += ' ';
  gap_ = true;
}

void JsonArrayLines::begin_element(char c) {
  if (any_) out_ += '\n';
  any_ = in_element_ = true;
  gap_ = false;
  take_in_element(c);
}

void JsonArrayLines::end_element() {
  in_element_ = in_string_ = escaped_ = false;
  depth_ = 0;
}

void JsonArrayLines::take_in_string(char c) {
  if (c == '\n') {
    end_element();
    gap_ = true;
    return;
  }
  out_ += c;
  if (escaped_) escaped_ = false;
  else if (c == '\\') escaped_ = true;
  else if (c == '"') in_string_ = false;
}

void JsonArrayLines::take_in_element(char c) {
  if (depth_ == 0 && (c == ',' || c == ']')) {  // behind an element that is no container
    end_element();
    gap_ = true;
    return;
  }
  out_ += is_space(c) ? ' ' : c;
  if (c == '"') in_string_ = true;
  else if (c == '{' || c == '[') ++depth_;
  else if ((c == '}' || c == ']') && depth_ > 0 && --depth_ == 0) end_element();
}

}  // namespace mcpscan::ingest
