#include "pipeline/vantage_join.h"

#include <algorithm>
#include <map>
#include <string>

#include "session/session_table.h"

namespace mcpscan::pipeline {

using engine::BookedFinding;
using model::Party;
using model::SessionRow;

namespace {

// One source's view of a session.
struct View {
  Source* source = nullptr;
  const SessionRow* row = nullptr;
};

std::int64_t mean_latency(const SessionRow& row) { return row.paired == 0 ? -1 : row.answered_us / static_cast<std::int64_t>(row.paired); }

bool is_of(const BookedFinding& booked, const std::string& session) { return session::normalise_session_id(booked.finding.session) == session; }

bool has_finding(Source& source, const std::string& rule, const std::string& session) {
  const auto& all = source.engine.book().findings();
  return std::any_of(all.begin(), all.end(), [&](const BookedFinding& booked) { return booked.finding.rule == rule && is_of(booked, session); });
}

// Whole enough to speak for the hop: no hole, and no fewer requests than the client's side sent.
bool is_whole(const View& inner, const View& outer, const std::string& session) {
  return !has_finding(*inner.source, "capture-gap", session) && inner.row->counts.requests >= outer.row->counts.requests;
}

void judge(const View& outer, const View& inner, const std::string& session) {
  if (!is_whole(inner, outer, session)) return;
  for (BookedFinding& booked : outer.source->engine.book().findings()) {
    model::Fault& fault = booked.finding.fault;
    if (!is_of(booked, session) || fault.party != Party::server) continue;
    if (has_finding(*inner.source, booked.finding.rule, session)) {
      fault.certainty = model::Certainty::proven;
      fault.contributing.clear();
      fault.reason += "; behind the gateway it was wrong already";
      continue;
    }
    fault = {Party::gateway, model::Certainty::proven, {}, "at the wire behind it the same calls were answered right: the first wrong record is on this side"};
  }
}

}  // namespace

void name_first_divergence(const std::vector<std::unique_ptr<Source>>& sources) {
  std::map<std::string, std::vector<View>> views;
  for (const auto& source : sources) {
    if (!source->wire) continue;
    for (const SessionRow& row : source->tracker.rows()) {
      if (!row.id.empty() && row.paired > 0) views[session::normalise_session_id(row.id)].push_back({source.get(), &row});
    }
  }
  for (auto& [session, seen] : views) {
    // A call takes longer the farther from the server it is watched; that needs no common clock.
    std::sort(seen.begin(), seen.end(), [](const View& a, const View& b) { return mean_latency(*a.row) > mean_latency(*b.row); });
    for (std::size_t i = 0; i + 1 < seen.size(); ++i) judge(seen[i], seen[i + 1], session);
  }
}

}  // namespace mcpscan::pipeline
