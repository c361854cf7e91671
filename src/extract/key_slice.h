// Cuts a TLS key log down to the connections of an extract: only the lines whose client random was seen in one of them, each once.
// Pure function. Source: draft-ietf-tls-keylogfile section 2: LABEL CLIENT_RANDOM SECRET.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace mcpscan::extract {

// `randoms` in lower-case hex. Lines end in LF; an empty text when none fits.
std::string slice_keys(std::string_view key_log, const std::set<std::string>& randoms);

}  // namespace mcpscan::extract
