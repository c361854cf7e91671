// The escapes of JSON strings, and what they stand for in UTF-8. Pure functions; nothing is allocated. Source: RFC 8259 section 7.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace mcpscan {

// Decodes from the front of `content` what fits into `room`, and takes it off; the bytes written. A room of 4 bytes or more gets on. A bad
// escape stays as it stands, a lone surrogate becomes U+FFFD.
std::size_t decode_piece(std::string_view& content, std::span<char> room);

// Where the content of a JSON string ends: the first quote that is not escaped, or the end.
std::size_t string_content_end(std::string_view text);

// Writes the code point as UTF-8, surrogates as U+FFFD; the bytes written (at most 4).
std::size_t put_utf8(std::uint32_t code_point, char* to);

// The code unit of \uXXXX at the start of `text`, -1 if there is none.
int unicode_escape(std::string_view text);
bool is_high_surrogate(int unit);
bool is_low_surrogate(int unit);

}  // namespace mcpscan
