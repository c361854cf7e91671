// The findings that a reader asked for, out of all there are: those of a session, a tool, a client, from a level on.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/finding.h"
#include "pipeline/report_assembly.h"

namespace mcpscan::pipeline {

// An incident of which something is wanted keeps its root; all else that is not wanted goes. What goes is told, and counts as left out where
// it names a fault: a report that hides one must not say that none was found.
// A tool or client that nothing here is of is told, too.
void choose_findings(const ReportRequest& asked, model::Report& report);

// An error where no source has such a session: a wrong id would look like a session without faults. Empty: none was asked for.
Status session_there(const std::string& session, const std::vector<std::unique_ptr<Source>>& sources);

}  // namespace mcpscan::pipeline
