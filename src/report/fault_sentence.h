// A fault in words, the same in every report: "client (proven), server unguarded: REASON" where somebody let it happen, "server or gateway (weak):
// REASON" where it may have been either, "undetermined (server or gateway): REASON" where nobody is named before the others.
// Pure functions.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "model/finding.h"

namespace mcpscan::report {

// `safe` makes each text of the evidence fit for where the sentence goes.
std::string fault_sentence(const model::Fault& fault, const std::function<std::string(std::string_view)>& safe);

}  // namespace mcpscan::report
