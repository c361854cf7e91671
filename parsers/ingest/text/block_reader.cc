#include "ingest/text/block_reader.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "ingest/text/text_cleaner.h"
#include "ingest/text/text_input.h"
#include "ingest/text/text_scan.h"

namespace mcpscan::ingest {
namespace {

constexpr std::size_t kReadBytes = 128 * 1024;   // bytes read and scanned at a time: they stay in the inner caches
constexpr std::size_t kSpareBlocks = 4;          // a buffer grown beyond so many blocks is given back to the system

std::string_view without_line_end(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// Where the line begins whose last byte is before `end`; `end` is right after a line end or at the end of the text.
std::size_t line_start_before(std::string_view text, std::size_t end) {
  if (end < 2) return 0;
  const std::size_t newline = text.rfind('\n', end - 2);
  return newline == std::string_view::npos ? 0 : newline + 1;
}

}  // namespace

struct BlockReader::State {
  enum class Fill : std::uint8_t { reached, cut, ended };

  State(ByteReader& bytes, std::string head, std::uint32_t input_number, RecordBorder border, const Limits& limits)
      : in(bytes, std::move(head)),
        starts_record(std::move(border)),
        input(input_number),
        record_bound(std::max<std::size_t>(limits.record_bytes, 2)),
        line_bound(std::clamp<std::size_t>(limits.line_bytes, 1, record_bound - 1)),
        block_bound(std::clamp<std::size_t>(limits.block_bytes, 1, record_bound)) {}

  bool next(TextBlock& block);
  std::uint64_t position() const { return left_out + in.position(); }
  void begin(TextBlock& block);
  void finish(TextBlock& block, std::size_t cut);
  void grow(TextBuffer& buffer) const;
  Fill fill(TextBlock& block, std::size_t target);
  bool append(TextBlock& block, std::size_t from);
  bool end_at_long_line(TextBuffer& buffer, std::size_t from);
  std::size_t complete_mark(TextBuffer& buffer);
  void scan(TextBlock& block, std::size_t from, bool& cut);
  bool clean(TextBlock& block, std::size_t from);
  void cut_long_line(TextBlock& block, std::size_t line);
  std::uint64_t skip_line(std::uint64_t line, bool& found_end);
  std::size_t last_record_start(std::string_view text, std::size_t floor) const;
  void report(std::string kind, std::string text, std::uint64_t line, std::uint64_t offset, std::uint64_t count = 1);
  void report_nuls(std::uint64_t count, std::uint64_t line, std::uint64_t offset);
  void report_encoding();

  TextInput in;
  RecordBorder starts_record;
  std::uint32_t input;
  std::size_t record_bound, line_bound, block_bound;
  TextCleaner cleaner;
  model::AnomalyLog anomalies;
  std::string carry;                 // the beginning of the next block
  std::uint64_t sequence = 0;
  std::uint64_t next_line = 1;
  std::uint64_t next_offset = 0;
  std::uint64_t left_out = 0;        // bytes before the first one read
  // Of the block being filled:
  std::size_t open_line = 0;         // where the line begins that has no end yet
  std::uint64_t lines = 0;           // line ends
  bool ended = false;
  bool encoding_reported = false;
};

bool BlockReader::State::next(TextBlock& block) {
  begin(block);
  std::size_t target = block_bound, floor = 0;
  for (;;) {
    const Fill outcome = ended ? Fill::ended : fill(block, target);
    if (outcome == Fill::ended) ended = true;
    if (outcome != Fill::reached && block.bytes.empty() && ended) return report_encoding(), false;
    if (outcome != Fill::reached) return finish(block, block.bytes.size()), true;
    if (const std::size_t cut = last_record_start(block.bytes, floor); cut > 0) return finish(block, cut), true;
    if (target == record_bound) {
      report("record-too-long", fmt::format("a record is longer than {} bytes and was cut at a line end", record_bound), block.first_line, block.offset);
      return finish(block, open_line), true;
    }
    floor = open_line;
    target = std::min(target + block_bound, record_bound);
    grow(block.bytes);
  }
}

void BlockReader::State::begin(TextBlock& block) {
  if (block.bytes.capacity() > kSpareBlocks * block_bound) block.bytes = {};
  block.bytes.reserve(std::max(block_bound, carry.size()));
  block.bytes.assign(carry);
  block.sequence = sequence++;
  block.first_line = next_line;
  block.offset = next_offset;
  block.skipped_bytes = 0;
  lines = scan_text(carry).newlines;
  open_line = lines > 0 ? carry.rfind('\n') + 1 : 0;
}

// The block ends at `cut`; what is behind it opens the next one.
void BlockReader::State::finish(TextBlock& block, std::size_t cut) {
  const std::string_view rest = block.bytes.view().substr(cut);
  carry.assign(rest);
  next_line = block.first_line + lines - scan_text(rest).newlines;
  next_offset = rest.empty() ? position() : block.offset + cut + cleaner.removed_before(cut);
  cleaner.drop_before(cut);
  block.bytes.resize(cut);
}

// Room for the longest line at once: doubling would hold a long line two times while it is copied.
void BlockReader::State::grow(TextBuffer& buffer) const {
  const std::size_t room_for_line = line_bound + block_bound;
  buffer.reserve(buffer.size() + block_bound <= room_for_line ? std::min(room_for_line, record_bound) : record_bound);
}

BlockReader::State::Fill BlockReader::State::fill(TextBlock& block, std::size_t target) {
  while (block.bytes.size() < target) {
    const std::size_t before = block.bytes.size();
    const std::size_t wanted = std::min({target - before, line_bound, kReadBytes});
    block.bytes.resize(before + wanted);
    const std::size_t got = in.read({block.bytes.data() + before, wanted});
    block.bytes.resize(before + got);
    if (got == 0) return Fill::ended;
    if (append(block, before)) return Fill::cut;
  }
  return Fill::reached;
}

// Takes the bytes from `from` on into the block; true when the block must end here.
bool BlockReader::State::append(TextBlock& block, std::size_t from) {
  TextBuffer& buffer = block.bytes;
  const bool may_be_long = end_at_long_line(buffer, from);
  const std::size_t borrowed = complete_mark(buffer);
  bool cut = false;
  const std::uint64_t lines_before = lines;
  const std::size_t line = open_line;
  scan(block, from, cut);
  if (borrowed > 0 && buffer.view().ends_with(kUtf8Mark)) {
    in.unread(buffer.view().substr(buffer.size() - borrowed));
    buffer.resize(buffer.size() - borrowed);
  }
  const std::size_t length = buffer.size() - line - (lines > lines_before ? 1 : 0);
  if (cut || !may_be_long || length <= line_bound) return cut;
  cut_long_line(block, line);
  return true;
}

// When the open line is longer than a line may be, nothing behind its end is taken yet.
bool BlockReader::State::end_at_long_line(TextBuffer& buffer, std::size_t from) {
  const std::size_t newline = buffer.view().find('\n', from);
  const std::size_t end = newline == std::string_view::npos ? buffer.size() : newline;
  if (end - open_line <= line_bound) return false;
  if (newline != std::string_view::npos) {
    in.unread(buffer.view().substr(newline + 1));
    buffer.resize(newline + 1);
  }
  return true;
}

// A byte order mark is judged as a whole; the bytes borrowed for that are returned by append() unless the mark goes.
std::size_t BlockReader::State::complete_mark(TextBuffer& buffer) {
  for (std::size_t have = kUtf8Mark.size() - 1; have > 0; --have) {
    if (!buffer.view().ends_with(kUtf8Mark.substr(0, have))) continue;
    const std::string_view missing = kUtf8Mark.substr(have);
    if (!in.continues_with(missing)) return 0;
    const std::size_t size = buffer.size();
    buffer.resize(size + missing.size());
    return in.read({buffer.data() + size, missing.size()});
  }
  return 0;
}

// Cleans where needed, counts line ends and finds where the open line begins.
void BlockReader::State::scan(TextBlock& block, std::size_t from, bool& cut) {
  TextScan found = scan_text(block.bytes.view().substr(from));
  if (found.has_nul || found.has_mark_lead) {
    cut = clean(block, from);
    found = scan_text(block.bytes.view().substr(from));
  } else {
    cleaner.forget_run();
  }
  lines += found.newlines;
  if (found.newlines > 0) open_line = block.bytes.view().rfind('\n') + 1;
}

bool BlockReader::State::clean(TextBlock& block, std::size_t from) {
  TextBuffer& buffer = block.bytes;
  const TextCleaner::Outcome outcome = cleaner.clean(buffer, from, position() - (buffer.size() - from));
  if (outcome.cut) in.unread(outcome.rest);
  buffer.resize(outcome.size);
  block.offset += outcome.skipped;
  if (outcome.nuls > 0) {
    const std::string_view before = buffer.view().substr(from, outcome.first_nul_at - from);
    report_nuls(outcome.nuls, block.first_line + lines + scan_text(before).newlines, outcome.first_nul);
  }
  return outcome.cut;
}

void BlockReader::State::cut_long_line(TextBlock& block, std::size_t line) {
  TextBuffer& buffer = block.bytes;
  bool found_end = buffer.view().ends_with('\n');
  lines -= found_end ? 1 : 0;
  std::uint64_t skipped = buffer.size() - (found_end ? 1 : 0) - line - line_bound;
  buffer.resize(line + line_bound);
  if (!found_end) skipped += skip_line(block.first_line + lines, found_end);
  report("line-too-long", fmt::format("line {} is {} bytes long; the first {} are read", block.first_line + lines, line_bound + skipped, line_bound),
         block.first_line + lines, block.offset + line + cleaner.removed_before(line));
  if (found_end) buffer.append('\n'), ++lines;
  open_line = buffer.size();
  block.skipped_bytes = skipped;
}

// Reads up to and with the next line end; returns the bytes before it.
std::uint64_t BlockReader::State::skip_line(std::uint64_t line, bool& found_end) {
  std::string scratch(kReadBytes, '\0');
  std::uint64_t skipped = 0;
  cleaner.forget_run();
  while (const std::size_t got = in.read(scratch)) {
    const std::uint64_t offset = position() - got;
    const std::string_view text(scratch.data(), got);
    const std::size_t newline = text.find('\n');
    const std::string_view part = text.substr(0, newline);
    const auto nuls = static_cast<std::uint64_t>(std::count(part.begin(), part.end(), '\0'));
    if (nuls > 0) report_nuls(nuls, line, offset + part.find('\0'));
    skipped += part.size() - nuls;
    if (newline == std::string_view::npos) continue;
    found_end = true;
    in.unread(text.substr(newline + 1));
    return skipped;
  }
  return skipped;
}

// The last line that begins a record, is whole, and begins at or behind `floor` (what is before was looked at already); 0: none.
std::size_t BlockReader::State::last_record_start(std::string_view text, std::size_t floor) const {
  std::size_t end = open_line;
  if (end == 0) return 0;
  std::size_t start = line_start_before(text, end);
  while (start > 0 && start >= floor) {
    const std::size_t previous = line_start_before(text, start);
    if (starts_record(without_line_end(text.substr(previous, start - previous)), without_line_end(text.substr(start, end - start)))) return start;
    end = start;
    start = previous;
  }
  return 0;
}

void BlockReader::State::report(std::string kind, std::string text, std::uint64_t line, std::uint64_t offset, std::uint64_t count) {
  anomalies.add({std::move(kind), std::move(text), {input, model::PlaceKind::line, line, offset}, count});
}

void BlockReader::State::report_nuls(std::uint64_t count, std::uint64_t line, std::uint64_t offset) {
  report("nul-bytes", "NUL bytes were taken out, as a log that was truncated while being written holds them", line, offset, count);
}

void BlockReader::State::report_encoding() {
  if (std::exchange(encoding_reported, true)) return;
  if (in.unpaired_surrogates() > 0) {
    report("unpaired-surrogate", "UTF-16 code units without their partner were replaced by U+FFFD", 0, 0, in.unpaired_surrogates());
  }
  if (in.ends_in_half_unit()) report("truncated-utf16", "the input ends within a UTF-16 code unit", next_line, position());
}

BlockReader::BlockReader(ByteReader& bytes, std::string head, std::uint32_t input, RecordBorder starts_record, const Limits& limits)
    : state_(std::make_unique<State>(bytes, std::move(head), input, std::move(starts_record), limits)) {}
BlockReader::~BlockReader() = default;

bool BlockReader::next(TextBlock& block) { return state_->next(block); }
const model::AnomalyLog& BlockReader::anomalies() const { return state_->anomalies; }
void BlockReader::stand_at(std::uint64_t offset, std::uint64_t line) {
  state_->left_out = state_->next_offset = offset;
  state_->next_line = line;
}
std::uint64_t BlockReader::decoded_bytes() const { return state_->in.raw_bytes(); }
std::uint64_t BlockReader::lines() const { return state_->next_line - 1; }
std::string_view BlockReader::encoding() const { return to_string(state_->in.encoding()); }

}  // namespace mcpscan::ingest
