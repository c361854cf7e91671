// mcpscan timeline INPUT...: the rebuilt timeline, written while the evidence is read.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/output_file.h"
#include "cli/terminal.h"
#include "pipeline/named_incident.h"
#include "pipeline/rows_tap.h"
#include "report/shared_timeline.h"
#include "report/timeline_format_registry.h"
#include "report/timeline_rows.h"

namespace mcpscan::cli {
namespace {

struct TimelineCommand {
  CommonOptions common;
  report::TimelineFilter filter;
  std::string format, output, around;
  double margin_s = 10;
  bool raw = false, share = false;
};

constexpr std::size_t kFlushBytes = 1 << 16;

std::string format_names() {
  std::string names;
  for (const auto* entry : report::registered_timeline_formats()) names += (names.empty() ? "" : ", ") + std::string(entry->name);
  return names;
}

// By --format, else by the ending of -o, else text.
const report::TimelineFormatEntry* choose_format(const TimelineCommand& command) {
  const std::string_view wanted = command.format.empty() ? std::string_view("text") : std::string_view(command.format);
  for (const auto* entry : report::registered_timeline_formats()) {
    if (command.format.empty() && command.output.ends_with('.' + std::string(entry->ending))) return entry;
  }
  for (const auto* entry : report::registered_timeline_formats()) {
    if (entry->name == wanted) return entry;
  }
  return nullptr;
}

pipeline::ScanResult read_evidence(const TimelineCommand& command, const pipeline::Knowledge& knowledge, pipeline::TimelineTap* tap) {
  const Limits limits;
  Progress progress(tap && command.output.empty());
  return pipeline::scan(command.common.scan, knowledge, limits, [&](const std::string& input, std::uint64_t bytes) { progress.tell(input, bytes); }, tap);
}

// The incident's name is known when everything is judged, so the evidence is read once before the timeline is written.
Status find_incident(TimelineCommand& command, const pipeline::Knowledge& knowledge) {
  const auto& inputs = command.common.scan.inputs;
  if (std::find(inputs.begin(), inputs.end(), "-") != inputs.end()) {
    return Error{ErrorCode::invalid_argument, "standard input can be read once only, and an incident is looked for first", "--around", "save it to a file and name that"};
  }
  const pipeline::ScanResult result = read_evidence(command, knowledge, nullptr);
  const auto incident = pipeline::named_incident(command.around, "--around", result.report);
  if (!incident) return incident.error();
  look_around(result.report, **incident, static_cast<std::int64_t>(command.margin_s * kSecond), command.filter);
  return {};
}

// The window and the names are laid over the timeline, not over the evidence: a call that began before is still known.
Status settle_all(TimelineCommand& command, const pipeline::Knowledge& knowledge) {
  if (const Status settled = settle(command.common, knowledge); !settled.ok()) return settled;
  auto& scan = command.common.scan;
  scan.client = command.filter.client;
  command.filter.since = std::exchange(scan.since, Time{});
  command.filter.until = std::exchange(scan.until, Time{});
  if (const Status output = output_possible(command.output, scan.inputs); !output.ok()) return output;
  if (!command.around.empty()) {
    if (const Status found = find_incident(command, knowledge); !found.ok()) return found;
  }
  scan.session = command.filter.session;  // for the error where there is no such session; the incident was looked for in all
  return {};
}

ExitCode run_timeline(TimelineCommand& command) {
  const auto knowledge = pipeline::load_knowledge(command.common.dialect_dir, command.common.rules_dir);
  for (const auto* list : {&knowledge.defects, &knowledge.problems}) {
    for (const Error& problem : *list) print_error(problem);
  }
  const auto* format = choose_format(command);
  if (!format) {
    print_error({ErrorCode::invalid_argument, fmt::format("there is no format '{}'", command.format), "--format", "one of " + format_names()});
    return ExitCode::usage;
  }
  if (const Status settled = settle_all(command, knowledge); !settled.ok()) return print_error(settled.error()), ExitCode::usage;
  Outlet outlet(kFlushBytes);
  if (const Status opened = outlet.open(command.output); !opened.ok()) return print_error(opened.error()), ExitCode::usage;
  const bool to_terminal = command.output.empty() && stdout_is_terminal();
  const model::ReportOptions options{terminal_width(), to_terminal && colour_wanted(), false, command.raw, Zone::locate(command.common.scan.time_zone).take()};
  auto writer = format->make(options, [&](std::string_view text) { outlet.write(text); });
  if (command.share) writer = std::make_unique<report::SharedTimeline>(std::move(writer));
  report::TimelineRows rows(*writer, command.filter);
  pipeline::RowsTap tap(rows);
  pipeline::ScanResult result = read_evidence(command, knowledge, &tap);
  for (const Error& problem : result.problems) print_error(problem);
  const Status safe = output_possible(command.output, input_paths(result.report));
  if (!safe.ok()) return print_error(safe.error()), ExitCode::usage;
  rows.finish(std::move(result.report));
  if (const Status written = outlet.finish(); !written.ok()) return print_error(written.error()), ExitCode::usage;
  return knowledge.problems.empty() && result.problems.empty() ? ExitCode::nothing : ExitCode::usage;
}

}  // namespace

void add_timeline_command(CLI::App& app, Run& run) {
  auto command = std::make_shared<TimelineCommand>();
  CLI::App* timeline = app.add_subcommand("timeline", "the rebuilt timeline: sessions, exchanges, calls and notices, in the order of the evidence");
  timeline->footer("Example:  mcpscan timeline gateway.log --around inc-7f3a9c");
  add_input_options(*timeline, command->common);
  add_data_options(*timeline, command->common);
  timeline->add_option("--session", command->filter.session, "only this session")->type_name("ID")->group(kSelection);
  timeline->add_option("--tool", command->filter.tool, "only what concerns this tool")->type_name("NAME")->group(kSelection);
  timeline->add_option("--client", command->filter.client, "only sessions of the client of this name, from where they tell it")->type_name("NAME")->group(kSelection);
  timeline->add_option("--id", command->filter.id, "only messages and calls with this JSON-RPC id")->type_name("ID")->group(kSelection);
  timeline->add_option("--around", command->around, "only what happened around this incident, in its sessions")->type_name("INCIDENT")->group(kSelection);
  timeline->add_option("--margin", command->margin_s, "seconds shown before and after what the incident lists")->check(CLI::Range(0.0, 86400.0))->type_name("S")->capture_default_str()->group(kSelection);
  timeline->add_option("--format", command->format, "timeline format: " + format_names())->type_name("FORMAT")->group(kOutput);
  timeline->add_option("-o,--output", command->output, "write the timeline to this file (the ending tells the format)")->type_name("FILE")->group(kOutput);
  CLI::Option* raw = timeline->add_flag("--raw", command->raw, "do not mask tokens, cookies and keys")->group(kOutput);
  timeline->add_flag("--share", command->share, "pseudonyms for session ids, addresses and hosts")->excludes(raw)->group(kOutput);
  timeline->callback([command, &run] { run = [command] { return run_timeline(*command); }; });
}

}  // namespace mcpscan::cli
