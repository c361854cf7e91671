#include "base/data_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>

namespace mcpscan {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0u : 1u)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

std::string with_caret(std::string_view text, YamlPlace place) {
  const auto line = line_at(text, place);
  if (!line) return {};
  const std::string_view shown = line->substr(0, 160);
  return fmt::format("\n    {}\n    {}^", shown, std::string(std::min(place.column, shown.size()), ' '));
}

}  // namespace

std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& known) {
  std::string_view best;
  std::size_t best_distance = 1 + std::max<std::size_t>(word.size() / 2, 1);
  for (const std::string_view candidate : known) {
    const std::size_t distance = word.size() > 64 ? best_distance : edit_distance(word, candidate);
    if (distance < best_distance) best = candidate, best_distance = distance;
  }
  if (!best.empty()) return fmt::format("did you mean '{}'?", best);
  constexpr std::size_t kMostNamed = 60;
  const std::size_t named = std::min(known.size(), kMostNamed);
  return fmt::format("known here: {}{}", fmt::join(known.begin(), known.begin() + static_cast<std::ptrdiff_t>(named), ", "), named < known.size() ? fmt::format(" and {} more", known.size() - named) : "");
}

std::string without_keys(std::string_view yaml, std::initializer_list<std::string_view> keys) {
  std::string kept;
  kept.reserve(yaml.size());
  bool leave_out = false;
  for (std::size_t from = 0; from < yaml.size();) {
    const std::size_t end = std::min(yaml.find('\n', from), yaml.size() - 1) + 1;
    const std::string_view line = yaml.substr(from, end - from);
    const bool is_key = std::string_view(" \t-#\r\n").find(line[0]) == std::string_view::npos;
    if (is_key) {
      leave_out = std::any_of(keys.begin(), keys.end(), [line](std::string_view key) { return line.size() > key.size() && line.substr(0, key.size()) == key && line[key.size()] == ':'; });
    }
    if (leave_out) kept += '\n';
    else kept += line;
    from = end;
  }
  return kept;
}

Result<DataFile> DataFile::parse(std::string_view text, std::string_view path) {
  DataFile file;
  file.path_ = path;
  file.text_ = text;
  YamlText read = read_yaml(text);
  if (!read.error.empty()) {
    return Error{ErrorCode::malformed, fmt::format("this is no YAML: {}{}", read.error, with_caret(text, read.error_place)), fmt::format("{}:{}", path, read.error_place.line + 1),
                 "quote texts that hold ': ' or begin with one of @ ` % & * ! | > [ {"};
  }
  file.root_ = std::move(read.root);
  if (!file.root_.is_map()) return file.error(file.root_, "the file must be a map of keys", "begin with 'title: ...'");
  return file;
}

Error DataFile::error(const YamlNode& at, std::string_view what, std::string_view hint) const {
  const YamlPlace place = at.place();
  return {ErrorCode::malformed, std::string(what) + with_caret(text_, place), fmt::format("{}:{}", path_, place.line + 1), std::string(hint)};
}

Status DataFile::check_keys(const YamlNode& map, const std::vector<std::string_view>& known) const {
  if (!map.is_map()) return error(map, "a map of keys is wanted here");
  for (const YamlEntry& entry : map.entries()) {
    const std::string& key = entry.key.text();
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      return error(entry.key, fmt::format("unknown key '{}'", key), did_you_mean(key, known));
    }
  }
  return {};
}

Result<std::string> DataFile::text(const YamlNode& map, const char* key, bool required) const {
  const YamlNode& node = map[key];
  if (!node.is_defined() || node.is_null()) {
    if (required) return error(map, fmt::format("'{}' is missing", key));
    return std::string();
  }
  if (!node.is_text()) return error(node, fmt::format("'{}' must be a text", key));
  return node.text();
}

Result<std::vector<std::string>> DataFile::texts(const YamlNode& map, const char* key) const {
  const YamlNode& node = map[key];
  std::vector<std::string> texts;
  if (!node.is_defined() || node.is_null()) return texts;
  if (node.is_text()) return std::vector<std::string>{node.text()};
  if (!node.is_list()) return error(node, fmt::format("'{}' must be a list of texts", key));
  for (const YamlNode& item : node.items()) {
    if (!item.is_text()) return error(item, fmt::format("'{}' must hold texts only", key));
    texts.push_back(item.text());
  }
  return texts;
}

Result<double> DataFile::number(const YamlNode& map, const char* key, double otherwise) const {
  const YamlNode& node = map[key];
  if (!node.is_defined()) return otherwise;
  const std::string& text = node.text();
  double value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size()) return error(node, fmt::format("'{}' must be a number", key));
  return value;
}

}  // namespace mcpscan
