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

}  // namespace mcpscan::engine
