// Spelling: "did you mean" for words of data files. Small lists only (the cost is words times letters squared).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mcpscan::ingest {

// "did you mean 'x'?", else the list of what is known; never empty for a list that is not.
std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& known);

}  // namespace mcpscan::ingest
