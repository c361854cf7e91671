// One spelling for a session's id: evidence writes the same id with dashes or without, in either case.
#pragma once

#include <string>
#include <string_view>

namespace mcpscan::model {

// Lower case without dashes where the text is a UUID or a hex string; else as it stands.
std::string normalise_session_id(std::string_view id);

// Whether `wanted`, as a person types it, names the session that a report calls `label`: in any spelling, or by the beginning of its id, six
// characters at least. A short id, and a label that is none (a connection, a process), is named by the whole of it.
bool names_session(std::string_view wanted, std::string_view label);

// Whether somebody put a word or a row of stars in the place of an id before the evidence was handed on. It names no session: all look the same.
bool is_masked_id(std::string_view id);

}  // namespace mcpscan::model
