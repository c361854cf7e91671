// Whether the reason of a cancel says that the client had waited for too long, rather than that nobody wants the reply any more. Clients word
// it as they like. Threads: pure function.
#pragma once

#include <string_view>

namespace mcpscan::session {

bool tells_timeout(std::string_view reason);

}  // namespace mcpscan::session
