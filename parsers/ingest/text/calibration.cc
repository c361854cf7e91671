// LogParser::calibrate: the shape of a file from its head. Afterwards the same line is read the same way wherever it stands.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ingest/text/char_class.h"
#include "ingest/text/loose_prefix.h"
#include "ingest/text/record_reader.h"
#include "ingest/text/unlabelled_tokens.h"

namespace mcpscan::ingest {
namespace {

constexpr std::size_t kHeadLines = 2000;    // enough to tell a shape; a head may be larger
constexpr std::size_t kUnknownTextBytes = 240;

struct LineCounts {
  std::size_t lines = 0, framed_json = 0, syslog_file = 0, compose = 0, stamped = 0, nanoseconds = 0, goes_on = 0;
  std::size_t prefixed = 0;                 // lines that begin with a known prefix
  std::size_t rich_column = 0, rich_bare = 0;
  std::size_t bare = 0, bare_runs = 0;      // lines that neither have one nor continue another by their first byte; and runs of them
  std::uint32_t layers = 0;
};

constexpr std::uint32_t bit(Framing framing) { return 1u << static_cast<unsigned>(framing); }
constexpr std::uint32_t kShipped = bit(Framing::gcp) | bit(Framing::elasticsearch) | bit(Framing::ecs) | bit(Framing::datadog) | bit(Framing::loki) |
                                   bit(Framing::cloudwatch) | bit(Framing::fluent_bit) | bit(Framing::otlp);
constexpr std::uint32_t kJsonFramings = kShipped | bit(Framing::json_lines) | bit(Framing::docker_json) | bit(Framing::journal_json);

// What stands behind a stamp is no record's first line.
bool goes_on(std::string_view text) { return text.starts_with("  ") || text.starts_with('\t') || text == "}" || text == "]"; }

bool has(std::uint32_t layers, Framing framing) { return (layers & bit(framing)) != 0; }

std::vector<std::string_view> head_lines(std::string_view head) {
  std::vector<std::string_view> lines;
  for (std::size_t at = 0; at < head.size() && lines.size() < kHeadLines;) {
    const std::size_t end = std::min(head.find('\n', at), head.size());
    lines.push_back(trim_right(head.substr(at, end - at)));
    at = end + 1;
  }
  return lines;
}

// Hardly any program writes such a time itself.
bool has_nanoseconds(std::string_view line) {
  const std::size_t point = line.find('.');
  return point != std::string_view::npos && run_of(line, point + 1, kDigit) == 9;
}

LineCounts count_lines(const LogParser::State& state, const FileShape& shape, const std::vector<std::string_view>& lines) {
  LineCounts counts;
  Arena arena;
  TimeReader times(state.time);
  Framer framer(state.rules->json, shape, state.limits, times, arena);
  Captures captures;
  bool in_run = false;
  for (const std::string_view line : lines) {
    if (line.empty()) continue;
    Frame frame;
    frame.payload = strip_ansi(line, arena);
    framer.peel(frame);
    ++counts.lines;
    counts.layers |= frame.layers;
    counts.framed_json += (frame.layers & kJsonFramings) != 0;
    counts.syslog_file += has(frame.layers, Framing::syslog_file);
    counts.compose += has(frame.layers, Framing::compose);
    counts.stamped += has(frame.layers, Framing::stamps);
    counts.nanoseconds += has(frame.layers, Framing::stamps) && has_nanoseconds(line);
    counts.goes_on += has(frame.layers, Framing::stamps) && goes_on(frame.payload);
    if (frame.ready != nullptr || frame.payload.empty() || is_blank(frame.payload[0]) || frame.payload[0] == '{') continue;
    if (state.rules->messages.begins_like_one(frame.payload)) continue;
    RecordHead head;
    const bool rich = read_rich_head(frame.payload, true, times, head);
    counts.rich_bare += rich && is_digit(frame.payload[0]);
    if (rich && counts.rich_column == 0) counts.rich_column = head.message - RichRow::kMessageBehindLevel;
    const bool prefixed = rich || state.rules->prefixes.match(frame.payload, 0, times, captures, head) != 0 ||
                          (!frame.tells_logger() && read_loose_head(frame.payload, times, captures, head));
    counts.prefixed += prefixed;
    counts.bare += !prefixed;
    counts.bare_runs += !prefixed && !in_run;
    in_run = !prefixed;
  }
  return counts;
}

// The first full date anywhere in the head: some logs have their only one in a body.
Time first_full_date(std::string_view head, const TimeContext& context) {
  TimeReader times(context);
  for (std::size_t at = 0; at + 19 <= head.size(); ++at) {
    if (!is_digit(head[at]) || (at > 0 && is_a(head[at - 1], kDigit | kLetter))) continue;
    Time found;
    if (times.read(TimeForm::any, head.substr(at, 40), found) != 0) return found;
    at += run_of(head, at, kDigit);
  }
  return {};
}

unsigned first_yearless_month(const std::vector<std::string_view>& lines) {
  const TimeContext utc;
  TimeReader times(utc);
  for (std::string_view line : lines) {
    if (!line.empty() && line[0] == '<') line.remove_prefix(std::min(line.find('>') + 1, line.size()));
    Time found;
    if (times.read(TimeForm::syslog, line, found) != 0) return civil_from_time(found).month;
  }
  return 0;
}

void learn_time(LogParser::State& state, std::string_view head, const std::vector<std::string_view>& lines) {
  TimeContext& time = state.time;
  const Time date = first_full_date(head, time);
  time.month = first_yearless_month(lines);
  if (state.options.year_hint != 0) time.year = state.options.year_hint;
  else if (date.known()) time.year = civil_from_time(date).year;
  else time.newest = state.options.newest;
  const Time day = date.known() ? date : state.options.newest;
  if (!day.known()) return;
  const CivilTime civil = civil_from_time(day);
  time.day_us = days_from_civil(civil.year, civil.month, civil.day) * kDay;
}

void learn_shape(LogParser::State& state, const std::vector<std::string_view>& lines, bool may_be_stamped, LineCounts& counts) {
  FileShape trial;
  trial.compose = trial.syslog_file = true;
  trial.stamped = may_be_stamped;
  trial.shipped = kShipped;
  counts = count_lines(state, trial, lines);
  state.shape = FileShape{};
  state.shape.json = counts.framed_json * 2 > counts.lines;
  state.shape.syslog_file = counts.syslog_file * 2 > counts.lines;
  state.shape.compose = counts.compose * 2 > counts.lines;
  state.shape.shipped = counts.layers & kShipped;
  // No program's own times are in nanoseconds, or stand before the further lines of a record.
  state.shape.stamped = counts.stamped * 10 > counts.lines * 9 && (counts.nanoseconds * 2 > counts.lines || counts.goes_on > 0);
  if (counts.layers != 0) counts = count_lines(state, state.shape, lines);  // else there was nothing to be taken off
  state.shape.rich_column = counts.rich_column;
  state.shape.rich_bare = counts.rich_bare > 0;
  // Dumped bodies and tracebacks may outnumber the records they belong to; text without any layout has long runs of bare lines.
  constexpr std::size_t kMostBareLinesARecord = 20;
  state.shape.timed = counts.prefixed >= counts.bare_runs && counts.prefixed * kMostBareLinesARecord >= counts.bare && counts.prefixed > 0;
}

std::string describe_framing(std::uint32_t layers) {
  std::string text;
  for (std::size_t i = 0; i < kFramings; ++i) {
    if (has(layers, static_cast<Framing>(i))) text += (text.empty() ? "" : " > ") + std::string(name_of(static_cast<Framing>(i)));
  }
  return text.empty() ? "plain" : text;
}

void note_unknown(const LogRecord& record, Calibration& result) {
  if (result.first_unknown_line != 0) return;
  result.first_unknown_line = record.source.number;
  result.first_unknown_text = std::string(record.line.substr(0, kUnknownTextBytes));
  const bool stands_there = record.text.data() >= record.line.data() && record.text.data() <= record.line.data() + record.line.size();
  const std::size_t found = stands_there ? static_cast<std::size_t>(record.text.data() - record.line.data()) : record.line.find(record.text.substr(0, 8));
  result.first_unknown_column = found == std::string_view::npos ? 0 : std::min(found, result.first_unknown_text.size());
}

// Whether times go down from record to record; those of a log that several threads write go up and, now and then, down.
class OrderOfTimes {
 public:
  void take(Time at) {
    if (!at.known()) return;
    if (last_.known()) up_ += last_ < at, down_ += at < last_;
    last_ = at;
  }
  bool newest_first() const { return down_ >= 2 && down_ > 8 * up_; }

 private:
  Time last_;
  std::size_t up_ = 0, down_ = 0;
};

// A head that was cut off the input by its size ends inside a line, which would count as one nobody understands.
std::string_view whole_lines(std::string_view head) {
  constexpr std::size_t kLeastCutHead = 32 << 10;
  const std::size_t end = head.rfind('\n');
  return head.size() < kLeastCutHead || end == std::string_view::npos ? head : head.substr(0, end + 1);
}

// What is read of the head with the shape that was learned.
Calibration read_head(const LogParser::State& state, std::string_view head, std::uint32_t layers) {
  Calibration result;
  result.framing = describe_framing(layers);
  std::map<std::string, std::uint64_t> scores;
  Arena arena;
  OrderOfTimes order;
  UnlabelledTokens tokens;
  const auto count = [&](const LogRecord& record) {
    ++result.records;
    order.take(record.at);
    result.has_times = result.has_times || record.at.known();
    const bool general = record.kind == RecordKind::unknown && record.text.find("jsonrpc") != std::string_view::npos;
    if (record.kind == RecordKind::unknown && !general) return note_unknown(record, result);
    ++result.understood;
    if (general) tokens.take(record.text, record.logger);
    ++scores[general ? state.rules->names[0] : state.rules->names[record.dialect]];
  };
  ParserMemo memo;
  memo.kept = false;
  RecordReader(state, 0, arena, count, memo).read(head, 1, 0);
  result.newest_first = order.newest_first();
  result.tokens_are_sessions = tokens.are_sessions();
  for (const auto& [dialect, records] : scores) result.scores.push_back({dialect, records});
  std::stable_sort(result.scores.begin(), result.scores.end(), [](const auto& a, const auto& b) { return a.records > b.records; });
  return result;
}

}  // namespace

Calibration LogParser::calibrate(std::string_view head) {
  head = whole_lines(head);
  const std::vector<std::string_view> lines = head_lines(head);
  learn_time(*state_, head, lines);
  LineCounts counts;
  learn_shape(*state_, lines, true, counts);
  Calibration result = read_head(*state_, head, counts.layers);
  if (!state_->shape.stamped) return result;
  const FileShape stamped = state_->shape;
  learn_shape(*state_, lines, false, counts);
  Calibration own = read_head(*state_, head, counts.layers);
  if (own.understood > result.understood) return own;  // the times belong to a layout that a dialect knows
  state_->shape = stamped;
  return result;
}

}  // namespace mcpscan::ingest
