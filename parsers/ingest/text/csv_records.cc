#include "ingest/text/csv_records.h"

#include <algorithm>
#include <array>

#include "ingest/text/json_scan.h"
#include "ingest/text/text_scan.h"

namespace mcpscan::ingest {
namespace {

using namespace std::string_view_literals;

constexpr std::array kTimes{"timestamp"sv, "@timestamp"sv, "date"sv, "time"sv, "datetime"sv, "tsns"sv, "_time"sv, "timegenerated"sv};
constexpr std::array kTexts{"message"sv, "@message"sv, "line"sv, "content"sv, "log"sv, "body"sv, "textpayload"sv, "_raw"sv, "logmessage"sv};

template <typename Words>
bool one_of(std::string_view word, const Words& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return result;
}

}  // namespace

bool is_csv_of_records(std::string_view head) {
  if (head.starts_with(kUtf8Mark)) head.remove_prefix(kUtf8Mark.size());
  const std::string_view line = head.substr(0, std::min(head.find_first_of("\r\n"), head.size()));
  if (line.size() == head.size()) return false;
  bool time = false, text = false;
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t end = std::min(line.find(',', at), line.size());
    std::string_view name = line.substr(at, end - at);
    while (name.starts_with(' ') || name.starts_with('"')) name.remove_prefix(1);
    while (name.ends_with(' ') || name.ends_with('"')) name.remove_suffix(1);
    time = time || one_of(lower(name), kTimes);
    text = text || one_of(lower(name), kTexts);
    at = end + 1;
  }
  return time && text;
}

void CsvRecordLines::take(std::string_view bytes) {
  for (const char c : bytes) take(c);
}

bool CsvRecordLines::end() {
  if (!any_) return false;
  end_row();
  return true;
}

void CsvRecordLines::take(char c) {
  if (c == '\n' && (!quoted_ || was_quote_)) return end_row();
  any_ = any_ || c != '\r';
  if (quoted_ && !was_quote_ && c == '"') return void(was_quote_ = true);
  if (quoted_ && was_quote_ && c != '"') quoted_ = was_quote_ = false;
  was_quote_ = false;
  if (!quoted_ && c == ',') return end_cell();
  if (!quoted_ && c == '"' && cell_.empty()) return void(quoted_ = true);
  if (!quoted_ && c == '\r') return;
  if (row_.size() + cell_.size() < limits_.line_bytes) cell_ += c;
}

void CsvRecordLines::end_cell() {
  quoted_ = was_quote_ = false;
  if (!named_) {
    std::string_view name = cell_;
    if (columns_.empty() && name.starts_with(kUtf8Mark)) name.remove_prefix(kUtf8Mark.size());
    while (name.starts_with('"')) name.remove_prefix(1);
    while (name.ends_with('"')) name.remove_suffix(1);
    columns_.push_back(lower(name));
  } else if (cells_ < std::min(columns_.size(), JsonMembers::kMost)) {
    row_ += cells_ == 0 ? "{\"" : ",\"";
    append_escaped(row_, columns_[cells_]);
    row_ += "\":\"";
    append_escaped(row_, cell_);
    row_ += '"';
  }
  ++cells_;
  cell_.clear();
}

void CsvRecordLines::end_row() {
  if (any_) end_cell();
  if (any_ && named_) out_ += row_ + "}\n";
  named_ = named_ || any_;
  row_.clear();
  cell_.clear();
  cells_ = 0;
  any_ = quoted_ = was_quote_ = false;
}

}  // namespace mcpscan::ingest
