// make_sound: a copy of a JSON text that every parser takes: bytes that are not UTF-8 become '?', control bytes become blanks. The
// length stays, so that places in the copy are places in the text. Source: RFC 8259 sections 7 and 8.1; Unicode 15 table 3-7.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mcpscan::ingest {

// `padding`: blanks behind the copy.
void make_sound(std::string_view text, std::size_t padding, std::string& copy);

}  // namespace mcpscan::ingest
