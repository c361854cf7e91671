#include <catch2/catch.hpp>

#include "base/embedded_file.h"
#include "engine/engine.h"
#include "engine/tuning.h"

using namespace mcpscan;
using engine::Tuning;

namespace {

const engine::RuleSet& built_in() {
  static const engine::RuleSet kRules = [] {
    engine::RuleSet rules;
    for (const EmbeddedFile& file : embedded_rules()) REQUIRE(rules.add(file.text, file.path).ok());
    return rules;
  }();
  return kRules;
}

std::string error_of(std::string_view yaml) {
  const auto tuning = Tuning::load(yaml, "tuning.yml", built_in());
  return tuning.ok() ? std::string() : tuning.error().to_string();
}

constexpr std::int64_t kNovember28 = 1795824000 * kSecond;  // 2026-11-28 00:00 UTC

// Two incidents: a lost reply with its cause, and a late one.
model::Report report() {
  model::Report report;
  report.inputs.emplace_back().first = Time{kNovember28};
  const auto add = [&](const char* id, const char* rule, model::Level level, const char* tool) {
    model::Finding& finding = report.findings.emplace_back();
    finding.id = id, finding.rule = rule, finding.level = level, finding.count = 3, finding.session = "s1";
    finding.first = finding.last = Time{kNovember28};
    finding.calls.emplace_back().tool = tool;
  };
  add("f1", "duplicate-request-id", model::Level::critical, "export");
  add("f2", "lost-reply", model::Level::high, "export");
  add("f3", "late-reply", model::Level::medium, "search");
  for (const auto& [id, root, findings] : {std::tuple{"inc-1", "f1", std::vector<std::string>{"f1", "f2"}}, {"inc-2", "f3", std::vector<std::string>{"f3"}}}) {
    model::Incident& incident = report.incidents.emplace_back();
    incident.id = id, incident.root = root, incident.findings = findings;
  }
  report.incidents[0].level = model::Level::critical;
  report.incidents[1].level = model::Level::medium;
  return report;
}

model::Report tuned(std::string_view yaml) {
  const auto tuning = Tuning::load(yaml, "tuning.yml", built_in());
  INFO((tuning.ok() ? std::string() : tuning.error().to_string()));
  REQUIRE(tuning.ok());
  model::Report changed = report();
  tuning->apply(changed);
  return changed;
}

}  // namespace

TEST_CASE("a suppressed cause goes with all that follows from it, and is still counted in a note") {
  const model::Report changed = tuned("suppress: [{rule: duplicate-request-id, tool: export, reason: ticket 4711}]");
  REQUIRE(changed.findings.size() == 1);
  CHECK(changed.findings[0].id == "f3");
  CHECK(changed.incidents.size() == 1);
  CHECK(changed.notes == std::vector<std::string>{"suppressed by tuning.yml:1: duplicate-request-id (ticket 4711): 2 findings, 6 occurrences"});
}

TEST_CASE("a suppression covers what it names only, and only until its day") {
  CHECK(tuned("suppress: [{rule: late-reply, tool: export, reason: r}]").findings.size() == 3);
  CHECK(tuned("suppress: [{rule: late-reply, session: s2, reason: r}]").findings.size() == 3);
  CHECK(tuned("suppress: [{rule: late-reply, reason: r, until: 2026-11-28}]").findings.size() == 2);
  const model::Report ended = tuned("suppress: [{rule: late-reply, reason: r, until: 2026-11-27}]");
  CHECK(ended.findings.size() == 3);
  CHECK(ended.notes == std::vector<std::string>{"tuning.yml:1: the suppression of late-reply ended before this evidence begins; it was not applied"});
}

TEST_CASE("a known incident is no alarm any more") {
  const model::Report changed = tuned("baseline: [inc-1]");
  CHECK(changed.incidents.size() == 1);
  CHECK(changed.notes == std::vector<std::string>{"suppressed by tuning.yml: baseline inc-1: 2 findings, 6 occurrences"});
}

TEST_CASE("a level changes its findings, their incident and their order") {
  const model::Report changed = tuned("levels: {late-reply: critical, lost-reply: informational, duplicate-request-id: low}");
  CHECK(changed.findings[0].id == "f3");
  CHECK(changed.incidents[0].id == "inc-2");
  CHECK(changed.incidents[1].level == model::Level::low);
  CHECK(tuned("levels: {late-reply: informational}").incidents.size() == 1);
}

TEST_CASE("a bad tuning file is refused with its place and a hint") {
  CHECK(error_of("supress: []").find("did you mean 'suppress'?") != std::string::npos);
  CHECK(error_of("levels: {late-repl: low}").find("did you mean 'late-reply'?") != std::string::npos);
  CHECK(error_of("levels: {late-reply: lowest}").find("this is no level") != std::string::npos);
  CHECK(error_of("suppress:\n  - {rule: late-reply}").find("tuning.yml:2") != std::string::npos);
  CHECK(error_of("suppress:\n  - {rule: late-reply, reason: r, until: tomorrow}").find("write 2026-12-31") != std::string::npos);
  CHECK(error_of("suppress: {rule: late-reply}").find("must be a list") != std::string::npos);
  CHECK(error_of("suppress: [late-reply]").find("is a map") != std::string::npos);
}
