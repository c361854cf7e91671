// mcpscan extract INCIDENT INPUT... -o DIR: the smallest bundle of evidence that shows one incident.
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/common_options.h"
#include "cli/terminal.h"
#include "pipeline/extract.h"
#include "report/escape.h"

namespace mcpscan::cli {
namespace {

struct ExtractCommand {
  CommonOptions common;
  std::string incident, folder, packets = "flows";
  std::size_t context = 3;
  bool share = false;
};

// A word as a shell takes it.
std::string quoted(const std::string& word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

// The command again, from what was understood: -o is left out, so that the same evidence gives the same bundle wherever it goes. A shared bundle
// does not say which files and which incident it was: their names and digests are the sender's.
std::string command_line(const ExtractCommand& command, const CLI::App& app) {
  std::string line = "mcpscan extract " + (command.share ? "INCIDENT" : quoted(command.incident));
  for (const std::string& input : command.common.scan.inputs) line += command.share ? " INPUT" : " " + quoted(input);
  for (const CLI::Option* option : app.get_options()) {
    if (option->count() == 0 || option->get_positional() || option->check_lname("output") || option->check_lname("threads")) continue;
    if (command.share && option->get_items_expected_max() > 0) {
      line += " " + option->get_name() + " ...";
      continue;
    }
    line += " " + option->get_name();
    if (option->get_items_expected_max() == 0) continue;
    for (const std::string& value : option->results()) line += " " + quoted(value);
  }
  return line;
}

std::string size_text(std::uint64_t bytes) {
  if (bytes < 10'000) return fmt::format("{} bytes", bytes);
  if (bytes < 10'000'000) return fmt::format("{} KB", bytes / 1000);
  return fmt::format("{} MB", bytes / 1'000'000);
}

std::string how_much(const extract::ManifestPart& part) {
  if (part.records_of == 0) return "all of ";
  return fmt::format("{} of {} {} of ", part.records, part.records_of, part.unit == "packet" ? "packets" : part.unit == "entry" ? "entries" : "records");
}

void tell(const pipeline::ExtractResult& result, const std::string& folder) {
  const auto& manifest = result.manifest;
  print(fmt::format("{}  {}\n", result.incident.id, report::escape_terminal(result.incident.title)));
  const bool unpacked = result.bytes > result.source_bytes;  // a part of an archive or a compressed log
  print(fmt::format("{}: {} {} {} in {} file{}; scanned again, it shows the same incident\n", report::escape_terminal(folder), size_text(result.bytes), unpacked ? "unpacked from" : "of", size_text(result.source_bytes),
                    manifest.parts.size(), manifest.parts.size() == 1 ? "" : "s"));
  for (const auto& part : manifest.parts) {
    print(fmt::format("  {}  {}{}{}\n", report::escape_terminal(part.path), part.anew ? "written anew from " : "", how_much(part), report::escape_terminal(manifest.sources[part.source].path)));
  }
  if (!manifest.key_log.empty()) print(fmt::format("  {}  TLS keys of the connections above: whoever has them can read these connections\n", manifest.key_log));
  print("  report.txt, report.json, MANIFEST.json\n");
}

ExitCode run_extract(ExtractCommand& command, const CLI::App& app) {
  const auto knowledge = pipeline::load_knowledge(command.common.dialect_dir, command.common.rules_dir);
  bool troubled = !knowledge.problems.empty();
  for (const auto* list : {&knowledge.defects, &knowledge.problems}) {
    for (const Error& problem : *list) print_error(problem);
  }
  if (const Status settled = settle(command.common, knowledge); !settled.ok()) return print_error(settled.error()), ExitCode::usage;
  if (command.packets != "flows" && command.packets != "calls") {
    print_error({ErrorCode::invalid_argument, fmt::format("'{}' is nothing to keep of a capture", command.packets), "--packets", "one of flows, calls"});
    return ExitCode::usage;
  }
  const pipeline::ExtractOptions options{command.common.scan, command.incident, command.folder, command_line(command, app), command.packets == "calls", command.share, command.context};
  Progress progress;
  auto result = pipeline::extract_incident(options, knowledge, [&](const std::string& input, std::uint64_t bytes) { progress.tell(input, bytes); });
  if (!result) return print_error(result.error()), ExitCode::usage;
  for (const Error& problem : result->problems) print_error(problem);
  tell(*result, command.folder);
  return troubled || !result->problems.empty() ? ExitCode::usage : ExitCode::nothing;
}

}  // namespace

void add_extract_command(CLI::App& app, Run& run) {
  auto command = std::make_shared<ExtractCommand>();
  CLI::App* extract = app.add_subcommand("extract", "cut the smallest bundle of evidence that shows one incident, to hand on");
  extract->footer("Example:  mcpscan extract inc-7f3a9c gateway.log -o incident");
  extract->add_option("INCIDENT", command->incident, "the incident's id as the report shows it, or its beginning")->required();
  add_input_options(*extract, command->common);
  add_data_options(*extract, command->common);
  extract->add_option("--rule", command->common.scan.rules, "judge by these rules only")->type_name("RULE")->allow_extra_args(false)->group(kSelection);
  extract->add_option("-o,--output", command->folder, "the folder to make; what exists is never written over")->required()->type_name("DIR")->group(kOutput);
  extract->add_option("--context", command->context, "records without MCP kept around each record of a log")->check(CLI::Range(0, 1000))->type_name("COUNT")->capture_default_str()->group(kOutput);
  extract->add_option("--packets", command->packets, "of captures keep: flows, whole connections; calls, the exchanges alone, written anew as plain HTTP")->type_name("WHAT")->capture_default_str()->group(kOutput);
  extract->add_flag("--share", command->share, "replace session ids, addresses, hosts, tokens and all payloads by stand-ins; captures are written anew")->group(kOutput);
  extract->callback([command, extract, &run] { run = [command, extract] { return run_extract(*command, *extract); }; });
}

}  // namespace mcpscan::cli
