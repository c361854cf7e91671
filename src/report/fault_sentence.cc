#include "report/fault_sentence.h"

#include <fmt/format.h>

#include <vector>

#include "model/rivals.h"

namespace mcpscan::report {

std::string fault_sentence(const model::Fault& fault, const std::function<std::string(std::string_view)>& safe) {
  std::vector<std::string> others;
  for (const std::string& other : fault.contributing) others.push_back(safe(other));
  std::string text(fault.party == model::Party::unknown ? "undetermined" : model::to_string(fault.party));
  if (fault.party == model::Party::unknown) {
    if (!others.empty()) text += fmt::format(" ({})", fmt::join(others, " or "));
  } else if (model::names_rivals(fault)) {
    text += fmt::format(" or {} ({})", fmt::join(others, " or "), model::to_string(fault.certainty));
  } else {
    text += fmt::format(" ({})", model::to_string(fault.certainty));
    for (const std::string& other : others) text += ", " + other + (other.find(' ') == std::string::npos ? " unguarded" : "");
  }
  return text + (fault.reason.empty() ? std::string(".") : ": " + safe(fault.reason));
}

}  // namespace mcpscan::report
