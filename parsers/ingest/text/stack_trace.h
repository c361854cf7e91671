// The line of a stack trace that says what happened: Python's last one (of an exception group: of the innermost exception), Java's deepest
// cause. A logger prints it below words of its own, which say only that something failed.
#pragma once

#include <string_view>

namespace mcpscan::ingest {

// From the exception's name on ("mcp.shared.exceptions.McpError: Session terminated"); empty where the text holds no stack trace. Looks at
// no more than kStackLines lines from the end.
inline constexpr int kStackLines = 400;
std::string_view error_of_stack(std::string_view text);

}  // namespace mcpscan::ingest
