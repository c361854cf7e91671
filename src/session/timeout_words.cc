#include "session/timeout_words.h"

#include <algorithm>
#include <iterator>

namespace mcpscan::session {

bool tells_timeout(std::string_view reason) {
  constexpr std::string_view kWords[] = {"timed out", "timeout", "time out"};
  return std::any_of(std::begin(kWords), std::end(kWords), [&](std::string_view word) {
    return std::search(reason.begin(), reason.end(), word.begin(), word.end(), [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; }) != reason.end();
  });
}

}  // namespace mcpscan::session
