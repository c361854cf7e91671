// The second half of RecordReader: a whole record becomes a LogRecord.
#include <cstring>

#include "base/hash.h"
#include "ingest/text/char_class.h"
#include "ingest/text/logger_behind.h"
#include "ingest/text/loose_prefix.h"
#include "ingest/text/record_builder.h"
#include "ingest/text/record_reader.h"
#include "ingest/text/stack_trace.h"

namespace mcpscan::ingest {
std::string_view RecordReader::joined(Open& open) {
  if (open.pieces.empty()) return open.text;
  const std::span<char> buffer = arena_.buffer(open.bytes + open.pieces.size());
  std::size_t used = 0;
  for (std::size_t i = 0; i < open.pieces.size(); ++i) {
    if (i != 0 && !open.glued[i]) buffer[used++] = '\n';
    if (!open.pieces[i].empty()) std::memcpy(buffer.data() + used, open.pieces[i].data(), open.pieces[i].size());
    used += open.pieces[i].size();
  }
  return {buffer.data(), used};
}

// What a record has of its framings, where they say no more.
void RecordReader::take_frame_of(const Frame& frame, std::string_view head_process, LogRecord& record) {
  record.transport_at = frame.outer;
  if (!record.at.known()) record.at = frame.inner;
  record.process = head_process.empty() ? frame.process : hash_bytes(head_process, frame.process + 1);
}

// The record of a line that a memo knows; null when it does not any more.
LogRecord* RecordReader::remembered(const Open& open) {
  LogRecord* record = nullptr;
  if (open.known != nullptr && open.known->serial == open.known_serial) record = &memo_.lines.record_of(*open.known, open.text, arena_);
  if (open.access != nullptr && open.access->serial == open.known_serial) record = &memo_.accesses.record_of(*open.access, open.text, arena_);
  return record;
}

void RecordReader::interpret(Open& open) {
  const bool one_line = open.lines == 1 && open.pieces.empty() && !open.too_long;
  const bool alone = one_line && open.frame.is_bare();
  if (LogRecord* record = alone ? remembered(open) : nullptr) {
    record->at = open.head.at;
    take_frame_of(open.frame, open.head.process, *record);
    record->source = open.source;
    record->line = open.line;
    return yield_(*record);
  }
  if (open.access != nullptr) {
    match_.captures.seen_to = nullptr;
    read_head(open.frame.payload, open.head, open.next_prefix);
    open.seen_to = match_.captures.seen_to;
  }
  LogRecord fresh;
  LogRecord& record = open.frame.ready != nullptr ? *open.frame.ready : fresh;
  plain_ = alone && open.head.found;
  shape_known_ = false;
  match_.rule = nullptr;
  match_.captures.seen_to = open.seen_to;
  interpret_anew(open, record);
  if (memo_.kept) {
    if (plain_ && plainly_captured()) memo_.lines.learn(open.text, open.head, open.next_prefix, record, match_.captures.seen_to, times_);
    if (one_line && open.frame.ready == nullptr && !open.frame.malformed && !shape_known_) learn_shapes(open, record);
    else if (plain_ && match_.rule != nullptr && match_.rule->meaning.is == RecordKind::exchange) learn_access(open, record);
  }
  yield_(record);
}

// Of lines that the line memo does not keep.
void RecordReader::learn_shapes(const Open& open, const LogRecord& record) {
  const bool kept = record.http == nullptr && is_digit(open.text.empty() ? '0' : open.text[0]);
  if (kept || record.text.empty() || open.text.size() > ShapeMemo::kBytes) return;
  learn_shape(open.text, memo_.prefixes, state_.rules->prefixes);
  learn_shape(record.text, memo_.messages, state_.rules->messages);
}

void RecordReader::learn_access(const Open& open, const LogRecord& record) {
  const ShapeMemo::Known* prefix = memo_.prefixes.find(open.text);
  const ShapeMemo::Known* message = memo_.messages.find(record.text);
  if (prefix == nullptr || !state_.rules->prefixes.decided_by_shape(*prefix, open.text[0], open.next_prefix)) return;
  if (message == nullptr || !state_.rules->messages.decided_by_shape(*message, match_)) return;
  if (open.head.at.known() == open.head.behind_any_time) memo_.accesses.learn(open.text, open.head.behind_any_time, record, match_.captures, times_);
}

template <typename Table>
void RecordReader::learn_shape(std::string_view text, ShapeMemo& shapes, const Table& table) const {
  const ShapeMemo::Known* known = shapes.find(text);
  if (known != nullptr && known->settled()) return;
  ShapeMemo::Known news;
  news.sightings = known == nullptr ? 1 : static_cast<std::uint8_t>(known->sightings + 1);
  if (news.settled()) news = table.known_of(shapes.shape(text), state_.time);
  shapes.learn(text, news);
}

// The message holds no time, and all that was captured was looked at, but for what goes on to the end of the line.
bool RecordReader::plainly_captured() const {
  if (match_.rule == nullptr) return true;
  for (std::size_t i = 0; i < match_.captures.count; ++i) {
    const Capture& capture = match_.captures.items[i];
    const bool open_end = capture.field == Field::body || capture.field == Field::message;
    if (capture.field == Field::time || (!open_end && capture.text.data() + capture.text.size() > match_.captures.seen_to)) return false;
  }
  return true;
}

void RecordReader::interpret_anew(Open& open, LogRecord& record) {
  const Frame& frame = open.frame;
  record.source = open.source;
  record.lines = open.lines;
  record.line = open.line;
  record.transport_at = frame.outer;
  if (!record.at.known()) record.at = frame.inner;
  record.process = frame.process;
  record.logger = frame.logger;
  record.level = frame.level;
  record.dialect = static_cast<std::uint16_t>(frame.dialect);
  if (frame.ready == nullptr) {
    record.session = frame.session;
    record.keying = frame.keying;
    record.direction = frame.direction;
    record.peer = frame.peer;
    tell(open, joined(open), record);
    if (record.kind == RecordKind::unknown && !frame.error.empty()) tell_error(frame.error, record);
    if (record.kind == RecordKind::noise) tell_early_request(frame.error.empty() ? record.text : frame.error, record);
  }
  if (frame.malformed || open.too_long) {
    record.malformed = true;
    record.reason = frame.malformed ? frame.reason : "record-too-long";
  }
}

void RecordReader::take_head(const RecordHead& head, LogRecord& record) const {
  if (head.at.known()) record.at = head.at;
  if (!head.level.empty()) record.level = head.level;
  if (!head.logger.empty()) record.logger = head.logger;
  if (!head.process.empty()) record.process = hash_bytes(head.process, record.process + 1);
  if (!head.session.empty()) {
    record.session = head.session;
    record.keying = head.rule == nullptr ? model::SessionKeying::process : head.rule->keying;
  }
  if (head.rule != nullptr && record.dialect == 0) record.dialect = static_cast<std::uint16_t>(head.rule->dialect);
}

bool RecordReader::tell_message(std::string_view message, LogRecord& record) {
  const ShapeMemo::Known* known = memo_.messages.find(message);
  shape_known_ = known != nullptr && known->settled();
  if (!state_.rules->messages.match(message, record.logger, times_, match_, known)) return false;
  return apply_match(record), true;
}

void RecordReader::apply_match(LogRecord& record) {
  record.dialect = static_cast<std::uint16_t>(match_.rule->dialect);
  if (!match_.rule->fields.empty()) framer_.take_pairs(match_.captures.text(Field::pairs), match_.rule->fields, match_.captures), plain_ = false;
  apply_meaning(match_.rule->meaning, match_.captures, arena_, record);
}

bool RecordReader::tell_before_logger(std::string_view message, LogRecord& record) {
  const LoggerBehind behind = split_logger_behind(message);
  match_.captures.saw(message.data() + message.size() + 1);
  plain_ = false;
  if (!behind.logger.empty()) record.logger = behind.logger;
  if (behind.message.size() == message.size() || !tell_message(behind.message, record)) return false;
  record.text = behind.message;
  return true;
}

// A prefix that gives a time and nothing else (kubectl logs --timestamps, ts) may stand before another one.
bool RecordReader::tell_with_head(const RecordHead& head, std::string_view text, LogRecord& record) {
  std::string_view message = text.substr(std::min(head.message, text.size()));
  if (!message.empty() && message[0] == '\n') message = trim(message);  // the whole message stands below its prefix
  take_head(head, record);
  record.text = message;
  const bool time_alone = head.level.empty() && head.logger.empty();
  if (time_alone && head.at.known() && message.starts_with("- ")) return false;  // the dash parts the time from what else stands in the prefix
  if (head.rule != nullptr && head.rule->logger_behind && tell_before_logger(message, record)) return true;
  if (tell_message(message, record)) return true;
  if (!time_alone) return false;
  RecordHead inner;
  if (state_.rules->prefixes.match(message, 0, times_, match_.captures, inner) == 0) return false;
  plain_ = false;
  message = message.substr(std::min(inner.message, message.size()));
  take_head(inner, record);
  record.text = message;
  return tell_message(message, record);
}

// A prefix of fields in any order, behind which a known message begins.
bool RecordReader::tell_loosely(const RecordHead& read, std::string_view text, LogRecord& record) {
  if (text.empty()) return false;
  LoosePrefix prefix(text, times_, read);
  bool told = false;
  while (!told && prefix.next()) {
    told = prefix.tells_something() && state_.rules->messages.match_at(text.substr(prefix.message()), prefix.head().logger, times_, match_);
  }
  match_.captures.saw(text.data() + std::min(prefix.seen(), text.size() + 1));
  if (!told) return match_.rule = nullptr, false;
  plain_ = false;
  take_head(prefix.head(), record);
  record.text = text.substr(prefix.message());
  return apply_match(record), true;
}

// The first prefix with which the message is known; else the first prefix.
void RecordReader::tell(Open& open, std::string_view text, LogRecord& record) {
  record.text = text;
  if (open.rich) {
    std::vector<std::string_view> rows;
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      rows.push_back(text.substr(at, end - at));
      at = end + 1;
    }
    take_head(open.head, record);
    record.rich_time = !open.frame.inner.known();
    record.text = join_rich_rows(rows, open.head.message, arena_);
    tell_message(record.text, record);
    return;
  }
  if (!open.head.found) {
    if (tell_message(text, record)) return;
    if (!open.frame.tells_logger() && tell_loosely({}, text, record)) return;
    if (trim(text).empty()) record.kind = RecordKind::noise, record.reason = "blank";
    return tell_stack(text, record);
  }
  const LogRecord bare = record;
  if (tell_with_head(open.head, text, record)) return;
  const LogRecord first = record;
  for (std::size_t next = open.next_prefix; next != 0;) {
    RecordHead head;
    next = state_.rules->prefixes.match(open.text.substr(0, open.text.find('\n')), next, times_, match_.captures, head);
    if (next == 0) break;
    record = bare;
    if (tell_with_head(head, text, record)) return void(plain_ = false);
  }
  record = bare;
  if (!open.frame.tells_logger() && tell_loosely(open.head, text, record)) return;
  record = first;
  tell_stack(text, record);
}

// Words of its own and a stack below them: what happened is in the stack, and only a statement with a known meaning is taken from there.
void RecordReader::tell_stack(std::string_view text, LogRecord& record) {
  if (record.kind != RecordKind::unknown || text.find('\n') == std::string_view::npos) return;
  const std::string_view error = error_of_stack(text);
  if (!error.empty()) tell_error(error, record);
  if (record.kind == RecordKind::unknown) tell_early_request(text, record);
}

// A server that dies of a request before the handshake says so nowhere else, under words that say nothing, and maybe with what failed next below it.
void RecordReader::tell_early_request(std::string_view text, LogRecord& record) {
  constexpr int kMostChained = 8;
  std::string_view error = text.find('\n') == std::string_view::npos ? std::string_view{} : error_of_stack(text);
  for (int i = 0; i < kMostChained && !error.empty(); ++i) {
    LogRecord told = record;
    told.text = error;
    if (tell_message(error, told) && told.notice != nullptr && told.notice->kind == model::NoticeKind::request_before_initialize) return void(record = told);
    error = error_of_stack(text.substr(0, static_cast<std::size_t>(error.data() - text.data())));
  }
}

void RecordReader::tell_error(std::string_view error, LogRecord& record) {
  LogRecord told = record;
  told.text = error;
  if (tell_message(error, told) && told.kind == RecordKind::notice) return void(record = told);
  if (error.find('\n') != std::string_view::npos) tell_stack(error, record);
}

}  // namespace mcpscan::ingest
