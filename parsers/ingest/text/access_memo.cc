#include "ingest/text/access_memo.h"

#include <algorithm>
#include <cstring>

#include "ingest/text/byte_words.h"
#include "ingest/text/char_class.h"

namespace mcpscan::ingest {
namespace {

using model::HttpFacts;
using Text = AccessMemo::Entry::Text;

constexpr std::size_t kLeastBytes = 24;
constexpr std::int64_t kPorts = 65536;

constexpr std::array<std::string_view LogRecord::*, 5> kRecordTexts{&LogRecord::text, &LogRecord::level, &LogRecord::logger, &LogRecord::session, &LogRecord::peer};

// Keeps where a view of the line stands, and takes it out of what is kept; false where it views something else.
bool keep(std::string_view& view, Text text, std::string_view line, AccessMemo::Entry& entry) {
  if (view.empty()) return view = {}, true;
  if (entry.text_count == entry.texts.size() || !text.part.take(view, line)) return false;
  entry.texts[entry.text_count++] = text;
  view = {};
  return true;
}

bool keep_texts(std::string_view line, AccessMemo::Entry& entry) {
  entry.text_count = 0;
  bool all = true;
  for (const auto member : kRecordTexts) all = keep(entry.record.*member, {member, nullptr, {}}, line, entry) && all;
  for (const auto member : model::kHttpTexts) all = keep(entry.http.*member, {nullptr, member, {}}, line, entry) && all;
  return all;
}

// Nothing but the address is read from this part of the line.
bool alone(std::string_view part, const Captures& captures) {
  for (std::size_t i = 0; i < captures.count; ++i) {
    const Capture& capture = captures.items[i];
    const bool apart = capture.text.data() + capture.text.size() <= part.data() || capture.text.data() >= part.data() + part.size();
    if (capture.field != Field::peer && !apart) return false;
  }
  return true;
}

// The digits at [from, to) may be others.
void set_free(std::string_view line, std::size_t from, std::size_t to, AccessMemo::Entry& entry) {
  for (std::size_t at = from; at < to; ++at) {
    if (is_digit(line[at])) entry.fixed[at] = 0;
  }
}

// The address, and the port behind it, may be others. False where numbers decide what is taken for a port.
bool free_address(std::string_view line, const LogRecord& record, const Captures& captures, AccessMemo::Entry& entry) {
  entry.port_size = 0;
  if (record.peer.empty()) return true;
  if (!alone(record.peer, captures)) return false;
  const auto from = static_cast<std::size_t>(record.peer.data() - line.data());
  const std::size_t end = from + record.peer.size();
  set_free(line, from, end, entry);
  const Decimal port = end < line.size() && line[end] == ':' ? read_decimal(line, end + 1) : Decimal{};
  if (port.digits == 0 || port.value != record.peer_port || !alone(line.substr(end, 1 + port.digits), captures)) return record.peer.find(':') == std::string_view::npos;
  entry.port_at = static_cast<std::uint16_t>(end + 1);
  entry.port_size = static_cast<std::uint16_t>(port.digits);
  set_free(line, end, end + 1 + port.digits, entry);
  return true;
}

bool equal_where_fixed(const AccessMemo::Entry& entry, std::string_view line) {
  for (std::size_t at = 0; at < line.size(); at += 8) {
    const std::size_t from = std::min(at, line.size() - 8);
    const std::uint64_t difference = eight_bytes(entry.line.data() + from) ^ eight_bytes(line.data() + from);
    if ((difference & eight_bytes(entry.fixed.data() + from)) != 0) return false;
  }
  return true;
}

std::int64_t port_of(const AccessMemo::Entry& entry, std::string_view line) { return read_decimal(line.substr(entry.port_at, entry.port_size)).value; }

}  // namespace

const AccessMemo::Entry* AccessMemo::find(std::string_view line, TimeReader& times, Time& at) {
  if (entries_.empty() || line.size() < kLeastBytes) return nullptr;
  const std::string_view shape = shapes_.shape(line);
  if (shape.empty()) return nullptr;
  for (const Entry& entry : entries_.places_of(shape)) {
    if (entry.size != line.size() || std::memcmp(entry.shape.data(), shape.data(), shape.size()) != 0 || !equal_where_fixed(entry, line)) continue;
    const std::int64_t port = entry.port_size == 0 ? 1 : port_of(entry, line);
    at = Time{};
    if (port <= 0 || port >= kPorts || (entry.time_bytes != 0 && times.read_first(line, at) != entry.time_bytes)) return nullptr;
    return &entry;
  }
  return nullptr;
}

void AccessMemo::learn(std::string_view line, bool begins_with_time, const LogRecord& record, const Captures& captures, TimeReader& times) {
  if (line.size() < kLeastBytes || !record.body.empty() || (record.http != nullptr && record.http->duration_us >= 0)) return;
  if (record.told != nullptr || record.told_reply != nullptr || record.notice != nullptr || record.outcome != nullptr) return;
  Time unused;
  const std::size_t time_bytes = begins_with_time ? times.read_first(line, unused) : 0;
  if (begins_with_time && time_bytes < LineMemo::kDateBytes) return;
  const std::string_view shape = shapes_.shape(line);
  if (shape.empty()) return;
  Entry& entry = entries_.put(shape);
  entry.size = 0;
  entry.record = record;
  entry.http = record.http == nullptr ? HttpFacts{} : *record.http;
  if (!keep_texts(line, entry)) return;
  std::memcpy(entry.shape.data(), shape.data(), shape.size());
  std::memcpy(entry.line.data(), line.data(), line.size());
  entry.fixed.fill(static_cast<char>(0xff));
  entry.time_bytes = static_cast<std::uint16_t>(time_bytes);
  if (time_bytes != 0) set_free(line, LineMemo::kDateBytes, time_bytes, entry);
  if (!free_address(line, record, captures, entry)) return;
  entry.size = static_cast<std::uint16_t>(line.size());
}

LogRecord& AccessMemo::record_of(const Entry& entry, std::string_view line, Arena& arena) {
  record_ = entry.record;
  HttpFacts* http = entry.record.http == nullptr ? nullptr : arena.make<HttpFacts>(entry.http);
  for (std::size_t i = 0; i < entry.text_count; ++i) {
    const Text& text = entry.texts[i];
    const std::string_view view = text.part.of(line);
    if (text.of_http != nullptr) http->*text.of_http = view;
    else record_.*text.of_record = view;
  }
  if (entry.port_size != 0) record_.peer_port = static_cast<std::uint16_t>(port_of(entry, line));
  if (http != nullptr) http->peer_port = record_.peer_port;
  record_.http = http;
  return record_;
}

}  // namespace mcpscan::ingest
