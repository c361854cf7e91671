// The commands and options of the program as plain data, taken from the option parser: what help, manual page and shell
// completions are written from, so that none of them can fall behind. Not the parser. Ownership: copies. Threads: pure.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace mcpscan::cli {

struct OptionWords {
  std::string short_name, long_name;   // with their dashes; both empty: positional
  std::string value;                   // TIME, FILE ...; empty: a flag
  std::string help, initial, group;    // initial: the default, empty: none told
  std::vector<std::string> choices;    // where the help lists them behind a colon
  bool many = false, required = false;

  bool positional() const { return short_name.empty() && long_name.empty(); }
};

struct CommandWords {
  std::string name;                    // "mcpscan rules show"
  std::string help, example;
  std::vector<OptionWords> options;    // --help first
  std::vector<CommandWords> commands;
};

CommandWords command_words(const CLI::App& app);

// At most 80 columns wide.
std::string help_text(const CommandWords& command);
// roff for man(1), section 1.
std::string manual_page(const CommandWords& program);
// For the shell's completion of `mcpscan`; empty for an unknown shell.
std::string completions(const CommandWords& program, const std::string& shell);

// The formatter that makes the parser print help_text().
std::shared_ptr<CLI::FormatterBase> help_formatter();

}  // namespace mcpscan::cli
