#include <catch2/catch.hpp>

#include <fmt/format.h>

#include "base/embedded_file.h"
#include "engine/engine.h"

using namespace mcpscan;

namespace {

engine::RuleSet embedded_set() {
  engine::RuleSet rules;
  for (const EmbeddedFile& file : embedded_rules()) {
    const Status status = rules.add(file.text, file.path);
    INFO((status.ok() ? std::string() : status.error().to_string()));
    REQUIRE(status.ok());
  }
  return rules;
}

constexpr const char* kSmallest =
    "title: t\nid: user-rule\nlevel: low\ndescription: d\ndetection:\n  event: request\n  selection: {id_type: string}\n  condition: selection\ntests:\n"
    "  - {name: a, timeline: [{request: x, session: s}], expect: [{count: 1}]}\n  - {name: b, timeline: [{request: 1, session: s}], expect: []}\n";

std::string error_of(const std::string& yaml, const char* path = "rules/user-rule.yml") {
  const auto rule = engine::load_rule(yaml, path);
  return rule.ok() ? std::string() : rule.error().to_string();
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("every built-in rule loads and its own timelines give what they say") {
  const engine::RuleSet rules = embedded_set();
  REQUIRE(rules.rules().size() >= 11);
  const Limits limits;
  for (const auto& rule : rules.rules()) {
    for (const std::string& failure : engine::run_rule_tests(rules, *rule, limits)) FAIL_CHECK(failure);
  }
}

TEST_CASE("a rule file needs no more than this, and its condition is a detector") {
  engine::RuleSet rules;
  REQUIRE(rules.add(kSmallest, "rules/user-rule.yml").ok());
  CHECK(engine::run_rule_tests(rules, *rules.find("user-rule"), Limits{}).empty());
}

TEST_CASE("a replayed request is found among many that came since") {
  constexpr std::string_view kHead =
      "title: t\nid: user-rule\nlevel: high\ndescription: d\ndetector: replayed_request\ntests:\n  - {name: none, timeline: [{request: 1, session: s1, payload: a, peer: 198.51.100.7}], expect: []}\n"
      "  - name: many\n    expect: [{count: 1, ids: 7}]\n    timeline:\n";
  std::string yaml(kHead);
  for (int id = 1; id <= 1500; ++id) yaml += fmt::format("      - {{at: {0}, request: {0}, session: s1, payload: p{0}, peer: 198.51.100.7}}\n", id);
  yaml += "      - {at: 2000, request: 7, session: s1, payload: p7, peer: 203.0.113.9}\n";
  engine::RuleSet rules;
  const Status status = rules.add(yaml, "rules/user-rule.yml");
  INFO((status.ok() ? std::string() : status.error().to_string()));
  REQUIRE(status.ok());
  for (const std::string& failure : engine::run_rule_tests(rules, *rules.find("user-rule"), Limits{})) FAIL_CHECK(failure);
}

TEST_CASE("a bad rule file is refused with place, caret and hint") {
  const std::string unknown = error_of(replaced(kSmallest, "level: low", "levle: low"));
  CHECK(unknown.find("rules/user-rule.yml:3") != std::string::npos);
  CHECK(unknown.find("unknown key 'levle'") != std::string::npos);
  CHECK(unknown.find("did you mean 'level'?") != std::string::npos);
  CHECK(unknown.find("^") != std::string::npos);
  CHECK(error_of(replaced(kSmallest, "id_type: string", "id_typ: string")).find("did you mean 'id_type'?") != std::string::npos);
  CHECK(error_of(replaced(kSmallest, "id_type: string", "id|re: '('")).find("bad regular expression") != std::string::npos);
  CHECK(error_of(replaced(kSmallest, "condition: selection", "condition: selection and")).find("ends too early") != std::string::npos);
  CHECK(error_of(replaced(kSmallest, "expect: []", "expect: [{count: 1}]")).find("one that must not") != std::string::npos);
  CHECK(error_of("title: [").find("this is no YAML") != std::string::npos);
  CHECK(error_of(kSmallest, "rules/other.yml").find("is not the file's name") != std::string::npos);
}

TEST_CASE("a condition reads and, or, not and brackets, and its modifiers compare") {
  engine::RuleSet rules;
  const std::string yaml =
      "title: t\nid: user-rule\nlevel: low\ndescription: d\ndetection:\n  event: [request, notification]\n  calls: {method: tools/call}\n"
      "  big: [{id|gte: 10}, {id|startswith: x}]\n  quiet: {tool|contains: quiet}\n  condition: calls and (big or not quiet) and not (quiet and big)\ntests:\n"
      "  - {name: a, timeline: [{request: 10, session: s, tool: loud}], expect: [{count: 1}]}\n"
      "  - {name: b, timeline: [{request: 9, session: s, tool: a_quiet_one}], expect: []}\n"
      "  - {name: c, timeline: [{request: 12, session: s, tool: a_quiet_one}], expect: []}\n";
  const Status status = rules.add(yaml, "rules/user-rule.yml");
  INFO((status.ok() ? std::string() : status.error().to_string()));
  REQUIRE(status.ok());
  for (const std::string& failure : engine::run_rule_tests(rules, *rules.find("user-rule"), Limits{})) FAIL_CHECK(failure);
}
