#include "model/session_id.h"

#include <algorithm>

namespace mcpscan::model {
namespace {

bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

}  // namespace

std::string normalise_session_id(std::string_view id) {
  const auto digits = static_cast<std::size_t>(std::count_if(id.begin(), id.end(), is_hex));
  const auto dashes = static_cast<std::size_t>(std::count(id.begin(), id.end(), '-'));
  if (digits < 16 || digits + dashes != id.size()) return std::string(id);
  std::string text;
  text.reserve(digits);
  for (const char c : id) {
    if (c != '-') text += static_cast<char>(c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c);
  }
  return text;
}

}  // namespace mcpscan::model
