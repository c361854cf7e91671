// mcpscan [scan] INPUT...: the default command.
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/output_file.h"
#include "cli/report_output.h"
#include "cli/terminal.h"
#include "report/share.h"

namespace mcpscan::cli {
namespace {

struct ScanCommand {
  CommonOptions common;
  OutputOptions output;
  std::string fail_on = "low";
  bool raw = false, share = false;
};

bool reaches(const model::Report& report, model::Level level) {
  for (const auto& finding : report.findings) {
    if (finding.level >= level) return true;
  }
  return false;
}

ExitCode run_scan(ScanCommand& command) {
  const auto knowledge = pipeline::load_knowledge(command.common.dialect_dir, command.common.rules_dir);
  bool troubled = !knowledge.problems.empty();
  for (const auto* list : {&knowledge.defects, &knowledge.problems}) {
    for (const Error& problem : *list) print_error(problem);
  }
  if (const Status settled = settle(command.common, knowledge); !settled.ok()) return print_error(settled.error()), ExitCode::usage;
  const auto fail_on = model::parse_level(command.fail_on);
  if (!fail_on) {
    print_error({ErrorCode::invalid_argument, fmt::format("'{}' is no level", command.fail_on), "--fail-on", "one of informational, low, medium, high, critical"});
    return ExitCode::usage;
  }
  const auto output = ReportOutput::choose(command.output, command.common.scan.inputs);
  if (!output) return print_error(output.error()), ExitCode::usage;
  const Limits limits;
  pipeline::ScanResult result;
  {
    Progress progress;
    result = pipeline::scan(command.common.scan, knowledge, limits, [&](const std::string& input, std::uint64_t bytes) { progress.tell(input, bytes); });
  }
  for (const Error& problem : result.problems) print_error(problem);
  troubled = troubled || !result.problems.empty();
  const std::vector<std::string> read = input_paths(result.report);
  if (command.share) {
    report::Pseudonyms names;
    report::pseudonymise(result.report, names);
  }
  if (const Status possible = output->possible(read); !possible.ok()) return print_error(possible.error()), ExitCode::usage;
  if (const Status written = output->write(result.report, command.raw, Zone::locate(command.common.scan.time_zone).take()); !written.ok()) {
    return print_error(written.error()), ExitCode::usage;
  }
  if (troubled) return ExitCode::usage;
  return reaches(result.report, *fail_on) ? ExitCode::findings : ExitCode::nothing;
}

}  // namespace

void add_scan_command(CLI::App& app, Run& run) {
  auto command = std::make_shared<ScanCommand>();
  CLI::App* scan = app.add_subcommand("scan", "read evidence, rebuild the timeline, judge it and report (the default command)");
  scan->footer("Example:  mcpscan scan gateway.log --fail-on high -o report.json");
  add_input_options(*scan, command->common);
  add_data_options(*scan, command->common);
  scan->add_option("--rule", command->common.scan.rules, "judge by these rules only");
  scan->add_option("--session", command->common.scan.session, "only findings of this session");
  scan->add_option("--tool", command->common.scan.tool, "only findings about this tool");
  scan->add_option("--client", command->common.scan.client, "only findings of sessions of this client (clientInfo name)");
  scan->add_option("--min-level", command->common.min_level, "least level shown: informational, low, medium, high, critical")->capture_default_str();
  scan->add_option("--format", command->output.format, "report format: " + format_names());
  scan->add_option("-o,--output", command->output.files, "write the report to this file (the ending tells the format); several at once: -o a.html -o b.json");
  scan->add_option("--fail-on", command->fail_on, "least level that makes the exit status 1")->capture_default_str();
  CLI::Option* raw = scan->add_flag("--raw", command->raw, "do not mask tokens, cookies and keys");
  scan->add_flag("--share", command->share, "replace session ids, addresses and hosts by pseudonyms, to hand the report on")->excludes(raw);
  scan->callback([command, &run] { run = [command] { return run_scan(*command); }; });
}

}  // namespace mcpscan::cli
