#include "cli/explain_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/text_bytes.h"
#include "cli/terminal.h"
#include "ingest/input_set.h"
#include "pipeline/input_head.h"
#include "pipeline/reader_choice.h"
#include "pipeline/record_lines.h"
#include "pipeline/scan.h"
#include "report/escape.h"
#include "report/layout.h"
#include "report/redact.h"
#include "report/utf8.h"

namespace mcpscan::cli {
namespace {

using pipeline::ReaderChoice;
using pipeline::ReaderKind;

constexpr std::size_t kBeforeCaret = 100, kBehindCaret = 60;

std::string safe(std::string_view text) { return report::escape_terminal(report::mask_secrets(text)); }

void print_row(std::string_view name, std::string_view text) { print(fmt::format("  {:<10} {}\n", name, text)); }

// The records of a document, table or YAML as lines; a log stands for itself.
std::string lines_of(std::string head, const Limits& limits) {
  TextBytes held(head);
  const auto lines = pipeline::record_lines(head, held, limits);
  return lines ? pipeline::read_head(*lines) : head;
}

// The line around the place, with a caret below it.
void print_unknown(const ingest::Calibration& calibration, const char* place) {
  const std::string_view line = calibration.first_unknown_text;
  const std::size_t at = calibration.first_unknown_column, from = at > kBeforeCaret ? at - kBeforeCaret : 0;
  const std::string before = safe(line.substr(from, at - from));
  print(fmt::format("  the first {} nothing understood is {} {}:\n", place, place, calibration.first_unknown_line));
  print(fmt::format("    {}{}\n    {}^ {}\n", before, safe(line.substr(at, kBehindCaret)), std::string(report::text_width(before), ' '),
                    at == 0 ? "no framing, prefix or message begins so" : "understood up to here; no dialect knows the message that follows"));
}

const pipeline::Knowledge& with_own_dialects(const FormatsCommand& command) {
  static const pipeline::Knowledge kKnown = pipeline::load_knowledge(command.dialect_dir, {});
  return kKnown;
}

void print_scores(const ingest::Calibration& calibration, const ingest::DialectSet& dialects) {
  const auto summaries = dialects.summaries();
  const auto title_of = [&](const std::string& name) {
    const auto found = std::find_if(summaries.begin(), summaries.end(), [&](const auto& one) { return one.name == name; });
    return found == summaries.end() ? std::string("a JSON-RPC message anywhere in a line") : found->title;
  };
  if (calibration.scores.empty()) print_row("taken by", "nothing: no record speaks of MCP as any dialect knows it");
  for (std::size_t i = 0; i < calibration.scores.size() && i < 3; ++i) {
    const auto& score = calibration.scores[i];
    print_row(i == 0 ? "taken by" : i == 1 ? "runner-up" : "then", fmt::format("{:<18} {:>8}  {}", score.dialect, report::counted(score.records, "record"), title_of(score.dialect)));
  }
  const auto best = std::find_if(summaries.begin(), summaries.end(), [&](const auto& one) { return !calibration.scores.empty() && one.name == calibration.scores[0].dialect; });
  if (best != summaries.end() && !best->enable.empty()) print_row("says more", best->enable);
}

void explain_log(const ReaderChoice& choice, std::string head, const FormatsCommand& command, const Limits& limits) {
  ingest::ParserOptions options;
  options.time_zone = command.time_zone;
  const ingest::DialectSet& dialects = with_own_dialects(command).dialects;
  ingest::LogParser parser(dialects, options, limits);
  const bool whole = head.size() < pipeline::kHeadBytes;
  const auto calibration = parser.calibrate(lines_of(std::move(head), limits));
  print_row("framing", calibration.framing);
  print_row("read", fmt::format("{}{}, {} understood", report::counted(calibration.records, "record"), whole ? "" : " at its head", report::thousands(calibration.understood)));
  print_scores(calibration, dialects);
  if (!calibration.has_times) print_row("times", "none: the order is known, durations are not");
  if (calibration.newest_first) print_row("order", "the newest record comes first: it is turned round");
  if (calibration.first_unknown_line != 0) print_unknown(calibration, choice.kind == ReaderKind::log ? "line" : "entry");
}

// What a scan of this file alone comes to.
void explain_other(const std::string& path, const FormatsCommand& command, const Limits& limits) {
  pipeline::ScanOptions options;
  options.inputs = {path};
  options.time_zone = command.time_zone;
  options.threads = 1;
  const auto result = pipeline::scan(options, with_own_dialects(command), limits, [](const std::string&, std::uint64_t) {});
  for (const auto& row : result.report.inputs) {
    print_row("read by", row.reader);
    print_row("records", fmt::format("{}, {} used", report::counted(row.books.total, row.place_word == "entry" ? "entry" : "record", row.place_word == "entry" ? "entries" : "records"),
                                     report::thousands(row.books.used)));
    for (const auto& [reason, count] : row.books.ignored) print_row("", fmt::format("{} ignored: {}", report::thousands(count), safe(reason)));
    for (const auto& [reason, count] : row.books.malformed) print_row("", fmt::format("{} malformed: {}", report::thousands(count), safe(reason)));
    if (!row.error.empty()) print_row("error", safe(row.error));
    for (const auto& [kind, anomaly] : row.anomalies.entries()) print_row("problem", safe(anomaly.text));
  }
}

bool is_log_like(ReaderKind kind) { return kind == ReaderKind::log || kind == ReaderKind::document || kind == ReaderKind::table || kind == ReaderKind::yaml; }

void print_others(ReaderKind taken) {
  for (const ReaderKind kind : {ReaderKind::capture, ReaderKind::har, ReaderKind::transcript, ReaderKind::otlp, ReaderKind::document, ReaderKind::table, ReaderKind::yaml, ReaderKind::http_text}) {
    if (kind != taken) print(fmt::format("  not {}: {}\n", pipeline::word_of(kind), pipeline::why_not(kind)));
    else return print("  the readers behind this one were not asked\n");
  }
}

Status explain_input(const ingest::InputFile& file, const FormatsCommand& command, const Limits& limits) {
  auto opened = ingest::open_input(file, 0, limits);
  if (!opened) return opened.error();
  std::string head = pipeline::read_head(**opened);
  const ReaderChoice choice = pipeline::choose_reader(head);
  print(fmt::format("{}: {}{}{}\n", safe(file.display), pipeline::word_of(choice.kind), (*opened)->compressed() ? ", compressed" : "", (*opened)->recoded() ? ", in UTF-16" : ""));
  if (choice.kind == ReaderKind::empty || choice.kind == ReaderKind::binary) return {};
  if (is_log_like(choice.kind)) explain_log(choice, std::move(head), command, limits);
  else if (!file.path.empty() && file.member.empty()) explain_other(file.path, command, limits);
  print_others(choice.kind);
  return {};
}

}  // namespace

ExitCode explain_file(const FormatsCommand& command) {
  const auto& knowledge = with_own_dialects(command);
  for (const Error& problem : knowledge.problems) print_error(problem);
  const Limits limits;
  const ingest::InputSet set = ingest::expand_inputs({command.path}, limits);
  bool sound = set.problems.empty() && knowledge.problems.empty();
  for (const auto& problem : set.problems) print_error(problem.error);
  for (const ingest::InputFile& file : set.files) {
    if (const Status status = explain_input(file, command, limits); !status.ok()) print_error(status.error()), sound = false;
  }
  return sound && !set.files.empty() ? ExitCode::nothing : ExitCode::usage;
}

}  // namespace mcpscan::cli
