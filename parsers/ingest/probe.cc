// probe_format: what an input is, told from its head alone.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "ingest/flow_file.h"
#include "ingest/input_set.h"
#include "ingest/json_outline.h"
#include "ingest/text/encoding.h"
#include "ingest/text/text_scan.h"

namespace mcpscan::ingest {
namespace {

using namespace std::string_view_literals;

// pcap (both byte orders, microseconds, nanoseconds, Kuznetzov's variant) and pcapng's section header.
constexpr std::array kCaptureMagics = {"\xA1\xB2\xC3\xD4"sv, "\xD4\xC3\xB2\xA1"sv, "\xA1\xB2\x3C\x4D"sv, "\x4D\x3C\xB2\xA1"sv,
                                       "\xA1\xB2\xCD\x34"sv, "\x34\xCD\xB2\xA1"sv, "\x0A\x0D\x0D\x0A"sv};
constexpr std::array kBinaryMagics = {"\x89PNG\r\n"sv, "\x7F" "ELF"sv, "PK\x03\x04"sv, "PK\x05\x06"sv, "\x1F\x8B"sv, "%PDF-"sv,
                                      "SQLite format 3\0"sv, "\xFF\xD8\xFF"sv, "GIF8"sv, "\xCA\xFE\xBA\xBE"sv, "\xCF\xFA\xED\xFE"sv,
                                      "MZ\x90\0"sv, "\xFD" "7zXZ\0"sv, "\x28\xB5\x2F\xFD"sv, "7z\xBC\xAF\x27\x1C"sv, "\0asm"sv};
constexpr std::array kClaudeTypes = {"user"sv, "assistant"sv, "system"sv, "summary"sv, "attachment"sv, "file-history-snapshot"sv, "queue-operation"sv, "progress"sv};
constexpr std::array kClaudeKeys = {"sessionId"sv, "session_id"sv, "parentUuid"sv, "leafUuid"sv, "messageId"sv, "message"sv};
constexpr std::array kCodexTypes = {"session_meta"sv, "response_item"sv, "event_msg"sv, "turn_context"sv, "compacted"sv};
constexpr std::array kOtlpKeys = {"resourceSpans"sv, "resourceLogs"sv, "resourceMetrics"sv, "resource_spans"sv, "resource_logs"sv};
constexpr std::array kHarKeys = {"entries"sv, "version"sv, "creator"sv, "pages"sv, "browser"sv};

constexpr std::size_t kLinesLookedAt = 16;
constexpr std::size_t kLookedAtInData = 1024;
constexpr std::size_t kHoleBytes = 16;        // so many NULs in a row are a hole in a text
constexpr std::size_t kControlShare = 20;     // one control byte in so many bytes at least: no text; random bytes have one in ten

template <typename Words>
bool one_of(std::string_view word, const Words& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

template <typename Magics>
bool begins_with_any(std::string_view head, const Magics& magics) {
  return std::any_of(magics.begin(), magics.end(), [head](std::string_view magic) { return head.starts_with(magic); });
}

bool is_capture(std::string_view head) {
  if (!begins_with_any(head, kCaptureMagics)) return false;
  if (head[0] != '\x0A') return true;
  const std::string_view order = head.substr(std::min<std::size_t>(8, head.size()), 4);
  return order == "\x1A\x2B\x3C\x4D"sv || order == "\x4D\x3C\x2B\x1A"sv;
}

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte == 0x7F || (byte < 0x20 && "\t\n\v\f\r\b\x1B"sv.find(c) == std::string_view::npos);
}

// Controls among the bytes that are no hole. A head of NULs only is a hole whose text comes later.
bool is_binary(std::string_view head) {
  std::size_t bytes = 0, controls = 0;
  for (std::size_t at = 0; at < head.size();) {
    const std::size_t end = head[at] == '\0' ? std::min(head.find_first_not_of('\0', at), head.size()) : at + 1;
    const std::size_t length = end - at;
    if (head[at] != '\0' || length < kHoleBytes) {
      bytes += length;
      if (is_control(head[at])) controls += length;
    }
    at = end;
  }
  return controls * kControlShare > bytes;
}

bool is_har(std::string_view text) {
  const JsonOutline outer(text);
  const std::string_view log = outer.value("log");
  if (!log.starts_with('{')) return false;
  const JsonOutline inner(log);
  return std::any_of(kHarKeys.begin(), kHarKeys.end(), [&](std::string_view key) { return inner.has(key); });
}

// Jaeger's and Tempo's exports are read as OTLP's traces are.
bool is_otlp(const JsonOutline& line) {
  const std::string_view data = line.value("data").substr(0, kLookedAtInData), batches = line.value("batches").substr(0, kLookedAtInData);
  if (data.starts_with('[') && data.find("\"traceID\"") != std::string_view::npos && data.find("\"spans\"") != std::string_view::npos) return true;
  if (batches.starts_with('[') && batches.find("\"resource\"") != std::string_view::npos) return true;
  return std::any_of(kOtlpKeys.begin(), kOtlpKeys.end(), [&](std::string_view key) { return line.value(key).starts_with('['); });
}

// Claude Code: type and one of its keys. Codex: timestamp, type and payload.
bool is_transcript_line(const JsonOutline& line) {
  const std::string_view type = line.text("type");
  if (one_of(type, kCodexTypes)) return line.has("payload") && line.has("timestamp");
  return one_of(type, kClaudeTypes) && std::any_of(kClaudeKeys.begin(), kClaudeKeys.end(), [&](std::string_view key) { return line.has(key); });
}

struct LineCounts {
  std::size_t lines = 0, transcript = 0, otlp = 0;
};

// Both forms are JSON lines; a log may hold one such line among others, so most must be of the kind.
LineCounts count_lines(std::string_view text) {
  LineCounts counts;
  while (!text.empty() && counts.lines < kLinesLookedAt) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.find_first_not_of(" \t\r\0"sv) == std::string_view::npos) continue;
    ++counts.lines;
    const JsonOutline outline(line);
    counts.transcript += is_transcript_line(outline);
    counts.otlp += is_otlp(outline);
  }
  return counts;
}

FormatKind kind_of_json(std::string_view text) {
  if (is_har(text)) return FormatKind::har;
  if (is_otlp(JsonOutline(text))) return FormatKind::otlp;  // also pretty-printed
  const LineCounts counts = count_lines(text);
  if (counts.otlp * 2 > counts.lines) return FormatKind::otlp;
  if (counts.transcript * 2 > counts.lines) return FormatKind::transcript;
  return FormatKind::log;
}

}  // namespace

FormatKind probe_format(std::string_view head) {
  if (head.empty()) return FormatKind::empty;
  if (is_capture(head)) return FormatKind::capture;
  if (begins_with_any(head, kBinaryMagics) || is_flow_file(head)) return FormatKind::binary;
  const std::string decoded = decode_head(head);
  std::string_view text = decoded;
  if (text.starts_with(kUtf8Mark)) text.remove_prefix(kUtf8Mark.size());
  if (is_binary(text)) return FormatKind::binary;
  const std::size_t first = text.find_first_not_of(" \t\r\n\0"sv);
  if (first == std::string_view::npos || text[first] != '{') return FormatKind::log;
  return kind_of_json(text.substr(first));
}

}  // namespace mcpscan::ingest
