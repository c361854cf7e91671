// Completions for bash, zsh and fish, from the option table. `mcpscan FILE` is `mcpscan scan FILE`, so where no command was
// typed yet, commands, the options of scan and files are all offered.
#include <fmt/format.h>

#include <algorithm>

#include "cli/option_table.h"

namespace mcpscan::cli {
namespace {

constexpr std::string_view kUsual = "scan";

bool names_file(const OptionWords& option) { return option.value == "FILE" || option.value == "INPUT" || option.value == "PATH" || option.value == "DIR"; }

// Inside single quotes of a shell.
std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') out += "'\\''";
    else out += c;
  }
  return out + "'";
}

std::string short_of(const CommandWords& command) { return command.name.substr(command.name.find(' ') + 1); }

// Every command with its own path below the program: "rules", "rules show".
void each(const CommandWords& command, std::vector<const CommandWords*>& list) {
  for (const CommandWords& sub : command.commands) {
    list.push_back(&sub);
    each(sub, list);
  }
}

std::string words_of(const CommandWords& command) {
  std::string words;
  for (const CommandWords& sub : command.commands) words += (words.empty() ? "" : " ") + sub.name.substr(command.name.size() + 1);
  for (const OptionWords& option : command.options) {
    for (const std::string* name : {&option.short_name, &option.long_name}) {
      if (!name->empty()) words += (words.empty() ? "" : " ") + *name;
    }
  }
  return words;
}

std::string bash(const CommandWords& program) {
  std::vector<const CommandWords*> all;
  each(program, all);
  std::string out =
      "# bash completion for mcpscan\n_mcpscan() {\n  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command= word words= values=\n"
      "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n    case \"$command${command:+ }$word\" in\n";
  for (const CommandWords* command : all) out += fmt::format("      {}) command={} ;;\n", in_quotes(short_of(*command)), in_quotes(short_of(*command)));
  out += "    esac\n  done\n  case $command in\n";
  out += fmt::format("    '') words={} ;;\n", in_quotes(words_of(program)));
  for (const CommandWords* command : all) out += fmt::format("    {}) words={} ;;\n", in_quotes(short_of(*command)), in_quotes(words_of(*command)));
  out += fmt::format("  esac\n  case \"${{command:-{}}} $prev\" in\n", kUsual);
  for (const CommandWords* command : all) {
    for (const OptionWords& option : command->options) {
      if (!option.choices.empty() && !option.value.empty()) out += fmt::format("    {}) values={} ;;\n", in_quotes(short_of(*command) + ' ' + option.long_name), in_quotes(fmt::format("{}", fmt::join(option.choices, " "))));
    }
  }
  return out + "  esac\n  if [ -n \"$values\" ]; then COMPREPLY=($(compgen -W \"$values\" -- \"$cur\")); return; fi\n"
               "  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n  [[ $cur == -* ]] || COMPREPLY+=($(compgen -f -- \"$cur\"))\n}\ncomplete -o filenames -F _mcpscan mcpscan\n";
}

// In an _arguments specification a colon parts fields and brackets hold the explanation.
std::string zsh_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == ':' || c == '[' || c == ']' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_arguments(const CommandWords& command) {
  std::string out;
  for (const OptionWords& option : command.options) {
    const std::string action = !option.choices.empty() ? fmt::format("({})", fmt::join(option.choices, " ")) : names_file(option) ? "_files" : "";
    const std::string value = option.value.empty() ? "" : fmt::format(":{}:{}", option.value, action);
    if (option.positional()) {
      out += " \\\n      " + in_quotes(fmt::format("{}:{}:{}", option.many ? "*" : "", option.value, action));
      continue;
    }
    for (const std::string* name : {&option.short_name, &option.long_name}) {
      if (!name->empty()) out += " \\\n      " + in_quotes(fmt::format("{}{}[{}]{}", option.many ? "*" : "", *name, zsh_text(option.help), value));
    }
  }
  return out;
}

std::string zsh_command(const CommandWords& command) {
  if (command.commands.empty()) return fmt::format("      _arguments -S{}\n", zsh_arguments(command));
  std::string out = "      if (( CURRENT == 2 )); then\n        local -a below=(";
  for (const CommandWords& sub : command.commands) out += ' ' + in_quotes(zsh_text(sub.name.substr(command.name.size() + 1)) + ':' + sub.help);
  out += ")\n        _describe command below\n        return\n      fi\n      shift words; (( CURRENT-- ))\n      case $words[1] in\n";
  for (const CommandWords& sub : command.commands) out += fmt::format("      {})\n{}      ;;\n", sub.name.substr(command.name.size() + 1), zsh_command(sub));
  return out + "      esac\n";
}

std::string zsh(const CommandWords& program) {
  std::string out = "#compdef mcpscan\n_mcpscan() {\n  local -a commands=(";
  for (const CommandWords& command : program.commands) out += "\n    " + in_quotes(zsh_text(short_of(command)) + ':' + command.help);
  out += "\n  )\n  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then\n    _describe command commands\n    _files\n    return\n  fi\n  case $words[2] in\n";
  std::string usual;
  for (const CommandWords& command : program.commands) {
    out += fmt::format("    {})\n      shift words; (( CURRENT-- ))\n{}      ;;\n", short_of(command), zsh_command(command));
    if (short_of(command) == kUsual) usual = zsh_command(command);
  }
  return out + "    *)\n" + usual + "      ;;\n  esac\n}\n_mcpscan \"$@\"\n";
}

std::string fish(const CommandWords& program) {
  std::vector<const CommandWords*> all;
  each(program, all);
  std::string out = "# fish completion for mcpscan\n", names;
  for (const CommandWords& command : program.commands) names += (names.empty() ? "" : " ") + short_of(command);
  for (const CommandWords& command : program.commands) {
    out += fmt::format("complete -c mcpscan -n {} -a {} -d {}\n", in_quotes("not __fish_seen_subcommand_from " + names), in_quotes(short_of(command)), in_quotes(command.help));
  }
  for (const CommandWords* command : all) {
    const std::string path = short_of(*command);
    const std::size_t space = path.find(' ');
    std::string when = "__fish_seen_subcommand_from " + path.substr(0, space);
    if (space != std::string::npos) when += "; and __fish_seen_subcommand_from " + path.substr(space + 1);
    if (path == kUsual) when += "; or not __fish_seen_subcommand_from " + names;
    for (const CommandWords& sub : command->commands) {
      out += fmt::format("complete -c mcpscan -f -n {} -a {} -d {}\n", in_quotes(when), in_quotes(sub.name.substr(command->name.size() + 1)), in_quotes(sub.help));
    }
    for (const OptionWords& option : command->options) {
      if (option.positional()) continue;
      out += fmt::format("complete -c mcpscan -n {}", in_quotes(when));
      if (!option.short_name.empty()) out += " -s " + option.short_name.substr(1);
      if (!option.long_name.empty()) out += " -l " + option.long_name.substr(2);
      if (!option.choices.empty()) out += " -x -a " + in_quotes(fmt::format("{}", fmt::join(option.choices, " ")));
      else if (!option.value.empty()) out += names_file(option) ? " -r" : " -x";
      out += " -d " + in_quotes(option.help) + '\n';
    }
  }
  return out;
}

}  // namespace

std::string completions(const CommandWords& program, const std::string& shell) {
  if (shell == "bash") return bash(program);
  if (shell == "zsh") return zsh(program);
  return shell == "fish" ? fish(program) : std::string();
}

}  // namespace mcpscan::cli
