#include "pipeline/failed_exchanges.h"

#include <fmt/format.h>

namespace mcpscan::pipeline {

namespace {

// 504 and 524 are gateway-timeout's, and those of the 4xx that lose a session or a call, or ask for a token, are other rules' or none.
bool is_unjudged(unsigned status) { return status == 403 || status == 413 || status == 429 || (status >= 500 && status < 600 && status != 504 && status != 524); }

std::string note_of(const std::string& server, std::uint64_t requests, const std::map<unsigned, std::uint64_t>& by_status, Time first) {
  std::string statuses;
  std::uint64_t failed = 0;
  for (const auto& [status, count] : by_status) {
    failed += count;
    statuses += fmt::format("{}{} x {}", statuses.empty() ? "" : ", ", count, status);
  }
  return fmt::format("{} of {} requests to {} got an error of HTTP and no message ({}){}. A status alone does not tell whose fault that is: the proxy's error log, the "
                     "server's log or a capture at the server would",
                     failed, requests, server.empty() ? "MCP paths" : server, statuses, first.known() ? ", the first at " + format_rfc3339(first) : std::string());
}

}  // namespace

void FailedExchanges::on_event(const model::TimelineEvent& event) {
  if (event.kind == model::EventKind::exchange_summary) {
    const model::HttpFacts& http = *event.observation->http;
    const bool told = http.end == model::EndReason::reset_by_server;  // connection-reset's
    if (!event.call && http.method == "POST") count({}, http.status, !told, event.at);
  } else if (event.kind == model::EventKind::exchange_closed && event.exchange->carries_request) {
    count(event.exchange->server, event.exchange->status, event.exchange->replies == 0, event.at);
  }
}

void FailedExchanges::count(std::string_view server, unsigned status, bool failed, Time at) {
  if (last_ == servers_.end() || last_->first != server) last_ = servers_.find(server);
  if (last_ == servers_.end()) {
    if (servers_.size() >= kServers) return;
    last_ = servers_.emplace(server, OfServer{}).first;
  }
  OfServer& of = last_->second;
  ++of.requests;
  if (!failed || !is_unjudged(status)) return;
  ++of.failed[status];
  if (at.known() && (!of.first.known() || at < of.first)) of.first = at;
}

std::vector<std::string> FailedExchanges::notes() const {
  std::vector<std::string> notes;
  for (const auto& [server, of] : servers_) {
    if (!of.failed.empty()) notes.push_back(note_of(server, of.requests, of.failed, of.first));
  }
  return notes;
}

}  // namespace mcpscan::pipeline
