// Reports made by hand in which texts are hostile: everywhere in one, and in a small one that is kept as golden files.
#pragma once

#include <string>

#include "support/demo_report.h"

namespace mcpscan::tests {

// ANSI, C1, bidi, zero-width, newlines, invalid UTF-8, a secret.
inline const std::string& hostile_text() {
  static const std::string text =
      "a\x1b[2J\x1b]0;owned\x07 b\nCRITICAL  forged\r\xc2\x9b" "31m \xe2\x80\xae" "gnp.exe \xe2\x80\x8b\xf3\xa0\x81\xa1 \xff\xfe "
      "\xe4\xbd\xa0\xe5\xa5\xbd Authorization: Bearer s3cr3t-t0ken";
  return text;
}

inline model::Report hostile_report() {
  const std::string bad = hostile_text(), huge(1 << 20, 'w');
  model::Report report = demo_report();
  report.inputs[0].path = "logs/" + bad;
  report.inputs[0].reader = bad;
  report.inputs[0].books.malform(bad, 3);
  report.inputs[0].books.used -= 3;
  report.inputs[0].books.total -= 3;
  report.inputs[0].anomalies.add({bad, bad, demo_line(7), 4});
  report.inputs.push_back(report.inputs[0]);
  report.inputs[1].path = "other/" + huge.substr(0, 4000);
  report.inputs[1].error = bad;
  for (auto& session : report.sessions) session.key = session.id += bad, session.client_name = huge, session.protocol_version = bad;
  for (auto& tool : report.tools) tool.tool = bad + huge;
  for (auto& finding : report.findings) {
    finding.session = bad;
    finding.detail = huge;
    finding.tally = {{bad, 3}, {huge, 2}, {"\xff", 1}, {"c", 1}, {"d", 1}};
    finding.fault.reason = bad;
    for (auto& call : finding.calls) call.tool = bad, call.method = huge;
    for (auto& item : finding.evidence) item.text = bad, item.source.input = 9;
  }
  auto& incident = report.incidents[0];
  incident.title = bad + huge;
  incident.story = huge + bad;
  incident.fix = bad;
  incident.tools = {bad, huge};
  incident.notes = {bad, huge};
  incident.fault.contributing = {bad};
  for (auto& line : incident.picture) line.text = bad + huge;
  incident.picture[0].mark = '\x1b';
  report.rules.push_back({bad, model::RuleState::partly, bad, huge});
  report.notes = {bad};
  return report;
}

// Small enough to be kept as golden files: what each output language gives a meaning to, once in each place, and one text of 1 MB.
inline model::Report fixed_hostile_report() {
  const std::string ansi = "\x1b]8;;http://x.test\x07" "click\x1b[31m", markup = "</style></title><script>alert(1)</script><img src=x onerror='a'>&amp;\" onload=\"b";
  const std::string formula = "=HYPERLINK(\"http://x.test\",\"a\")", markdown = "[a](http://x.test) @team #1 `x` | ![i](u)", bidi = "\xe2\x80\xae" "fdp.exe\xe2\x80\xac\xe2\x80\x8b";
  const std::string braces = "{0} [link](1) \\ ]]> <!-- --", secret = "Authorization: Bearer s3cr3t-t0ken password=hunter2", huge(1 << 20, 'w');
  model::Report report = demo_report();
  report.inputs[0].path = "logs/" + markup + " " + bidi;
  report.inputs[0].books.ignore(formula, 1);
  report.inputs[0].anomalies.add({"cut-line", ansi + secret, demo_line(7), 4});
  report.sessions[0].key = report.sessions[0].id = "44d1\"><b>" + bidi;
  report.sessions[1].client_name = formula;
  report.tools[0].tool = markdown;
  report.tools[1].tool = markup;
  report.activity.rows[1].session = markup;
  report.findings[0].detail = formula;
  report.findings[0].evidence[0].text = secret + ' ' + huge;
  report.findings[0].evidence[1].text = ansi + markup;
  report.findings[0].calls[0].tool = formula;
  report.findings[1].tally = {{markdown, 70}, {formula, 3}};
  report.findings[2].fault.reason = braces;
  report.findings[3].session = "-1+1|cmd";
  report.incidents[0].title = markup + markdown;
  report.incidents[0].story = braces + ansi + "\xff\xfe";
  report.incidents[0].notes = {markdown, "@SUM(1)"};
  report.incidents[0].picture[1].text = markup + bidi;
  report.incidents[0].picture[3].text = ansi;
  report.rules[6].why = markup;
  report.notes = {secret, bidi};
  return report;
}

}  // namespace mcpscan::tests
