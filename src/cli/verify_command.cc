// mcpscan verify INPUT...: what a clean report on this evidence is worth.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/terminal.h"
#include "pipeline/verify.h"
#include "report/json_writer.h"
#include "report/layout.h"

namespace mcpscan::cli {
namespace {

struct VerifyCommand {
  CommonOptions common;
  std::size_t most = 20;
  std::string format = "text";
};

std::string as_text(const pipeline::VerifyResult& result, std::size_t most) {
  using report::counted;
  std::string out;
  const auto say = [&](std::string_view text) {
    const std::size_t width = std::min(terminal_width(), 100u);
    for (const std::string& line : report::wrapped(text, width, width)) out += line + "\n";
  };
  say(fmt::format("Faults were seeded in memory into {} of {}, at most {} of each class; the evidence itself stays as it is.",
                  counted(result.calls, "answered tools/call", "answered tools/call"), counted(result.sessions, "session"), most));
  if (result.findings > 0) say(fmt::format("The evidence has {} of its own; these are not counted here.", counted(result.findings, "finding")));
  if (result.calls_left_out > 0) say(fmt::format("{} more calls were not looked at.", report::thousands(result.calls_left_out)));
  report::Table table({{"FAULT", report::Table::Kind::text, true}, {"RULE"}, {"SEEDED", report::Table::Kind::number}, {"FOUND", report::Table::Kind::number},
                       {"FALSE ALARMS", report::Table::Kind::number}});
  for (const pipeline::VerifyRow& row : result.rows) {
    if (row.seeded > 0) table.add({row.fault, row.rule, report::thousands(row.seeded), report::thousands(row.found), report::thousands(row.false_alarms)});
  }
  out += '\n';
  if (!table.empty()) {
    for (const std::string& line : table.lines(terminal_width())) out += line + "\n";
    out += '\n';
  }
  for (const pipeline::VerifyRow& row : result.rows) {
    if (!row.accused.empty()) say(fmt::format("Falsely told with \"{}\": {}.", row.fault, report::joined(row.accused, 4)));
    if (!row.why_not.empty()) say(fmt::format("Not seeded: {} ({}).", row.fault, row.why_not));
  }
  const bool none = std::all_of(result.rows.begin(), result.rows.end(), [](const auto& row) { return row.seeded == 0; });
  say(none ? "Nothing could be seeded: this evidence holds no answered tools/call with times."
           : "FOUND against SEEDED is how far a report without findings can be trusted on evidence of this kind.");
  return out;
}

std::string as_json(const pipeline::VerifyResult& result) {
  using Form = report::JsonWriter::Form;
  report::JsonWriter json;
  json.begin_object(Form::lines).key("schema").text("mcpscan-verify/1");
  json.key("calls").number(result.calls).key("sessions").number(result.sessions).key("calls_left_out").number(result.calls_left_out).key("findings").number(result.findings);
  json.key("classes").begin_list(Form::lines);
  for (const pipeline::VerifyRow& row : result.rows) {
    json.begin_object().key("fault").text(row.fault).key("rule").text(row.rule).key("seeded").number(row.seeded).key("found").number(row.found);
    json.key("false_alarms").number(row.false_alarms).key("accused").begin_list();
    for (const std::string& rule : row.accused) json.text(rule);
    json.end_list().key("not_seeded_because");
    if (row.why_not.empty()) json.null();
    else json.text(row.why_not);
    json.end_object();
  }
  json.end_list().end_object();
  return json.take() + "\n";
}

ExitCode run_verify(VerifyCommand& command) {
  const auto knowledge = pipeline::load_knowledge(command.common.dialect_dir, command.common.rules_dir);
  for (const auto* list : {&knowledge.defects, &knowledge.problems}) {
    for (const Error& problem : *list) print_error(problem);
  }
  if (const Status settled = settle(command.common, knowledge); !settled.ok()) return print_error(settled.error()), ExitCode::usage;
  const auto& inputs = command.common.scan.inputs;
  if (std::find(inputs.begin(), inputs.end(), "-") != inputs.end()) {
    print_error({ErrorCode::invalid_argument, "standard input can be read once only, and each class of fault needs a reading of its own", "verify", "save it to a file and name that"});
    return ExitCode::usage;
  }
  const Limits limits;
  pipeline::VerifyResult result;
  {
    Progress progress;
    result = pipeline::verify(command.common.scan, knowledge, limits, command.most, [&](const std::string& input, std::uint64_t bytes) { progress.tell(input, bytes); });
  }
  for (const Error& problem : result.problems) print_error(problem);
  print(command.format == "json" ? as_json(result) : as_text(result, command.most));
  if (!knowledge.problems.empty() || !result.problems.empty()) return ExitCode::usage;
  return std::any_of(result.rows.begin(), result.rows.end(), [](const auto& row) { return row.false_alarms > 0; }) ? ExitCode::findings : ExitCode::nothing;
}

}  // namespace

void add_verify_command(CLI::App& app, Run& run) {
  auto command = std::make_shared<VerifyCommand>();
  CLI::App* verify = app.add_subcommand("verify", "seed faults into this evidence, in memory, and tell which of them the rules find");
  verify->footer("Exit status: 1 when a seeded fault made a rule accuse a call that had none.\nExample:  mcpscan verify capture.pcapng");
  add_input_options(*verify, command->common);
  add_data_options(*verify, command->common);
  verify->add_option("--rule", command->common.scan.rules, "judge by these rules only")->type_name("RULE")->allow_extra_args(false)->group(kSelection);
  verify->add_option("--most", command->most, "faults seeded of each class")->check(CLI::Range(1, 20))->type_name("COUNT")->capture_default_str();
  verify->add_option("--format", command->format, "report format: text, json")->check(CLI::IsMember({"text", "json"}))->type_name("FORMAT")->capture_default_str()->group(kOutput);
  verify->callback([command, &run] { run = [command] { return run_verify(*command); }; });
}

}  // namespace mcpscan::cli
