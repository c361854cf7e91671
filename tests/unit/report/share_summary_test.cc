#include <catch2/catch.hpp>

#include "report/share.h"
#include "report/summary_format_registry.h"

using namespace mcpscan;

namespace {

constexpr std::string_view kSession = "oslo-desk-7", kAddress = "203.0.113.77", kHost = "gw1.corp.example.org";

// Names stand in every text that a run takes from evidence.
model::Summary summary_with_names() {
  const std::string named = "session " + std::string(kSession) + " of " + std::string(kAddress) + " at https://" + std::string(kHost) + "/mcp";
  model::Summary summary;
  summary.has_evidence = true;
  summary.to = {kDay};
  summary.from = {0};
  model::SummaryIncident incident;
  incident.id = "inc-7f3a9c";
  incident.rule = "lost-reply";
  incident.title = incident.story = incident.client = incident.fault.reason = named;
  incident.fault.contributing = {named};
  incident.place = "/srv/" + std::string(kHost) + "/gateway.log:12";
  incident.first = incident.last = {0};
  summary.incident_list.push_back(incident);
  model::SummaryRow row;
  row.name = named;
  for (auto* list : {&summary.clients, &summary.servers}) list->rows.push_back(row);
  row.name = kSession;
  summary.session_list.rows.push_back(row);
  row.name = "render_chart";
  summary.tools.rows.push_back(row);
  summary.offenders.push_back({model::Party::client, named, model::Certainty::proven, model::Certainty::weak, 1, 1});
  summary.not_judged.push_back({"late-reply", model::RuleState::partly, named, named});
  summary.problems.push_back({"/home/" + std::string(kHost) + "/gateway.log", "cut", named, 1});
  return summary;
}

}  // namespace

TEST_CASE("A shared summary names no session, address, host or folder in any format, and still tells tools and files") {
  model::Summary summary = summary_with_names();
  report::Pseudonyms names;
  report::pseudonymise(summary, names);
  for (const auto* format : report::registered_summary_formats()) {
    INFO(format->name);
    const std::string text = format->write(summary, {});
    for (const std::string_view name : {kSession, kAddress, kHost, std::string_view("/srv/"), std::string_view("/home/"), std::string_view("7f3a9c")}) {
      CHECK(text.find(name) == std::string::npos);
    }
    CHECK(text.find("gateway.log") != std::string::npos);
    CHECK(text.find("chart") != std::string::npos);  // Markdown escapes the line under
  }
}

TEST_CASE("A session has one stand-in in the whole of a shared summary, of its own length") {
  model::Summary summary = summary_with_names();
  report::Pseudonyms names;
  report::pseudonymise(summary, names);
  const std::string& stand_in = summary.session_list.rows[0].name;
  CHECK(stand_in.size() == kSession.size());
  CHECK(summary.incident_list[0].story.find(stand_in) != std::string::npos);
  CHECK(summary.problems[0].text.find(stand_in) != std::string::npos);
}
