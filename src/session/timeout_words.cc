#include "session/timeout_words.h"

#include <algorithm>
#include <iterator>

#include "base/ignoring_case.h"

namespace mcpscan::session {

bool tells_timeout(std::string_view reason) {
  constexpr std::string_view kWords[] = {"timed out", "timeout", "time out"};
  return std::any_of(std::begin(kWords), std::end(kWords), [&](std::string_view word) { return contains_ignoring_case(reason, word); });
}

}  // namespace mcpscan::session
