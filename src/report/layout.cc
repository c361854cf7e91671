#include "report/layout.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/utf8.h"

namespace mcpscan::report {
namespace {

constexpr std::size_t kGap = 2;            // cells between two columns
constexpr std::size_t kNarrowest = 8;      // a shortened cell below this says nothing
constexpr std::size_t kDropped = SIZE_MAX;

// Where the line that starts at `from` has to end: the byte behind its last character.
std::size_t line_end(std::string_view text, std::size_t from, std::size_t width) {
  std::size_t cells = 0, at = from, last_space = std::string_view::npos;
  while (at < text.size()) {
    const CodePoint point = decode_utf8(text, at);
    cells += cell_width(point.value);
    if (cells > width && point.value == ' ') return at;
    if (cells > width && last_space != std::string_view::npos) return last_space;
    if (cells > width) return at > from ? at : at + point.length;
    if (point.value == ' ' && at > from && text[at - 1] != ' ') last_space = at;
    at += point.length;
  }
  return at;
}

std::string_view without_spaces_at_end(std::string_view text) {
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::size_t total(const std::vector<std::size_t>& widths) {
  std::size_t sum = 0;
  for (const std::size_t width : widths) {
    if (width != kDropped) sum += width + (sum == 0 ? 0 : kGap);
  }
  return sum;
}

}  // namespace

std::string thousands(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, 1, ',');
  return text;
}

std::string counted(std::uint64_t number, std::string_view one, std::string_view many) {
  if (number == 1) return fmt::format("1 {}", one);
  return many.empty() ? fmt::format("{} {}s", thousands(number), one) : fmt::format("{} {}", thousands(number), many);
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0 || part == 0) return "0 %";
  if (part >= whole) return "100 %";
  const double exact = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  if (exact < 1) return "under 1 %";
  if (exact > 99) return "over 99 %";
  return fmt::format("{:.0f} %", exact);
}

std::string joined(const std::vector<std::string>& words, std::size_t most) {
  const std::size_t shown = words.size() <= most ? words.size() : most;
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) text += i + 1 == words.size() ? " and " : ", ";
    text += words[i];
  }
  if (shown < words.size()) text += fmt::format("{}{} more", shown == 0 ? "" : " and ", thousands(words.size() - shown));
  return text;
}

std::vector<std::string> wrapped(std::string_view text, std::size_t first_width, std::size_t width) {
  std::vector<std::string> lines;
  text = without_spaces_at_end(text);
  std::size_t from = 0;
  do {
    const std::size_t end = line_end(text, from, std::max<std::size_t>(lines.empty() ? first_width : width, 2));
    lines.emplace_back(without_spaces_at_end(text.substr(from, end - from)));
    from = end;
    while (from < text.size() && text[from] == ' ') ++from;
  } while (from < text.size());
  return lines;
}

std::string shortened(std::string_view text, std::size_t width) {
  if (text_width(text) <= width) return std::string(text);
  if (width == 0) return {};
  std::vector<std::pair<std::string_view, unsigned>> points;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    points.emplace_back(text.substr(at, point.length), cell_width(point.value));
    at += point.length;
  }
  std::string head, tail;
  std::size_t room = width / 2;
  for (const auto& [bytes, cells] : points) {
    if (cells > room) break;
    room -= cells, head += bytes;
  }
  room = width - 1 - text_width(head);
  std::size_t first = points.size();
  while (first > 0 && points[first - 1].second <= room) room -= points[--first].second;
  for (; first < points.size(); ++first) tail += points[first].first;
  return head + "…" + tail;
}

std::string padded(std::string text, std::size_t width) {
  const std::size_t cells = text_width(text);
  if (cells < width) text.append(width - cells, ' ');
  return text;
}

std::string padded_left(const std::string& text, std::size_t width) {
  const std::size_t cells = text_width(text);
  return cells < width ? std::string(width - cells, ' ') + text : text;
}

std::vector<std::size_t> Table::fitted(std::size_t width) const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    widths.push_back(text_width(columns_[i].title));
    for (const auto& row : rows_) widths[i] = std::max(widths[i], text_width(row[i]));
  }
  shrink(widths, width, 2 * kNarrowest, true);
  for (std::size_t i = columns_.size(); i-- > 0 && total(widths) > width;) {
    if (columns_[i].optional) widths[i] = kDropped;
  }
  shrink(widths, width, kNarrowest, false);
  return widths;
}

void Table::shrink(std::vector<std::size_t>& widths, std::size_t width, std::size_t narrowest, bool only_optional) const {
  while (total(widths) > width) {
    std::size_t widest = columns_.size();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const bool candidate = columns_[i].shrinks && (columns_[i].optional || !only_optional) && widths[i] != kDropped && widths[i] > narrowest;
      if (candidate && (widest == columns_.size() || widths[i] > widths[widest])) widest = i;
    }
    if (widest == columns_.size()) return;
    widths[widest] -= std::min(widths[widest] - narrowest, total(widths) - width);
  }
}

std::string Table::line(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) const {
  std::string text;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (widths[i] == kDropped) continue;
    if (!text.empty()) text.append(kGap, ' ');
    const std::string cell = shortened(cells[i], widths[i]);
    text += columns_[i].kind == Kind::number ? padded_left(cell, widths[i]) : padded(cell, widths[i]);
  }
  return std::string(without_spaces_at_end(text));
}

std::vector<std::string> Table::lines(std::size_t width) const {
  const std::vector<std::size_t> widths = fitted(width);
  std::vector<std::string> titles, result;
  for (const Column& column : columns_) titles.push_back(column.title);
  result.push_back(line(titles, widths));
  for (const auto& row : rows_) result.push_back(line(row, widths));
  return result;
}

}  // namespace mcpscan::report
