// mcpscan completions SHELL, mcpscan man: what a package installs beside the program, written by the program itself.
#include <memory>

#include "cli/command.h"
#include "cli/option_table.h"
#include "cli/terminal.h"

namespace mcpscan::cli {

void add_shell_commands(CLI::App& app, Run& run) {
  auto shell = std::make_shared<std::string>();
  CLI::App* complete = app.add_subcommand("completions", "completions for a shell, to be put where it looks for them");
  complete->footer("Example:  mcpscan completions bash > /etc/bash_completion.d/mcpscan");
  complete->add_option("SHELL", *shell, "which one: bash, zsh, fish")->required();
  complete->callback([&app, shell, &run] {
    run = [&app, shell] {
      const std::string text = completions(command_words(app), *shell);
      if (text.empty()) return print_error({ErrorCode::invalid_argument, "there are no completions for '" + *shell + "'", "completions", "one of bash, zsh, fish"}), ExitCode::usage;
      print(text);
      return ExitCode::nothing;
    };
  });
  CLI::App* manual = app.add_subcommand("man", "the manual page");
  manual->footer("Example:  mcpscan man | man -l -");
  manual->callback([&app, &run] {
    run = [&app] {
      print(manual_page(command_words(app)));
      return ExitCode::nothing;
    };
  });
}

}  // namespace mcpscan::cli
