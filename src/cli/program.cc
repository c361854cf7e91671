#include <algorithm>
#include <csignal>

#include "base/version.h"
#include "cli/command.h"
#include "cli/option_table.h"
#include "cli/terminal.h"
#include "cli/usage_error.h"

namespace mcpscan::cli {
namespace {

constexpr const char* kAbout =
    "Not a vulnerability scanner: mcpscan reads what an operator of the Model Context Protocol already has (gateway and server logs, captures, HAR "
    "files, client transcripts) and says which reply went where, what was lost and who is at fault.";
constexpr const char* kFooter =
    "Exit status: 0 nothing at or above --fail-on, 1 findings, 2 wrong usage or an\n"
    "input that cannot be read.\n"
    "Example:  mcpscan gateway.log    (the same as mcpscan scan gateway.log)";

// `mcpscan gateway.log` means `mcpscan scan gateway.log`.
std::vector<std::string> with_default_command(int argc, char** argv, CLI::App& app) {
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  const auto commands = app.get_subcommands([](CLI::App*) { return true; });
  const bool names_command = !arguments.empty() && std::any_of(commands.begin(), commands.end(), [&](const CLI::App* command) { return command->get_name() == arguments[0]; });
  const bool general = arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h" || arguments[0] == "--version";
  if (!names_command && !general) arguments.insert(arguments.begin(), "scan");
  return {arguments.rbegin(), arguments.rend()};  // CLI11 wants them last first
}

}  // namespace

int run_program(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  claim_standard_streams();
  CLI::App app(kAbout, "mcpscan");
  app.footer(kFooter);
  app.formatter(help_formatter());
  app.set_version_flag("--version", std::string("mcpscan ") + kVersion);
  app.require_subcommand(1);
  Run run;
  add_scan_command(app, run);
  add_timeline_command(app, run);
  add_summary_command(app, run);
  add_verify_command(app, run);
  add_extract_command(app, run);
  add_rules_command(app, run);
  add_formats_command(app, run);
  add_shell_commands(app, run);
  try {
    app.parse(with_default_command(argc, argv, app));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    print_error(usage_error(app, error));
    return static_cast<int>(ExitCode::usage);
  }
  const ExitCode status = run();
  const Status output = printed();
  if (output.ok()) return static_cast<int>(status);
  print_error(output.error());
  return static_cast<int>(ExitCode::usage);
}

}  // namespace mcpscan::cli
