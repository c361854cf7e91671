// mcpscan rules list / show ID / check PATH.
#include <fmt/format.h>

#include <memory>

#include "base/data_file.h"
#include "base/text_file.h"
#include "cli/command.h"
#include "cli/planned_rules.h"
#include "cli/terminal.h"
#include "pipeline/scan.h"
#include "report/layout.h"

namespace mcpscan::cli {
namespace {

struct RulesCommand {
  std::string rules_dir, id, path;
  bool planned = false;
};

ExitCode list_planned() {
  print("Not judged by any rule yet:\n");
  for (const PlannedRule& planned : planned_rules()) print(fmt::format("{:<6} {}\n", planned.code, planned.what));
  return ExitCode::nothing;
}

ExitCode list_rules(const RulesCommand& command) {
  if (command.planned) return list_planned();
  const auto knowledge = pipeline::load_knowledge({}, command.rules_dir);
  for (const Error& problem : knowledge.problems) print_error(problem);
  for (const auto& rule : knowledge.rules.rules()) {
    print(fmt::format("{:<28} {:<13} {:<10} {}\n", rule->id, model::to_string(rule->level), rule->category, rule->title));
  }
  return knowledge.problems.empty() ? ExitCode::nothing : ExitCode::usage;
}

// Behind `mark`, in lines of the terminal's width that begin under the first one's text.
void print_item(const std::string& mark, const std::string& text) {
  const std::size_t room = terminal_width() - mark.size();
  std::string before = mark;
  for (const std::string& line : report::wrapped(text, room, room)) {
    print(before + line + "\n");
    before.assign(mark.size(), ' ');
  }
}

void print_part(const char* name, const std::string& text) {
  if (text.empty()) return;
  print(fmt::format("\n{}\n", name));
  print_item("  ", text);
}

void print_list(const char* name, const std::vector<std::string>& items) {
  if (items.empty()) return;
  print(fmt::format("\n{}\n", name));
  for (const std::string& item : items) print_item("  - ", item);
}

ExitCode show_rule(const RulesCommand& command) {
  const auto knowledge = pipeline::load_knowledge({}, command.rules_dir, Proof::asked);
  const engine::Rule* rule = knowledge.rules.find(command.id);
  if (!rule) {
    print_error({ErrorCode::not_found, fmt::format("there is no rule '{}'", command.id), "rules show", did_you_mean(command.id, knowledge.rules.ids())});
    return ExitCode::usage;
  }
  print(fmt::format("{}  ({}, level {}, {})\n", rule->id, rule->title, model::to_string(rule->level), rule->status));
  print_part("What it finds", rule->description);
  print_part("What it counts", rule->counts);
  print_part("How it comes about", rule->mechanism);
  print_part("Specification", rule->clause);
  print_list("False positives", rule->falsepositives);
  if (!rule->fix.empty()) print("\nFix\n");
  for (const auto& [party, text] : rule->fix) print_item(fmt::format("  {}: ", party), text);
  print_list("References", rule->references);
  print(fmt::format("\nTests inside the rule: {}\n", rule->tests.size()));
  return ExitCode::nothing;
}

ExitCode check_rules(const RulesCommand& command) {
  engine::RuleSet rules;
  const Limits limits;
  bool sound = true;
  std::size_t tests = 0;
  const auto paths = data_files(command.path);
  if (!paths) return print_error(paths.error()), ExitCode::usage;
  for (const std::string& path : *paths) {
    const Result<std::string> text = read_text_file(path);
    if (!text) return print_error(text.error()), ExitCode::usage;
    if (const Status status = rules.add(*text, path); !status.ok()) print_error(status.error()), sound = false;
  }
  for (const auto& rule : rules.rules()) {
    tests += rule->tests.size();
    for (const std::string& failure : engine::run_rule_tests(rules, *rule, limits)) print(failure + "\n"), sound = false;
  }
  print(fmt::format("{} rules, {} tests: {}\n", rules.rules().size(), tests, sound ? "all as they should be" : "not all as they should be"));
  return sound ? ExitCode::nothing : ExitCode::usage;
}

}  // namespace

void add_rules_command(CLI::App& app, Run& run) {
  auto command = std::make_shared<RulesCommand>();
  CLI::App* rules = app.add_subcommand("rules", "the catalogue of rules: list, show, check");
  rules->footer("Example:  mcpscan rules show duplicate-request-id");
  rules->require_subcommand(1);
  CLI::App* list = rules->add_subcommand("list", "every rule with its level");
  list->add_option("--rules-dir", command->rules_dir, "folder with further rules (*.yml)")->type_name("DIR");
  list->footer("Example:  mcpscan rules list");
  list->add_flag("--planned", command->planned, "what no rule judges yet, by its code in the rules' tags");
  list->callback([command, &run] { run = [command] { return list_rules(*command); }; });
  CLI::App* show = rules->add_subcommand("show", "one rule: mechanism, specification, false positives, fix");
  show->add_option("ID", command->id, "the rule's id")->required();
  show->add_option("--rules-dir", command->rules_dir, "folder with further rules (*.yml)")->type_name("DIR");
  show->footer("Example:  mcpscan rules show duplicate-request-id");
  show->callback([command, &run] { run = [command] { return show_rule(*command); }; });
  CLI::App* check = rules->add_subcommand("check", "load rule files and run the tests inside them");
  check->add_option("PATH", command->path, "a rule file or a folder")->required();
  check->footer("Example:  mcpscan rules check rules/ids");
  check->callback([command, &run] { run = [command] { return check_rules(*command); }; });
}

}  // namespace mcpscan::cli
