// mcpscan formats list / explain FILE / check PATH.
#include <fmt/format.h>

#include <memory>

#include "base/text_file.h"
#include "cli/command.h"
#include "cli/explain_file.h"
#include "cli/terminal.h"
#include "pipeline/scan.h"
#include "report/layout.h"

namespace mcpscan::cli {
namespace {

ExitCode list_formats(const FormatsCommand& command) {
  const auto knowledge = pipeline::load_knowledge(command.dialect_dir, {});
  for (const Error& problem : knowledge.problems) print_error(problem);
  print("captures\n  pcap, pcapng      packets: link layers, TCP, TLS with --keylog, HTTP/1 and 2, SSE\n\n"
        "exports\n  har               HTTP Archive 1.2 of browsers and proxies\n\n"
        "traces\n  otlp              OpenTelemetry's JSON (file exporter, Tempo), traces with the MCP conventions and logs; Jaeger's export\n\n"
        "clients' own records\n  transcripts       session files of Claude Code and rollouts of Codex CLI: what the model was shown for which call\n\n"
        "text dumps\n  http-text         raw HTTP requests and responses, curl -v\n\nlog dialects\n");
  for (const auto& dialect : knowledge.dialects.summaries()) print(fmt::format("  {:<18} {}\n", dialect.name, dialect.title));
  print("  general           a JSON-RPC message anywhere in a line, with direction words, session and time around it\n\n"
        "framings in front of any dialect\n  plain, JSON lines, docker json-file, Kubernetes CRI, journald (short, iso, json, export), syslog RFC 3164 and 5424,\n"
        "  CloudWatch, Google Cloud Logging, Datadog, Loki, Fluent Bit and fluentd, Elastic stack; up to four around each other\n\n"
        "what may hold such records\n  JSON documents (cloud query results), CSV tables (console exports), the newest record first\n");
  return knowledge.problems.empty() ? ExitCode::nothing : ExitCode::usage;
}

ExitCode check_dialects(const FormatsCommand& command) {
  auto knowledge = pipeline::load_knowledge({}, {}, Proof::asked);
  const auto paths = data_files(command.path);
  if (!paths) return print_error(paths.error()), ExitCode::usage;
  if (paths->empty()) return print_error({ErrorCode::not_found, "there is no dialect in this folder", command.path, "a dialect's name ends in .yml"}), ExitCode::usage;
  bool sound = true;
  for (const std::string& path : *paths) {
    const Result<std::string> text = read_text_file(path);
    const Status status = text ? knowledge.dialects.add(*text, path) : Status(text.error());
    if (!status.ok()) {
      print_error(status.error());
      sound = false;
      continue;
    }
    const auto dialect = knowledge.dialects.summaries().back();
    print(fmt::format("{}: dialect '{}' loads; {} give their fields, {} left alone, no line of a built-in dialect is taken\n", path, dialect.name,
                      report::counted(dialect.samples, "sample"), report::counted(dialect.not_samples, "not_sample is", "not_samples are")));
  }
  for (const Error& conflict : knowledge.dialects.check_samples()) print_error(conflict), sound = false;
  return sound ? ExitCode::nothing : ExitCode::usage;
}

}  // namespace

void add_formats_command(CLI::App& app, Run& run) {
  auto command = std::make_shared<FormatsCommand>();
  CLI::App* formats = app.add_subcommand("formats", "what can be read: list, explain a file, check a dialect");
  formats->footer("Example:  mcpscan formats explain gateway.log");
  formats->require_subcommand(1);
  CLI::App* list = formats->add_subcommand("list", "every format and log dialect");
  list->add_option("--dialect-dir", command->dialect_dir, "folder with further dialects (*.yml)")->type_name("DIR");
  list->footer("Example:  mcpscan formats list");
  list->callback([command, &run] { run = [command] { return list_formats(*command); }; });
  CLI::App* explain = formats->add_subcommand("explain", "which reader takes a file, the runner-up, and the first line nothing understood");
  explain->add_option("FILE", command->path, "the file")->required();
  explain->add_option("--dialect-dir", command->dialect_dir, "folder with further dialects (*.yml)")->type_name("DIR");
  explain->add_option("--tz", command->time_zone, "zone of log times that name none")->type_name("ZONE")->capture_default_str();
  explain->footer("Example:  mcpscan formats explain gateway.log");
  explain->callback([command, &run] { run = [command] { return explain_file(*command); }; });
  CLI::App* check = formats->add_subcommand("check", "load dialects of your own, run their samples, look for conflicts with ours");
  check->add_option("PATH", command->path, "a dialect file, or a folder of them")->required();
  check->footer("Example:  mcpscan formats check mine.yml");
  check->callback([command, &run] { run = [command] { return check_dialects(*command); }; });
}

}  // namespace mcpscan::cli
