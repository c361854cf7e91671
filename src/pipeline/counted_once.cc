#include "pipeline/counted_once.h"

#include <algorithm>

#include "model/session_id.h"

namespace mcpscan::pipeline {

std::string CountedOnce::reported(const std::string& label) const {
  const auto known = names_.find(label);
  return known == names_.end() ? label : known->second;
}

void CountedOnce::look_at(const std::vector<PlacedTraffic>& rows) {
  for (const auto& [row, server] : rows) {
    Seen& seen = hops_[model::normalise_session_id(reported(row.session))][{row.session, server}];
    seen.requests += row.counts.requests;
    seen.answered_us += row.counts.answered_us;
  }
}

std::vector<model::TrafficRow> CountedOnce::rows_of(std::vector<PlacedTraffic> rows) const {
  std::vector<model::TrafficRow> list;
  for (auto& [row, server] : rows) {
    const Hop hop{row.session, server};
    row.session = reported(row.session);
    const auto hops = hops_.find(model::normalise_session_id(row.session));
    const auto most = [&] { return std::max_element(hops->second.begin(), hops->second.end(), [](const auto& a, const auto& b) { return a.second < b.second; }); };
    if (row.session.empty() || hops == hops_.end() || hops->second.size() < 2 || most()->first == hop) list.push_back(std::move(row));
  }
  return list;
}

void count_no_more(const std::map<std::string, std::uint64_t>& reported, std::map<std::string, std::uint64_t>& counted, std::vector<model::OccurrenceRow>& rows) {
  std::erase_if(rows, [&](model::OccurrenceRow& row) {
    const auto most = reported.find(row.finding);
    if (most == reported.end()) return false;
    std::uint64_t& before = counted[row.finding];
    row.count = std::min(row.count, most->second - std::min(most->second, before));
    before += row.count;
    return row.count == 0;
  });
}

}  // namespace mcpscan::pipeline
