#include "engine/session_refusal.h"

#include <algorithm>
#include <iterator>

#include "base/ignoring_case.h"

namespace mcpscan::engine {
namespace {

struct Cause {
  std::int64_t code;
  std::string_view digits;
};
// Source: JSON-RPC 2.0 section 5.1; MCP 2025-11-25 server/resources "Error Handling".
constexpr Cause kMethodNotFound{-32601, "-32601"}, kOthers[] = {{-32602, "-32602"}, {-32002, "-32002"}};

}  // namespace

bool is_page(std::string_view body) {
  const std::size_t at = body.find_first_not_of(" \t\r\n");
  return at != std::string_view::npos && body[at] == '<';
}

bool says_not_initialized(std::string_view text) { return contains_ignoring_case(text, "server not initialized"); }

bool refuses_session(std::string_view method, unsigned status, std::string_view body) {
  if ((method == "GET" || method == "DELETE") && !tells_lost_session(body)) return false;
  if (status == 404 && (contains_ignoring_case(body, kMethodNotFound.digits) || contains_ignoring_case(body, "method not found"))) return false;
  if (status == 404 && is_page(body)) return tells_lost_session(body);
  if (status == 404) return tells_lost_session(body) || says_not_initialized(body) || std::none_of(std::begin(kOthers), std::end(kOthers), [&](const Cause& other) { return contains_ignoring_case(body, other.digits); });
  if (status < 300) return tells_lost_session(body);  // by a server that has no status for it
  return status == 400 && (tells_lost_session(body) || says_not_initialized(body));
}

bool names_another_cause(std::int64_t error_code) {
  return error_code == kMethodNotFound.code || std::any_of(std::begin(kOthers), std::end(kOthers), [&](const Cause& other) { return other.code == error_code; });
}

bool asked_before(const model::TimelineEvent& answered, Time refused) {
  const model::HttpFacts* http = answered.observation->http;
  Time asked = answered.exchange ? answered.exchange->requested_at : http ? http->started : Time{};
  if (!asked.known() && http && http->duration_us >= 0 && answered.at.known()) asked = {answered.at.us - http->duration_us};
  if (!asked.known()) return (answered.exchange ? std::string_view(answered.exchange->method) : http ? http->method : std::string_view()) == "GET";
  return refused.known() && asked < refused;
}

}  // namespace mcpscan::engine
