#include "ingest/text/record_reader.h"

#include <cstring>
#include <tuple>
#include <utility>

#include "ingest/text/char_class.h"
#include "ingest/text/loose_prefix.h"

namespace mcpscan::ingest {
namespace {

constexpr std::string_view kTraceback = "Traceback (most recent call last):";
const Frame kUnframed{};

std::string_view without_line_end(std::string_view line) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

// Box drawing (U+2500..U+257F) of Rich's tracebacks, and what closes a printed object.
bool goes_on_by_its_first_byte(std::string_view text) {
  const char c = text[0];
  if (is_blank(c) || c == '}' || c == ']' || c == ')') return true;
  return c == '\xe2' && text.size() > 2 && (text[1] == '\x94' || text[1] == '\x95');
}

// Statements that their program indents: told by their first words, behind one blank.
std::string_view one_blank_before(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && is_blank(text[at])) ++at;
  return text.substr(at - 1);
}

// The lines of a record are written at once, and read and stamped in a row.
bool written_apart(Time before, Time at) {
  constexpr std::int64_t kOneWriteUs = 50 * kMillisecond;
  return before.known() && at.known() && at.us - before.us > kOneWriteUs;
}

// "Exception Group Traceback (most recent call last):" ends with it too.
bool opens_traceback(std::string_view text) {
  text = trim_right(text);
  return text.size() >= kTraceback.size() && text.substr(text.size() - kTraceback.size()) == kTraceback;
}

bool links_tracebacks(std::string_view text) {
  return text.substr(0, kTraceback.size()) == kTraceback || text.substr(0, 15) == "During handling" || text.substr(0, 19) == "The above exception";
}

}  // namespace

RecordReader::RecordReader(const LogParser::State& state, std::uint32_t input, Arena& arena, LogParser::Yield yield, ParserMemo& memo)
    : state_(state), input_(input), arena_(arena), yield_(yield), times_(state.time), framer_(state.rules->json, state.shape, state.limits, times_, arena),
      memo_(memo) {}

void RecordReader::read(std::string_view bytes, std::uint64_t first_line, std::uint64_t offset) {
  bytes_ = bytes;
  base_offset_ = offset;
  line_number_ = first_line;
  has_escapes_ = !bytes.empty() && std::memchr(bytes.data(), '\x1b', bytes.size()) != nullptr;
  for (std::size_t at = 0; at < bytes.size();) {
    if (bytes[at] == '_') {
      const std::size_t taken = take_export(bytes.substr(at));
      if (taken != 0) {
        at += taken;
        continue;
      }
    }
    const void* found = std::memchr(bytes.data() + at, '\n', bytes.size() - at);
    const std::size_t end = found == nullptr ? bytes.size() : static_cast<std::size_t>(static_cast<const char*>(found) - bytes.data());
    take_line(bytes.substr(at, end - at), at);
    at = end + 1;
  }
  tell_known();
  flush(true);
}

void RecordReader::take_line(std::string_view line, std::uint64_t offset) {
  line = without_line_end(line);
  const bool dated = !has_escapes_ && Framer::has_blank_behind_date(line);
  if (dated) found_ = memo_.lines.find(line, times_, found_at_);
  if (dated && found_ != nullptr && found_->unframed) return take_unframed(line, offset);
  Frame frame;
  frame.payload = has_escapes_ || (!line.empty() && line[0] == '[') ? strip_ansi(line, arena_) : line;
  framer_.peel(frame);
  const bool bare = frame.is_bare();
  if (!bare) found_ = nullptr;
  else if (!dated || frame.layers != 0) found_ = memo_.lines.find(frame.payload, times_, found_at_);
  found_access_ = bare && found_ == nullptr ? memo_.accesses.find(frame.payload, times_, found_at_) : nullptr;
  const bool known = frame.layers == 0 && (found_ != nullptr || found_access_ != nullptr);
  if (!known || !take_known(frame.payload, line, offset)) take_frame(frame, line, offset, 1);
}

// The memo's line begins with the same bytes, and no framing was found around it.
void RecordReader::take_unframed(std::string_view line, std::uint64_t offset) {
  found_access_ = nullptr;
  if (take_known(line, line, offset)) return;
  Frame frame;
  frame.payload = line;
  take_frame(frame, line, offset, 1);
}

// Most lines are known and follow a known one: they are told without ever being opened.
bool RecordReader::take_known(std::string_view payload, std::string_view line, std::uint64_t offset) {
  if (!open_.empty()) {
    const Open& open = *open_.front();
    if (open_.size() > 1 || open.frame.process != 0 || open.frame.partial) return false;
    const std::uint64_t& serial = found_ != nullptr ? found_->serial : found_access_->serial;
    const std::uint64_t before = serial;
    close(*open_.front());
    flush(false);
    if (serial != before) return found_ = nullptr, found_access_ = nullptr, false;   // what was told just now took its place
  }
  tell_known();
  pending_ = {found_, found_access_, found_at_, payload, line, offset, line_number_++};
  return true;
}

void RecordReader::tell_known() {
  if (!pending_.waits()) return;
  LogRecord& record = pending_.entry != nullptr ? memo_.lines.record_of(*pending_.entry, pending_.payload, arena_)
                                                : memo_.accesses.record_of(*pending_.access, pending_.payload, arena_);
  record.at = pending_.at;
  take_frame_of(kUnframed, pending_.entry == nullptr ? std::string_view{} : LineMemo::process_of(*pending_.entry, pending_.payload), record);
  record.source = {input_, model::PlaceKind::line, pending_.number, base_offset_ + pending_.offset};
  record.line = pending_.line;
  pending_ = Known{};
  yield_(record);
}

// The known line before becomes an open record: the line at hand may continue it.
void RecordReader::open_known() {
  if (!pending_.waits()) return;
  const Known known = std::exchange(pending_, Known{});
  const std::uint64_t number = std::exchange(line_number_, known.number);
  Frame frame;
  frame.payload = known.payload;
  if (known.entry != nullptr) {
    recall(*known.entry, known.payload, known.at);
  } else {
    const auto found = std::pair(std::exchange(found_, nullptr), std::exchange(found_access_, nullptr));
    begins(frame, nullptr);
    std::tie(found_, found_access_) = found;
  }
  start(frame, known.line, known.offset, 1);
  line_number_ = number;
}

std::size_t RecordReader::take_export(std::string_view rest) {
  Frame frame;
  const std::size_t taken = framer_.read_export(rest, frame);
  if (taken == 0) return 0;
  found_ = nullptr;
  const std::string_view record = rest.substr(0, taken);
  const auto lines = static_cast<std::uint32_t>(std::count(record.begin(), record.end(), '\n') + (record.back() != '\n'));
  const std::string_view first = without_line_end(record.substr(0, record.find('\n')));
  framer_.peel(frame);
  take_frame(frame, first, static_cast<std::uint64_t>(rest.data() - bytes_.data()), lines);
  return taken;
}

RecordReader::Open* RecordReader::open_of(std::uint64_t process) {
  for (auto open = open_.rbegin(); open != open_.rend(); ++open) {
    if ((*open)->frame.process == process && !(*open)->closed) return open->get();
  }
  return nullptr;
}

// The record whose line was cut, which the frame goes on with.
RecordReader::Open* RecordReader::cut_before(const Frame& frame) {
  for (auto open = open_.rbegin(); open != open_.rend(); ++open) {
    if ((*open)->frame.partial && (*open)->frame.piece_process == frame.piece_process && !(*open)->closed) return open->get();
  }
  return nullptr;
}

void RecordReader::take_frame(const Frame& frame, std::string_view line, std::uint64_t offset, std::uint32_t lines) {
  open_known();
  Open* const cut = frame.in_pieces ? cut_before(frame) : nullptr;
  Open* const open = cut != nullptr ? cut : open_of(frame.process);
  const bool full = open != nullptr && (open->lines + lines > state_.limits.record_lines || open->bytes + frame.payload.size() > state_.limits.record_bytes);
  const bool begun = cut == nullptr && begins(frame, open);
  if (open != nullptr && !full && !begun) {
    append(*open, frame, lines);
  } else {
    if (!begun) begins(frame, nullptr);
    if (open != nullptr) close(*open);
    start(frame, line, offset, lines);
    open_.back()->too_long = full && !begun;
  }
  line_number_ += lines;
}

// A time in Rich's own form has to be one; what another form says may be unknown.
bool read_rich_head(std::string_view payload, bool bare_times, TimeReader& times, RecordHead& head) {
  const RichRow row = dated_rich_row(payload, bare_times);
  if (!row.found) return false;
  head = RecordHead{};
  if (row.level_column == RichRow::kLevelColumn && !row.names_source && times.read(TimeForm::rich, row.time, head.at) == 0) return false;
  if (!row.time.empty() && !head.at.known()) times.read_whole(row.time, head.at);
  head.found = true;
  head.level = row.level;
  head.message = row.message();
  return true;
}

bool RecordReader::read_head(std::string_view payload, RecordHead& head, std::size_t& next_prefix) {
  if (state_.shape.rich_bare) match_.captures.saw(payload.data() + payload.size() + 1);  // what it ends with decides
  if (read_rich_head(payload, state_.shape.rich_bare, times_, head)) return next_prefix = 0, true;
  next_prefix = state_.rules->prefixes.match(payload, 0, times_, match_.captures, head, memo_.prefixes.find(payload));
  if (next_prefix == 0) head = RecordHead{};
  return next_prefix != 0;
}

// What read_head() would read, as the memo has it.
void RecordReader::recall(const LineMemo::Entry& entry, std::string_view payload, Time at) {
  known_ = &entry;
  access_ = nullptr;
  match_.captures.seen_to = payload.data() + entry.time_bytes + entry.head_bytes + entry.to_end;
  head_ = LineMemo::head_of(entry, payload);
  head_.at = at;
  next_prefix_ = entry.next_prefix;
}

// A row that leaves its time out. Lines of others may stand between it and the row before: uvicorn writes its own into the same stream.
bool RecordReader::begins_rich_record(std::string_view payload, const Open* open) {
  const RichRow row = undated_rich_row(payload);
  const bool of_open = open != nullptr && open->rich && open->head.message == row.message();
  if (!row.found || (!row.names_source && !of_open && state_.shape.rich_column != row.level_column)) return false;
  head_.found = true;
  head_.level = row.level;
  head_.message = row.message();
  return true;
}

// Whether the frame begins a record, given the open one of its process; fills head_ with what was read of its prefix.
bool RecordReader::begins(const Frame& frame, const Open* open) {
  const std::string_view payload = frame.payload;
  head_.found = false;
  head_.rule = nullptr;
  known_ = nullptr;
  access_ = nullptr;
  if (frame.ready != nullptr || frame.malformed || payload.empty()) return head_ = RecordHead{}, !payload.empty();
  if (open != nullptr && open->dump.goes_on_with(payload)) return false;
  if (goes_on_by_its_first_byte(payload)) {
    head_ = RecordHead{};
    if (is_blank(payload[0]) && (open == nullptr || !open->traceback) && state_.rules->messages.begins_like_one(one_blank_before(payload))) return true;
    return begins_rich_record(payload, open);
  }
  if (found_ != nullptr) return recall(*found_, payload, found_at_), true;
  if (found_access_ != nullptr) {
    head_ = RecordHead{};
    head_.found = true;
    head_.at = found_at_;
    access_ = found_access_;
    return true;
  }
  match_.captures.seen_to = nullptr;
  if (read_head(payload, head_, next_prefix_)) return true;
  if (!frame.tells_logger() && read_loose_head(payload, times_, match_.captures, head_)) return true;
  if (open == nullptr) return true;
  if (open->traceback || links_tracebacks(payload)) return false;
  if (begins_crash_dump(payload)) return true;
  if (payload[0] == '{' || state_.rules->messages.begins_like_one(payload)) return true;
  if (state_.shape.stamped && written_apart(open->last_line, frame.outer)) return true;
  return !(state_.shape.timed && open->head.found);
}

RecordReader::Open& RecordReader::fresh() {
  if (spare_.empty()) spare_.push_back(std::make_unique<Open>());
  open_.push_back(std::move(spare_.back()));
  spare_.pop_back();
  Open& open = *open_.back();
  open.pieces.clear();
  open.glued.clear();
  open.rich = open.traceback = open.closed = open.too_long = false;
  return open;
}

void RecordReader::start(const Frame& frame, std::string_view line, std::uint64_t offset, std::uint32_t lines) {
  Open& open = fresh();
  open.source = {input_, model::PlaceKind::line, line_number_, base_offset_ + offset};
  open.lines = lines;
  open.line = line;
  open.bytes = frame.payload.size();
  open.cut = frame.partial;
  take_text(open, frame);
  if (open_.size() > state_.limits.open_records) open_.front()->closed = true;
  flush(false);
}

// What is known of the text that the record begins with, where its head was read.
void RecordReader::take_text(Open& open, const Frame& frame) {
  open.text = frame.payload;
  open.frame = frame;
  open.last_line = frame.outer;
  open.head = head_;
  open.next_prefix = next_prefix_;
  open.known = known_;
  open.access = access_;
  open.known_serial = known_ != nullptr ? known_->serial : access_ != nullptr ? access_->serial : 0;
  open.seen_to = match_.captures.seen_to;
  open.rich = head_.found && head_.rule == nullptr && access_ == nullptr;
  if (open.rich) time_row(open);
  open.traceback = opens_traceback(frame.payload);
  open.dump.begin(frame.payload);
}

// The line that the record begins with was cut and is whole now: what stands in it is taken off, and its head is read.
void RecordReader::take_whole_line(Open& open) {
  Frame whole = open.frame;
  whole.payload = joined(open);
  framer_.peel(whole);
  found_ = nullptr;
  found_access_ = nullptr;
  begins(whole, nullptr);
  open.cut = false;
  open.pieces.clear();
  open.glued.clear();
  take_text(open, whole);
  for (const auto& other : open_) {
    if (other.get() != &open && other->frame.process == whole.process) close(*other);
  }
}

// Rich writes whole seconds, in its own zone, and not on each row: what a framing says of all rows alike says more.
void RecordReader::time_row(Open& open) {
  if (open.frame.inner.known()) open.head.at = Time{};
  else if (open.head.at.known()) rich_time_ = open.head.at;
  else open.head.at = rich_time_;
}

void RecordReader::append(Open& open, const Frame& frame, std::uint32_t lines) {
  const bool glue = open.frame.partial;
  const std::string_view piece = glue && frame.in_pieces ? frame.piece : frame.payload;
  const char* end = open.text.data() + open.text.size();
  const bool in_block = end >= bytes_.data() && end < bytes_.data() + bytes_.size();
  if (open.pieces.empty() && !glue && in_block && piece.data() == end + 1 && *end == '\n') {
    open.text = {open.text.data(), open.text.size() + 1 + piece.size()};
  } else {
    if (open.pieces.empty()) open.pieces.push_back(open.text), open.glued.push_back(false);
    open.pieces.push_back(piece);
    open.glued.push_back(glue);
  }
  open.lines += lines;
  open.last_line = frame.outer;
  open.bytes += piece.size() + 1;
  open.frame.partial = frame.partial;
  open.frame.piece_process = frame.piece_process;
  if (open.cut && !frame.partial) return take_whole_line(open);
  open.dump.take(piece);
  if (links_tracebacks(piece) || opens_traceback(piece)) open.traceback = true;
  else if (open.traceback && !piece.empty() && !goes_on_by_its_first_byte(piece)) open.traceback = false;
}

void RecordReader::close(Open& open) { open.closed = true; }

void RecordReader::flush(bool all) {
  while (!open_.empty() && (all || open_.front()->closed)) {
    interpret(*open_.front());
    spare_.push_back(std::move(open_.front()));
    open_.erase(open_.begin());
  }
}

bool starts_record(const LogParser::State& state, std::string_view previous_line, std::string_view line) {
  Arena arena;
  TimeReader times(state.time);
  Framer framer(state.rules->json, state.shape, state.limits, times, arena);
  Frame before, now;
  before.payload = strip_ansi(without_line_end(previous_line), arena);
  now.payload = strip_ansi(without_line_end(line), arena);
  if (now.payload.substr(0, 9) == "__CURSOR=") return before.payload.empty();
  framer.peel(before);
  framer.peel(now);
  if (before.partial || now.process != before.process || now.payload.empty()) return false;
  if (now.ready != nullptr || now.malformed) return true;
  if (goes_on_by_its_first_byte(now.payload) || may_go_on_dump(before.payload, now.payload)) return false;
  RecordHead head;
  if (read_rich_head(now.payload, state.shape.rich_bare, times, head)) return true;
  Captures captures;
  if (state.rules->prefixes.match(now.payload, 0, times, captures, head) != 0) return true;
  if (!now.tells_logger() && read_loose_head(now.payload, times, captures, head)) return true;
  if (links_tracebacks(now.payload)) return false;
  if (state.shape.timed) return false;
  const bool inside = before.payload.empty() || goes_on_by_its_first_byte(before.payload) || links_tracebacks(before.payload) || opens_traceback(before.payload);
  return !inside;
}

}  // namespace mcpscan::ingest
