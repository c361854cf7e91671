#include "pipeline/named_incident.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "base/data_file.h"

namespace mcpscan::pipeline {

using model::Incident;
using model::Report;

namespace {

constexpr std::size_t kIncidentsNamed = 8;

Error unknown_incident(const std::string& wanted, const std::string& where, const Report& report) {
  if (report.incidents.empty()) return {ErrorCode::not_found, "this evidence shows no incident", where, "'mcpscan INPUT...' tells what could not be judged, and why"};
  std::vector<std::string_view> ids;
  for (const Incident& incident : report.incidents) ids.push_back(incident.id);
  std::string list;
  for (std::size_t i = 0; i < report.incidents.size() && i < kIncidentsNamed; ++i) list += fmt::format("\n    {}  {}", report.incidents[i].id, report.incidents[i].title);
  if (ids.size() > kIncidentsNamed) list += fmt::format("\n    and {} more", ids.size() - kIncidentsNamed);
  const std::string nearest = did_you_mean(wanted, ids);
  return {ErrorCode::not_found, fmt::format("this evidence shows no incident '{}'", wanted), where, (nearest.starts_with("did you mean") ? nearest + " " : std::string()) + "it shows:" + list};
}

}  // namespace

Result<const Incident*> named_incident(const std::string& wanted, const std::string& where, const Report& report) {
  const Incident* found = nullptr;
  for (const Incident& incident : report.incidents) {
    if (incident.id == wanted || incident.root == wanted) return &incident;
    if (wanted.empty() || !incident.id.starts_with(wanted)) continue;
    if (found) return Error{ErrorCode::invalid_argument, fmt::format("more than one incident begins with '{}'", wanted), where, fmt::format("write {} or {}", found->id, incident.id)};
    found = &incident;
  }
  if (!found) return unknown_incident(wanted, where, report);
  return found;
}

}  // namespace mcpscan::pipeline
