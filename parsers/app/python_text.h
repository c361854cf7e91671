// Python bytes literals, b'...' and b"...", as logs show them: their content with the escapes undone, in the arena.
// Source: Python language reference section 2.4.1 (bytes literals), repr().
#pragma once

#include <cstddef>
#include <string_view>

#include "base/arena.h"

namespace mcpscan::app {

struct PythonBytes {
  std::string_view content;
  std::size_t consumed = 0;  // bytes of the literal, quotes included
  bool closed = false;       // false: the text ends before the literal does
  bool found = false;        // false: no bytes literal here
};

// The literal at the start of `text`, leading blanks skipped. An unknown escape stays as it stands, as in Python.
PythonBytes unescape_python_bytes(std::string_view text, Arena& arena);

}  // namespace mcpscan::app
