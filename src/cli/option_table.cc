#include "cli/option_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/layout.h"

namespace mcpscan::cli {
namespace {

using report::padded;
using report::wrapped;

constexpr std::size_t kColumns = 80, kNames = 23, kIndent = 2;

// "least level shown: low, medium, high" lists the choices.
std::vector<std::string> choices_in(const std::string& help) {
  const std::size_t colon = help.find(": ");
  std::vector<std::string> choices;
  if (colon == std::string::npos) return choices;
  for (std::size_t at = colon + 2; at <= help.size();) {
    const std::size_t end = std::min(help.find(", ", at), help.size());
    choices.push_back(help.substr(at, end - at));
    if (choices.back().empty() || choices.back().find_first_of(" ;()") != std::string::npos) return {};
    at = end + 2;
  }
  return choices.size() > 1 ? choices : std::vector<std::string>();
}

OptionWords words_of(const CLI::Option& option) {
  OptionWords words;
  if (!option.get_snames().empty()) words.short_name = "-" + option.get_snames()[0];
  if (!option.get_lnames().empty()) words.long_name = "--" + option.get_lnames()[0];
  const std::string type = option.get_type_name();  // UINT:UINT in [1 - 64]: the check behind the colon is for the parser
  if (option.get_items_expected_max() > 0) words.value = words.positional() ? option.get_name(true) : type.substr(0, type.find_first_of(": "));
  words.help = words.long_name == "--help" ? "this text" : words.long_name == "--version" ? "the program's version" : option.get_description();
  words.initial = option.get_default_str();
  words.group = option.get_group();
  words.many = option.get_expected_max() > 1;
  words.required = option.get_required();
  words.choices = choices_in(words.help);
  if (words.value == "LEVEL") words.choices = {"informational", "low", "medium", "high", "critical"};
  return words;
}

CommandWords words_of(const CLI::App& app, const std::string& before) {
  CommandWords words;
  words.name = before.empty() ? app.get_name() : before + ' ' + app.get_name();
  words.help = app.get_description();
  words.example = app.get_footer();
  for (const CLI::Option* option : app.get_options()) words.options.push_back(words_of(*option));
  for (const CLI::App* command : app.get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); })) words.commands.push_back(words_of(*command, words.name));
  return words;
}

std::string names_of(const OptionWords& option) {
  if (option.positional()) return option.value + (option.many ? "..." : "");
  const std::string names = option.short_name + (option.short_name.empty() || option.long_name.empty() ? "" : ", ") + option.long_name;
  return option.value.empty() ? names : names + ' ' + option.value;
}

std::string row(const std::string& names, const std::string& text) {
  std::string out;
  const auto lines = wrapped(text, kColumns - kNames - kIndent, kColumns - kNames - kIndent);
  const bool beside = names.size() + 1 < kNames;
  if (!beside) out += std::string(kIndent, ' ') + names + '\n';
  for (std::size_t i = 0; i < lines.size(); ++i) out += std::string(kIndent, ' ') + padded(i == 0 && beside ? names : std::string(), kNames) + lines[i] + '\n';
  return out;
}

std::string told(const OptionWords& option) { return option.initial.empty() ? option.help : fmt::format("{} (default {})", option.help, option.initial); }

std::string usage(const CommandWords& command) {
  std::string text = "usage: " + command.name;
  if (std::any_of(command.options.begin(), command.options.end(), [](const OptionWords& option) { return !option.positional(); })) text += " [OPTIONS]";
  for (const OptionWords& option : command.options) {
    if (option.positional()) text += ' ' + names_of(option);
  }
  return text + (command.commands.empty() ? "" : " COMMAND ...");
}

// Groups in the order of their first option; the general one last, as it is the least interesting.
std::vector<std::string> groups_of(const CommandWords& command) {
  std::vector<std::string> groups;
  for (const OptionWords& option : command.options) {
    if (!option.positional() && option.group != "Options" && std::find(groups.begin(), groups.end(), option.group) == groups.end()) groups.push_back(option.group);
  }
  groups.push_back("Options");
  return groups;
}

class HelpFormatter : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode) const override {
    CommandWords words = command_words(*app);
    if (!name.empty()) words.name = name;
    return help_text(words);
  }
};

}  // namespace

CommandWords command_words(const CLI::App& app) { return words_of(app, app.get_parent() && !app.get_parent()->get_name().empty() ? command_words(*app.get_parent()).name : std::string()); }

std::string help_text(const CommandWords& command) {
  std::string out;
  for (const std::string& line : wrapped(command.help, kColumns, kColumns)) out += line + '\n';
  out += usage(command) + "\n";
  std::string positionals;
  for (const OptionWords& option : command.options) {
    if (option.positional()) positionals += row(names_of(option), told(option));
  }
  if (!positionals.empty()) out += '\n' + positionals;
  if (!command.commands.empty()) out += "\nCommands\n";
  for (const CommandWords& sub : command.commands) out += row(sub.name.substr(command.name.size() + 1), sub.help);
  for (const std::string& group : groups_of(command)) {
    std::string rows;
    for (const OptionWords& option : command.options) {
      if (!option.positional() && option.group == group) rows += row(names_of(option), told(option));
    }
    if (!rows.empty()) out += '\n' + group + '\n' + rows;
  }
  return command.example.empty() ? out : out + '\n' + command.example + '\n';
}

std::shared_ptr<CLI::FormatterBase> help_formatter() { return std::make_shared<HelpFormatter>(); }

}  // namespace mcpscan::cli
