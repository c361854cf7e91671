// Files that the user brings beside the evidence (dialects, rules, key logs), read whole, and the data files of a folder in a fixed order.
// Not for evidence: that is read in blocks (parsers/ingest). Throws nothing.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace mcpscan {

// The whole file; an Error for what is missing, a folder, or cannot be read.
Result<std::string> read_text_file(const std::string& path);

// The .yml and .yaml files below a folder, in byte order of their paths; a path that is no folder stands for itself.
Result<std::vector<std::string>> data_files(const std::string& path);

}  // namespace mcpscan
