// --format text: for a person at a terminal. Incidents first, worst first; every fact with its place; what was not judged
// is never left out.
#include "model/report_format.h"
#include "report/page.h"
#include "report/text_incident.h"
#include "report/text_overview.h"
#include "report/text_tables.h"
#include "report/wording.h"

namespace mcpscan::report {
namespace {

void write_text(const model::Report& report, const model::ReportOptions& options, model::ReportFormatEntry::Out out) {
  const ReportIndex index(report);
  Page page(options);
  const Wording wording(index, options.zone, [&](std::string_view raw) { return page.text(raw); }, [&](std::string_view raw) { return page.id(raw); });
  write_overview(page, index, wording);
  for (const model::Incident* incident : index.incidents()) write_incident(page, index, wording, *incident);
  write_lone_findings(page, index, wording);
  write_sessions(page, index, wording);
  write_tools(page, index, wording);
  write_input_problems(page, index, wording);
  write_coverage(page, index, wording);
  out(page.take());
}

}  // namespace

extern const model::ReportFormatEntry kFormatText;
const model::ReportFormatEntry kFormatText{"text", "txt", "for a person: incidents with their cause, sessions, tools, what was not judged", &write_text};

}  // namespace mcpscan::report
