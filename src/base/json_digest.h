// json_digest(): of what a JSON text says: neither blanks between its tokens nor how a character of a string is written count, the order of
// members does. Threads: pure function. Source: RFC 8259.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/arena.h"

namespace mcpscan {

// hash_bytes() of the text where it has no blanks between its tokens and no backslashes. 0: no text. Takes room of `arena`.
std::uint64_t json_digest(std::string_view json, Arena& arena);

}  // namespace mcpscan
