// module: ingest
// Any bytes as a log: every physical line is accounted for once, times and places are in order, nothing reads out of bounds.
// Cut where the border test allows it, a text of one process gives the same records; so does a text that the memo has seen before.
// The first byte chooses how the head is calibrated, so that shapes and content do not match.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/embedded_file.h"
#include "base/hash.h"
#include "ingest/text/log_parser.h"
#include "ingest/text/parser_memo.h"
#include "ingest/text/surroundings.h"

namespace {

using namespace mcpscan;
using namespace mcpscan::ingest;

const DialectSet& dialects() {
  static const DialectSet set = [] {
    DialectSet loaded;
    for (const EmbeddedFile& file : embedded_dialects()) {
      if (!loaded.add(file.text, file.path)) std::abort();
    }
    return loaded;
  }();
  return set;
}

std::size_t count_lines(std::string_view text) {
  std::size_t lines = text.empty() || text.back() == '\n' ? 0 : 1;
  for (const char c : text) lines += c == '\n';
  return lines;
}

// A digest of the records of one block, and whether all are of one process.
struct Digest {
  std::uint64_t records = 0, hash = 0;
  bool one_process = true;
  Time rich_time;   // handed from block to block, as the pipeline does
};
void take(const LogParser& parser, std::string_view text, std::uint64_t first_line, std::uint64_t offset, Digest& digest, ParserMemo* memo = nullptr) {
  TextBlock block;
  block.bytes = text;
  block.first_line = first_line;
  block.offset = offset;
  Arena arena;
  const auto add = [&digest](const LogRecord& record) {
    ++digest.records;
    digest.one_process = digest.one_process && record.process == 0;
    digest.hash = hash_combine(digest.hash, hash_bytes(record.text, record.source.number + record.lines));
    if (record.rich_time && record.at.known()) digest.rich_time = record.at;
    const Time at = record.rich_time ? digest.rich_time : record.at;
    digest.hash = hash_combine(digest.hash, static_cast<std::uint64_t>(at.us) + static_cast<std::uint64_t>(record.kind));
    digest.hash = hash_combine(digest.hash, static_cast<std::uint64_t>(record.transport_at.us) + record.process + record.peer_port + record.dialect);
    for (const std::string_view view : {record.line, record.level, record.logger, record.session, record.peer, record.body}) digest.hash = hash_bytes(view, digest.hash);
    if (record.http == nullptr) return;
    digest.hash = hash_combine(digest.hash, static_cast<std::uint64_t>(record.http->status) << 16 | record.http->peer_port);
    for (const std::string_view view : {record.http->method, record.http->path, record.http->peer, record.http->session_id}) digest.hash = hash_bytes(view, digest.hash);
  };
  memo ? parser.parse(block, 0, arena, add, *memo) : parser.parse(block, 0, arena, add);
}

// What is remembered of a text changes nothing in how it is read again.
void check_memo(const LogParser& parser, std::string_view text) {
  Digest plain;
  take(parser, text, 1, 0, plain);
  ParserMemo memo;
  for (int again = 0; again < ShapeMemo::kSightings + 2; ++again) {
    Digest remembered;
    take(parser, text, 1, 0, remembered, &memo);
    if (remembered.hash != plain.hash || remembered.records != plain.records) std::abort();
  }
}

void check_border(const LogParser& parser, std::string_view text) {
  if (text.find("__CURSOR=") != std::string_view::npos || text.size() < 3) return;
  const std::size_t middle = text.find('\n', text.size() / 2);
  if (middle == std::string_view::npos || middle + 1 >= text.size()) return;
  const std::size_t before = text.rfind('\n', middle - 1), behind = text.find('\n', middle + 1);
  const std::string_view previous = text.substr(before + 1, middle - before - 1);
  if (!parser.starts_record(previous, text.substr(middle + 1, behind == std::string_view::npos ? behind : behind - middle - 1))) return;
  Digest whole, parts;
  take(parser, text, 1, 0, whole);
  take(parser, text.substr(0, middle + 1), 1, 0, parts);
  take(parser, text.substr(middle + 1), count_lines(text.substr(0, middle + 1)) + 1, middle + 1, parts);
  if (whole.one_process && (whole.hash != parts.hash || whole.records != parts.records)) std::abort();
}

void check(std::string_view head, std::string_view text) {
  static LogParser parser(dialects(), ParserOptions{}, [] {
    Limits limits;
    limits.record_lines = 50;
    limits.open_records = 4;
    return limits;
  }());
  parser.calibrate(head);
  TextBlock block;
  block.bytes = text;
  Arena arena;
  std::size_t lines = 0;
  std::uint64_t last = 0;
  parser.parse(block, 0, arena, [&](const LogRecord& record) {
    lines += record.lines;
    if (record.source.number <= last || record.source.offset > text.size() || record.dialect >= parser.dialects().size()) std::abort();
    last = record.source.number;
    if (record.kind == RecordKind::exchange && record.http == nullptr) std::abort();
    if (record.kind == RecordKind::notice && record.notice == nullptr) std::abort();
    const Surroundings near = describe_surroundings(record.text, record.line);
    if (near.session.size() > record.text.size() + record.line.size()) std::abort();
  });
  if (lines != count_lines(text)) std::abort();
  check_border(parser, text);
  check_memo(parser, text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  constexpr std::string_view kAsctime = "2026-11-29 16:35:09,620 - a - INFO - b\n";
  constexpr std::string_view kStampedRows = "2026-11-29T16:35:09.123456789Z [11/29/26 16:35:09] INFO     a   b.py:1\n";
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  check(data[0] % 2 == 0 ? std::string_view(text) : data[0] < 128 ? kAsctime : kStampedRows, text);
  return 0;
}
