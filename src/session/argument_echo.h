// What a call's arguments say that a reply may repeat: the plain runs of its string values (and long numbers). Keys, short words and
// everything that escapes could change are left out. Bounded; reads a head of the message, so a cut text is fine.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mcpscan::session {

constexpr std::string_view kArgumentsKey = "\"arguments\"";

// Appends the tokens of `params.arguments` of a request's text.
void argument_tokens(std::string_view request_text, std::vector<std::string>& tokens);

// True when the token stands in the text as a word of its own.
bool stands_in(std::string_view token, std::string_view text);
bool any_stands_in(const std::vector<std::string>& tokens, std::string_view text);

constexpr std::size_t kEchoBytes = 1u << 18;  // head of a reply searched: what repeats arguments stands behind long texts as well

// Whether a reply says again something, or all, that the request said in its arguments; false where it said nothing that could be told apart.
bool repeats(std::string_view reply_text, std::string_view request_text);
bool repeats_all(std::string_view reply_text, std::string_view request_text);

}  // namespace mcpscan::session
