#include "engine/session_refusal.h"

#include <algorithm>

namespace mcpscan::engine {
namespace {

bool has_word(std::string_view text, std::string_view word) {
  return std::search(text.begin(), text.end(), word.begin(), word.end(), [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; }) != text.end();
}

}  // namespace

bool refuses_session(std::string_view method, unsigned status, std::string_view body) {
  if ((method == "GET" || method == "DELETE") && !tells_lost_session(body)) return false;
  if (status == 404) return !has_word(body, "-32601") && !has_word(body, "method not found");
  return status == 400 && (tells_lost_session(body) || has_word(body, "server not initialized"));
}

bool asked_before(const model::TimelineEvent& answered, Time refused) {
  const model::HttpFacts* http = answered.observation->http;
  Time asked = answered.exchange ? answered.exchange->requested_at : http ? http->started : Time{};
  if (!asked.known() && http && http->duration_us >= 0 && answered.at.known()) asked = {answered.at.us - http->duration_us};
  if (!asked.known()) return (answered.exchange ? std::string_view(answered.exchange->method) : http ? http->method : std::string_view()) == "GET";
  return refused.known() && asked < refused;
}

}  // namespace mcpscan::engine
