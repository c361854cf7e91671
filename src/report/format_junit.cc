// --format junit: for the test pages of CI servers. A rule is a test: failed where it found something above informational,
// skipped where it could not be judged; an input is a test that fails with an error where it could not be read. The
// elements are those that Jenkins, GitLab and Maven Surefire read; times are 0, since nothing here was timed.
#include <fmt/format.h>

#include <map>

#include "report/escape.h"
#include "report/layout.h"
#include "report/wording.h"

namespace mcpscan::report {
namespace {

constexpr std::size_t kPlaces = 10;  // of one finding

struct Case {
  std::string group, name;
  std::string skipped, error, failure, failure_type, said;  // empty: not
};

class Junit {
 public:
  Junit(const ReportIndex& index, const model::ReportOptions& options)
      : index_(index), options_(options), wording_(index, Zone(), [this](std::string_view raw) { return shown_text(raw, options_); },
                                                   [this](std::string_view raw) { return shown_id(raw, options_); }) {}
  Junit(const Junit&) = delete;
  Junit& operator=(const Junit&) = delete;

  std::string write() {
    const std::vector<Case> rules = rule_cases(), inputs = input_cases();
    out_ = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    std::vector<Case> all = rules;
    all.insert(all.end(), inputs.begin(), inputs.end());
    out_ += fmt::format("<testsuites name=\"mcpscan\"{}>\n", sums(all));
    suite("inputs", inputs);
    suite("rules", rules);
    return std::move(out_ += "</testsuites>\n");
  }

 private:
  static std::string sums(const std::vector<Case>& cases) {
    std::size_t failures = 0, errors = 0, skipped = 0;
    for (const Case& one : cases) failures += !one.failure.empty(), errors += !one.error.empty(), skipped += !one.skipped.empty();
    return fmt::format(" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"0\"", cases.size(), failures, errors, skipped);
  }

  std::vector<Case> input_cases() const {
    std::vector<Case> cases;
    for (const model::InputRow& input : index_.report().inputs) {
      Case one{"mcpscan.inputs", shown_text(input.path, options_), {}, {}, {}, {}, wording_.input_facts(input) + "\n"};
      if (!input.error.empty()) one.error = shown_text(input.error, options_);
      const std::string books = wording_.books(input);
      if (!books.empty()) one.said += books + "\n";
      for (const auto& [kind, anomaly] : input.anomalies.entries()) one.said += wording_.place(anomaly.source) + ": " + wording_.anomaly(anomaly) + "\n";
      cases.push_back(std::move(one));
    }
    return cases;
  }

  std::vector<Case> rule_cases() const {
    std::map<std::string_view, std::vector<const model::Finding*>> by_rule;
    for (const model::Finding& finding : index_.report().findings) by_rule[finding.rule].push_back(&finding);
    std::vector<Case> cases;
    for (const model::RuleCoverage& rule : index_.report().rules) {
      cases.push_back(case_of(rule.rule, by_rule[rule.rule]));
      by_rule.erase(rule.rule);
      Case& one = cases.back();
      const std::string why = join(shown_text(rule.why, options_), shown_text(rule.enable, options_));
      if (rule.state == model::RuleState::not_evaluable && one.failure.empty()) one.skipped = why.empty() ? "not judged" : why;
      if (rule.state == model::RuleState::partly) one.said += "judged in part: " + why + "\n";
    }
    for (const auto& [rule, findings] : by_rule) cases.push_back(case_of(rule, findings));
    return cases;
  }

  static std::string join(const std::string& a, const std::string& b) { return a.empty() || b.empty() ? a + b : a + "; " + b; }

  Case case_of(std::string_view rule, const std::vector<const model::Finding*>& findings) const {
    Case one;
    one.group = "mcpscan.rules";
    one.name = shown_text(rule, options_);
    model::Level worst = model::Level::informational;
    for (const model::Finding* finding : findings) {
      const bool fails = finding->level > model::Level::informational;
      (fails ? one.failure : one.said) += told(*finding);
      worst = std::max(worst, finding->level);
    }
    one.failure_type = model::to_string(worst);
    return one;
  }

  std::string told(const model::Finding& finding) const {
    std::string text = fmt::format("{}  {}\n", model::to_string(finding.level), wording_.lone_finding(finding));
    text += fmt::format("  fault: {}\n", wording_.fault(finding.fault));
    const std::size_t shown = std::min(finding.evidence.size(), kPlaces);
    for (std::size_t i = 0; i < shown; ++i) text += "  " + wording_.place(finding.evidence[i].source) + "\n";
    const std::uint64_t rest = finding.evidence.size() - shown + finding.evidence_left_out;
    return rest > 0 ? text + fmt::format("  and {}\n", counted(rest, "more place")) : text;
  }

  void suite(std::string_view name, const std::vector<Case>& cases) {
    out_ += fmt::format("  <testsuite name=\"{}\"{}>\n", name, sums(cases));
    for (const Case& one : cases) write(one);
    out_ += "  </testsuite>\n";
  }

  // The elements in the order that the schemas of the readers ask for.
  void write(const Case& one) {
    out_ += fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"0\"", one.group, escape_html(one.name));
    std::string inner;
    if (!one.skipped.empty()) inner += fmt::format("      <skipped message=\"{}\"/>\n", escape_html(one.skipped));
    if (!one.error.empty()) inner += fmt::format("      <error type=\"unreadable\" message=\"{}\"/>\n", escape_html(one.error));
    if (!one.failure.empty()) {
      const std::string first = one.failure.substr(0, one.failure.find('\n'));
      inner += fmt::format("      <failure type=\"{}\" message=\"{}\">{}</failure>\n", one.failure_type, escape_html(first), escaped_lines(one.failure));
    }
    if (!one.said.empty()) inner += fmt::format("      <system-out>{}</system-out>\n", escaped_lines(one.said));
    out_ += inner.empty() ? "/>\n" : ">\n" + inner + "    </testcase>\n";
  }

  // Lines that are ours, each with text that may hold anything but a line's end: shown text keeps its own visible.
  static std::string escaped_lines(const std::string& text) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      out += escape_html(std::string_view(text).substr(at, end - at)) + '\n';
      at = end + 1;
    }
    return out;
  }

  const ReportIndex& index_;
  model::ReportOptions options_;
  Wording wording_;
  std::string out_;
};

void write_junit(const model::Report& report, const model::ReportOptions& options, model::ReportFormatEntry::Out out) {
  const ReportIndex index(report);
  out(Junit(index, options).write());
}

}  // namespace

extern const model::ReportFormatEntry kFormatJunit;
const model::ReportFormatEntry kFormatJunit{"junit", "xml", "for CI servers: a rule is a test, JUnit XML", &write_junit};

}  // namespace mcpscan::report
