#include "cli/usage_error.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "base/data_file.h"

namespace mcpscan::cli {
namespace {

// The command that was reached, and its name as it is typed behind the program's.
CLI::App& reached(CLI::App& app, std::string& name) {
  const auto chosen = app.get_subcommands();
  if (chosen.empty()) return app;
  name += (name.empty() ? "" : " ") + chosen.back()->get_name();
  return reached(*chosen.back(), name);
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> command_names(CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* sub : command.get_subcommands([](CLI::App*) { return true; })) names.push_back(sub->get_name());
  return names;
}

std::string near(const std::string& word, const std::vector<std::string>& known) { return did_you_mean(word, {known.begin(), known.end()}); }

void say_unexpected(CLI::App& command, const std::string& word, Error& error) {
  const bool option = word.size() > 1 && word[0] == '-';
  const auto commands = command_names(command);
  if (option) {
    error.what = fmt::format("there is no option '{}'", word);
    const std::string meant = near(word.substr(0, word.find('=')), option_names(command));
    if (meant.starts_with("did you mean")) error.hint = meant;
  } else if (!commands.empty()) {
    error.what = fmt::format("there is no command '{}'", word);
    error.hint = near(word, commands);
  } else {
    error.what = fmt::format("'{}' is one argument too many", word);
  }
}

}  // namespace

Error usage_error(CLI::App& app, const CLI::ParseError& refused) {
  std::string name;
  CLI::App& command = reached(app, name);
  const std::string help = fmt::format("mcpscan{}{} --help shows what it takes", name.empty() ? "" : " ", name);
  Error error{ErrorCode::invalid_argument, refused.what(), name, help};
  const auto left_over = app.remaining(true);
  const auto commands = command_names(command);
  const auto kind = static_cast<CLI::ExitCodes>(refused.get_exit_code());
  const std::string option = error.what.substr(0, error.what.find(':'));
  if (!left_over.empty()) {
    say_unexpected(command, left_over.front(), error);
  } else if (kind == CLI::ExitCodes::RequiredError && !commands.empty()) {
    error.what = "a command is missing";
    error.hint = fmt::format("one of {}; {}", fmt::join(commands, ", "), help);
  } else if (kind == CLI::ExitCodes::RequiredError) {
    error.what = error.what.substr(0, error.what.find(' ')) + " is missing";
  } else if (kind == CLI::ExitCodes::ArgumentMismatch) {
    error.what = option + " needs a value";
  }
  return error;
}

}  // namespace mcpscan::cli
