#include "model/detector.h"

#include <cstdlib>

namespace mcpscan::model {

std::int64_t duration_parameter(const Parameters& parameters, const char* key, std::int64_t unit_us) {
  return static_cast<std::int64_t>(std::strtod(parameters.at(key).c_str(), nullptr) * static_cast<double>(unit_us));
}

bool one_input(const Parameters& parameters) { return parameters.at("inputs") == "one"; }

FindingCall finding_call(const Call& call) { return {call.id, call.method, call.target, call.requested_at, call.replied_at}; }

FindingCall call_of_key(std::string_view key) {
  FindingCall call;
  if (key.empty()) return call;
  const bool digits = key.find_first_not_of("0123456789") == std::string_view::npos;
  call.id.type = digits ? IdType::integer : IdType::string;
  call.id.value = key;
  call.id.raw = digits ? std::string(key) : '"' + std::string(key) + '"';
  return call;
}

Evidence evidence_of(const TimelineEvent& event) {
  return {event.source, event.observation ? std::string(event.observation->text) : std::string()};
}

Evidence evidence_of(const Call& call) { return {call.source, call.head}; }

}  // namespace mcpscan::model
