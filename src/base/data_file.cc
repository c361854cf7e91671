#include "base/data_file.h"

#include <fmt/format.h>

#include <algorithm>
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

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    lines.emplace_back(text.substr(from, end - from));
    from = end + 1;
  }
  return lines;
}

std::string with_caret(const std::vector<std::string>& lines, int line, int column) {
  if (line < 0 || static_cast<std::size_t>(line) >= lines.size()) return {};
  std::string shown = lines[static_cast<std::size_t>(line)].substr(0, 160);
  const std::size_t position = std::min(static_cast<std::size_t>(std::max(column, 0)), shown.size());
  return fmt::format("\n    {}\n    {}^", shown, std::string(position, ' '));
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
  return fmt::format("known here: {}", fmt::join(known, ", "));
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
  file.lines_ = split_lines(text);
  try {
    file.root_ = YAML::Load(std::string(text));
  } catch (const YAML::Exception& failure) {
    return Error{ErrorCode::malformed, fmt::format("this is no YAML: {}{}", failure.msg, with_caret(file.lines_, failure.mark.line, failure.mark.column)),
                 fmt::format("{}:{}", path, failure.mark.line + 1), "quote texts that hold ': ' or begin with one of @ ` % & * ! | > [ {"};
  }
  if (!file.root_.IsMap()) return file.error(file.root_, "the file must be a map of keys", "begin with 'title: ...'");
  return file;
}

Error DataFile::error(const YAML::Node& at, std::string_view what, std::string_view hint) const {
  const YAML::Mark mark = at.IsDefined() ? at.Mark() : YAML::Mark{};
  return {ErrorCode::malformed, std::string(what) + with_caret(lines_, mark.line, mark.column), fmt::format("{}:{}", path_, mark.line + 1), std::string(hint)};
}

Status DataFile::check_keys(const YAML::Node& map, const std::vector<std::string_view>& known) const {
  if (!map.IsMap()) return error(map, "a map of keys is wanted here");
  for (const auto& entry : map) {
    const std::string& key = entry.first.Scalar();
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      return error(entry.first, fmt::format("unknown key '{}'", key), did_you_mean(key, known));
    }
  }
  return {};
}

Result<std::string> DataFile::text(const YAML::Node& map, const char* key, bool required) const {
  const YAML::Node node = map[key];
  if (!node.IsDefined() || node.IsNull()) {
    if (required) return error(map, fmt::format("'{}' is missing", key));
    return std::string();
  }
  if (!node.IsScalar()) return error(node, fmt::format("'{}' must be a text", key));
  return node.Scalar();
}

Result<std::vector<std::string>> DataFile::texts(const YAML::Node& map, const char* key) const {
  const YAML::Node node = map[key];
  std::vector<std::string> texts;
  if (!node.IsDefined() || node.IsNull()) return texts;
  if (node.IsScalar()) return std::vector<std::string>{node.Scalar()};
  if (!node.IsSequence()) return error(node, fmt::format("'{}' must be a list of texts", key));
  for (const auto& item : node) {
    if (!item.IsScalar()) return error(item, fmt::format("'{}' must hold texts only", key));
    texts.push_back(item.Scalar());
  }
  return texts;
}

Result<double> DataFile::number(const YAML::Node& map, const char* key, double otherwise) const {
  const YAML::Node node = map[key];
  if (!node.IsDefined()) return otherwise;
  double value = 0;
  if (!YAML::convert<double>::decode(node, value)) return error(node, fmt::format("'{}' must be a number", key));
  return value;
}

}  // namespace mcpscan
