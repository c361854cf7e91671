// mcpscan [scan] INPUT...: the default command.
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/output_file.h"
#include "cli/report_output.h"
#include "cli/terminal.h"
#include "pipeline/rows_tap.h"
#include "report/exoneration_document.h"
#include "report/share.h"

namespace mcpscan::cli {
namespace {

struct ScanCommand {
  CommonOptions common;
  OutputOptions output;
  std::string exonerate, fail_on = "low";
  bool raw = false, share = false;
};

bool reaches(const model::Report& report, model::Level level) {
  for (const auto& finding : report.findings) {
    if (finding.level >= level) return true;
  }
  return false;
}

// The proof's own answer, where one was asked for.
ExitCode exit_code_of(const pipeline::ScanResult& result, model::Level fail_on) {
  if (result.exoneration) return result.exoneration->cleared ? ExitCode::nothing : ExitCode::findings;
  return reaches(result.report, fail_on) ? ExitCode::findings : ExitCode::nothing;
}

// A proof by some of the rules would be none.
Status settle_exoneration(ScanCommand& command, const ReportOutput& output) {
  if (command.exonerate.empty()) return {};
  for (const auto party : {model::Party::client, model::Party::server, model::Party::gateway}) {
    if (model::to_string(party) == command.exonerate) command.common.scan.exonerate = party;
  }
  if (command.common.scan.exonerate == model::Party::unknown) return Error{ErrorCode::invalid_argument, fmt::format("'{}' is no hop that can be cleared", command.exonerate), "--exonerate", "one of server, client, gateway"};
  if (!command.common.scan.rules.empty()) return Error{ErrorCode::invalid_argument, "a proof needs all rules", "--exonerate", "leave --rule out"};
  const auto& scan = command.common.scan;
  if (!scan.session.empty() || !scan.tool.empty() || !scan.client.empty()) {
    return Error{ErrorCode::invalid_argument, "a proof is of all that the evidence shows", "--exonerate", "leave --session, --tool and --client out, which choose findings; --since, --until and --filter choose evidence, and the proof says so"};
  }
  const std::string unfit = output.first_unfit([](std::string_view format) { return report::carries_exoneration(format); });
  if (!unfit.empty()) return Error{ErrorCode::invalid_argument, fmt::format("a proof is no '{}'", unfit), "--exonerate", "write it as text, md, html, csv or json: the others list faults, and none of them would pass for a proof"};
  return {};
}

// The proof where one was asked for, else the report.
Status write(const pipeline::ScanResult& result, bool raw, const Zone& zone, const ReportOutput& output, ReportStreams& streams) {
  if (!result.exoneration) {
    streams.finish(result.report);
    const Status written = output.write(result.report, raw, zone);
    return written.ok() ? streams.commit() : written;
  }
  return output.write([&](const auto& format, const auto& options, auto out) { out(report::write_exoneration(format.name, result.report, *result.exoneration, options)); }, raw, zone);
}

// Where a report is written meanwhile, it sees what is read. Under --share none is: which words are names is known at the end only.
pipeline::ScanResult read_evidence(const pipeline::ScanOptions& options, const pipeline::Knowledge& knowledge, ReportStreams& streams) {
  report::TimelineFilter filter;
  filter.session = options.session;
  filter.tool = options.tool;
  filter.client = options.client;
  report::TimelineRows rows(streams, filter);
  pipeline::RowsTap tap(rows);
  const Limits limits;
  Progress progress(!streams.empty());
  return pipeline::scan(options, knowledge, limits, [&](const std::string& input, std::uint64_t bytes) { progress.tell(input, bytes); }, streams.empty() ? nullptr : &tap);
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
  auto output = ReportOutput::choose(command.output, command.common.scan.inputs);
  if (!output) return print_error(output.error()), ExitCode::usage;
  if (const Status settled = settle_exoneration(command, *output); !settled.ok()) return print_error(settled.error()), ExitCode::usage;
  const Zone zone = Zone::locate(command.common.scan.time_zone).take();
  ReportStreams streams;
  if (!command.share) {
    if (const Status begun = output->begin_streams(streams, command.raw, zone); !begun.ok()) return print_error(begun.error()), ExitCode::usage;
  }
  pipeline::ScanResult result = read_evidence(command.common.scan, knowledge, streams);
  for (const Error& problem : result.problems) print_error(problem);
  troubled = troubled || !result.problems.empty();
  const std::vector<std::string> read = input_paths(result.report);
  if (command.share) {
    report::Pseudonyms names;
    report::pseudonymise(result.report, names);
    if (result.exoneration) report::pseudonymise(*result.exoneration, names);
  }
  if (const Status possible = output->possible(read); !possible.ok()) return print_error(possible.error()), ExitCode::usage;
  if (const Status written = write(result, command.raw, zone, *output, streams); !written.ok()) return print_error(written.error()), ExitCode::usage;
  if (troubled) return ExitCode::usage;
  return exit_code_of(result, *fail_on);
}

}  // namespace

void add_scan_command(CLI::App& app, Run& run) {
  auto command = std::make_shared<ScanCommand>();
  CLI::App* scan = app.add_subcommand("scan", "read evidence, rebuild the timeline, judge it and report (the default command)");
  scan->footer("Example:  mcpscan gateway.log --fail-on high -o report.html -o report.json");
  add_input_options(*scan, command->common);
  add_data_options(*scan, command->common);
  scan->add_option("--rule", command->common.scan.rules, "judge by these rules only (mcpscan rules list)")->type_name("RULE")->allow_extra_args(false)->group(kSelection);
  scan->add_option("--session", command->common.scan.session, "only findings of this session")->type_name("ID")->group(kSelection);
  scan->add_option("--tool", command->common.scan.tool, "only findings about this tool")->type_name("NAME")->group(kSelection);
  scan->add_option("--client", command->common.scan.client, "only findings of sessions of the client of this name")->type_name("NAME")->group(kSelection);
  scan->add_option("--min-level", command->common.min_level, "least level shown: informational, low, medium, high, critical")->type_name("LEVEL")->capture_default_str()->group(kSelection);
  scan->add_option("--format", command->output.format, "report format: " + format_names())->type_name("FORMAT")->group(kOutput);
  scan->add_option("-o,--output", command->output.files, "write to FILE, whose ending tells the format; repeatable")->type_name("FILE")->allow_extra_args(false)->group(kOutput);
  scan->add_option("--fail-on", command->fail_on, "least level that makes the exit status 1")->type_name("LEVEL")->capture_default_str()->group(kOutput);
  scan->add_option("--exonerate", command->exonerate, "write the proof that this hop is innocent here, or why it cannot be given: server, client, gateway")->type_name("HOP")->group(kOutput);
  CLI::Option* raw = scan->add_flag("--raw", command->raw, "do not mask tokens, cookies and keys")->group(kOutput);
  scan->add_flag("--share", command->share, "pseudonyms for session ids, addresses and hosts")->excludes(raw)->group(kOutput);
  scan->callback([command, &run] { run = [command] { return run_scan(*command); }; });
}

}  // namespace mcpscan::cli
