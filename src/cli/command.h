// Command: one command of the program, its options and what it does. All printing happens below src/cli.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <string>

#include "cli/exit_code.h"

namespace mcpscan::cli {

// Each adds itself to `app` with its options; `run` is set to what must be done when the command was chosen.
using Run = std::function<ExitCode()>;
void add_scan_command(CLI::App& app, Run& run);
void add_timeline_command(CLI::App& app, Run& run);
void add_summary_command(CLI::App& app, Run& run);
void add_verify_command(CLI::App& app, Run& run);
void add_rules_command(CLI::App& app, Run& run);
void add_formats_command(CLI::App& app, Run& run);
void add_extract_command(CLI::App& app, Run& run);
void add_shell_commands(CLI::App& app, Run& run);

// The whole program: arguments as main() got them.
int run_program(int argc, char** argv);

}  // namespace mcpscan::cli
