// mcpscan summary [INPUT...]: the daily incident summary, over evidence directly or over the history that --history keeps.
#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "base/date_text.h"
#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/output_file.h"
#include "cli/terminal.h"
#include "history/history.h"
#include "history/retention.h"
#include "pipeline/run_recorder.h"
#include "report/share.h"
#include "report/summary_format_registry.h"

namespace mcpscan::cli {
namespace {

struct SummaryCommand {
  CommonOptions common;
  std::string history, day, format, output, fail_on = "low";
  double wait_s = 60;
  std::int64_t keep_days = history::kKeptDays;
  bool raw = false, share = false;
};

std::string format_names() {
  std::string names;
  for (const auto* entry : report::registered_summary_formats()) names += (names.empty() ? "" : ", ") + std::string(entry->name);
  return names;
}

const report::SummaryFormatEntry* choose_format(const SummaryCommand& command) {
  const std::string_view wanted = command.format.empty() ? std::string_view("text") : std::string_view(command.format);
  for (const auto* entry : report::registered_summary_formats()) {
    if (command.format.empty() && command.output.ends_with('.' + std::string(entry->ending))) return entry;
  }
  for (const auto* entry : report::registered_summary_formats()) {
    if (entry->name == wanted) return entry;
  }
  return nullptr;
}

Time now() { return {std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch()).count()}; }

// today, yesterday, or a date; empty: the last day with evidence.
Result<std::optional<std::int64_t>> wanted_day(const std::string& text, const Zone& zone) {
  using Day = std::optional<std::int64_t>;
  if (text.empty() || text == "last") return Day();
  if (text == "today") return Day(zone.day_of(now()));
  if (text == "yesterday") return Day(zone.day_of(now()) - 1);
  if (const Day day = read_date(text)) return day;
  return Error{ErrorCode::invalid_argument, fmt::format("'{}' is no day", text), "--day", "write 2026-11-28, today, yesterday or last (the last day with evidence)"};
}

// A window or a choice of rules would be kept as if it were all there is.
Status check(const SummaryCommand& command) {
  const auto& common = command.common;
  if (common.scan.inputs.empty() && command.history.empty()) {
    return Error{ErrorCode::invalid_argument, "there is nothing to summarise", "summary", "name an input, or the history of earlier runs with --history FILE"};
  }
  if (!command.history.empty() && !(common.since.empty() && common.until.empty() && common.scan.filter.empty())) {
    return Error{ErrorCode::invalid_argument, "a history keeps all of the evidence, no part of it", "--since, --until, --filter", "leave them out, and choose the day with --day"};
  }
  return {};
}

// Reads what is new in the inputs and takes it into the history.
Status take_in(SummaryCommand& command, const pipeline::Knowledge& knowledge, history::History& history, bool& troubled) {
  if (const Status begun = history.begin(); !begun.ok()) return begun;
  auto known = history.known();
  if (!known) return known.error();
  const Limits limits;
  pipeline::RunRecorder recorder(known.take(), limits);
  pipeline::ScanResult result;
  {
    Progress progress;
    result = pipeline::scan(command.common.scan, knowledge, limits, [&](const std::string& input, std::uint64_t bytes) { progress.tell(input, bytes); }, nullptr, &recorder);
  }
  for (const Error& problem : result.problems) print_error(problem);
  troubled = troubled || !result.problems.empty();
  model::RunRecord run = recorder.take(std::move(result.report), result.assembled);
  if (!command.history.empty()) run.at = now();  // else the same evidence gives the same summary whenever it is read
  return history.record(run, command.keep_days);
}

bool reaches(const model::Summary& summary, model::Level level) {
  for (const auto& incident : summary.incident_list) {
    if (incident.count.day > 0 && incident.level >= level) return true;
  }
  return false;
}

Status write_out(const SummaryCommand& command, const report::SummaryFormatEntry& format, const model::Summary& summary) {
  const bool to_terminal = command.output.empty() && stdout_is_terminal();
  const std::string text = format.write(summary, {terminal_width(), to_terminal && colour_wanted(), to_terminal, command.raw});
  Outlet outlet(text.size());
  if (Status opened = outlet.open(command.output); !opened.ok()) return opened;
  outlet.write(text);
  return outlet.finish();
}

Result<ExitCode> summarise(SummaryCommand& command) {
  if (const Status checked = check(command); !checked.ok()) return checked.error();
  const auto knowledge = pipeline::load_knowledge(command.common.dialect_dir, command.common.rules_dir);
  bool troubled = !knowledge.problems.empty();
  for (const auto* list : {&knowledge.defects, &knowledge.problems}) {
    for (const Error& problem : *list) print_error(problem);
  }
  if (const Status settled = settle(command.common, knowledge); !settled.ok()) return settled.error();
  const auto fail_on = model::parse_level(command.fail_on);
  if (!fail_on) return Error{ErrorCode::invalid_argument, fmt::format("'{}' is no level", command.fail_on), "--fail-on", "one of informational, low, medium, high, critical"};
  const auto* format = choose_format(command);
  if (!format) return Error{ErrorCode::invalid_argument, fmt::format("there is no format '{}'", command.format), "--format", "one of " + format_names()};
  const Zone zone = Zone::locate(command.common.scan.time_zone).take();
  const auto day = wanted_day(command.day, zone);
  if (!day) return day.error();
  const auto& inputs = command.common.scan.inputs;
  std::vector<std::string> kept = inputs;
  if (!command.history.empty()) kept.push_back(command.history);
  if (const Status output = output_possible(command.output, kept); !output.ok()) return output.error();
  auto history = history::History::open(command.history, inputs.empty() ? history::Access::read : history::Access::write, static_cast<std::int64_t>(command.wait_s * 1000));
  if (!history) return history.error();
  if (!inputs.empty()) {
    if (const Status taken = take_in(command, knowledge, **history, troubled); !taken.ok()) return taken.error();
  }
  auto summary = (*history)->summarise(zone, day.value());
  if (!summary) return summary.error();
  if (command.share) {
    report::Pseudonyms names;
    report::pseudonymise(*summary, names);
  }
  if (const Status written = write_out(command, *format, summary.value()); !written.ok()) return written.error();
  if (troubled) return ExitCode::usage;
  return reaches(summary.value(), *fail_on) ? ExitCode::findings : ExitCode::nothing;
}

ExitCode run_summary(SummaryCommand& command) {
  const auto done = summarise(command);
  if (done) return done.value();
  print_error(done.error());
  return ExitCode::usage;
}

}  // namespace

void add_summary_command(CLI::App& app, Run& run) {
  auto command = std::make_shared<SummaryCommand>();
  CLI::App* summary = app.add_subcommand("summary", "the incidents of a day: new, ongoing, resolved; who is behind them; beside the day and week before");
  summary->footer("Example:  mcpscan summary gateway.log* --history mcp.history -o today.html");
  add_input_options(*summary, command->common);
  summary->get_option("INPUT")->required(false);
  add_data_options(*summary, command->common);
  summary->add_option("--history", command->history, "keep what is found in this file, and read of each input only what is new")->type_name("FILE")->group(kEvidence);
  summary->add_option("--wait", command->wait_s, "seconds to wait for another run that writes to the history")->check(CLI::Range(0.0, 86400.0))->type_name("S")->capture_default_str()->group(kEvidence);
  summary->add_option("--keep", command->keep_days, "days that stay in the history; what is older goes with the next run")->check(CLI::Range(history::kFewestDays, std::int64_t{36500}))->type_name("DAYS")->capture_default_str()->group(kEvidence);
  summary->add_option("--day", command->day, "2026-11-28, today, yesterday, or last: the last day with evidence (default)")->type_name("DAY")->group(kSelection);
  summary->add_option("--format", command->format, "summary format: " + format_names())->type_name("FORMAT")->group(kOutput);
  summary->add_option("-o,--output", command->output, "write the summary to this file (the ending tells the format)")->type_name("FILE")->group(kOutput);
  summary->add_option("--fail-on", command->fail_on, "least level of an incident of the day that makes the exit status 1")->type_name("LEVEL")->capture_default_str()->group(kOutput);
  CLI::Option* raw = summary->add_flag("--raw", command->raw, "do not mask tokens, cookies and keys")->group(kOutput);
  summary->add_flag("--share", command->share, "pseudonyms for session ids, addresses and hosts")->excludes(raw)->group(kOutput);
  summary->callback([command, &run] { run = [command] { return run_summary(*command); }; });
}

}  // namespace mcpscan::cli
