// mcpscan formats explain FILE: which reader takes a file and why the others do not, the runner-up among the dialects, and the first line
// nothing understood. Looks at the head of a log as a scan does before it begins; any other input is read as a whole.
#pragma once

#include <string>

#include "cli/exit_code.h"

namespace mcpscan::cli {

struct FormatsCommand {
  std::string dialect_dir, path, time_zone = "UTC";
};

ExitCode explain_file(const FormatsCommand& command);

}  // namespace mcpscan::cli
