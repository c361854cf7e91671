#include "pipeline/failed_exchanges.h"

#include <fmt/format.h>

namespace mcpscan::pipeline {

namespace {

// 504 and 524 are gateway-timeout's, and those of the 4xx that lose a session or a call are other rules'.
bool is_unjudged(unsigned status) { return status == 429 || (status >= 500 && status < 600 && status != 504 && status != 524); }

}  // namespace

void FailedExchanges::on_event(const model::TimelineEvent& event) {
  if (event.kind != model::EventKind::exchange_summary || event.call || event.observation->http->method != "POST") return;
  const model::HttpFacts& http = *event.observation->http;
  ++requests_;
  const bool told = http.end == model::EndReason::reset_by_server;  // connection-reset's
  if (told || !is_unjudged(http.status)) return;
  ++failed_[http.status];
  if (event.at.known() && (!first_.known() || event.at < first_)) first_ = event.at;
}

std::optional<std::string> FailedExchanges::note() const {
  std::string statuses;
  std::uint64_t failed = 0;
  for (const auto& [status, count] : failed_) {
    failed += count;
    statuses += fmt::format("{}{} x {}", statuses.empty() ? "" : ", ", count, status);
  }
  if (failed == 0) return std::nullopt;
  return fmt::format("{} of {} requests to MCP paths got an error of HTTP ({}){}. A status alone does not tell whose fault that is: the proxy's error log, the server's "
                     "log or a capture of that time would",
                     failed, requests_, statuses, first_.known() ? ", the first at " + format_rfc3339(first_) : std::string());
}

}  // namespace mcpscan::pipeline
