// One spelling for a session's id: evidence writes the same id with dashes or without, in either case.
#pragma once

#include <string>
#include <string_view>

namespace mcpscan::model {

// Lower case without dashes where the text is a UUID or a hex string; else as it stands.
std::string normalise_session_id(std::string_view id);

// Whether somebody put a word or a row of stars in the place of an id before the evidence was handed on. It names no session: all look the same.
bool is_masked_id(std::string_view id);

}  // namespace mcpscan::model
