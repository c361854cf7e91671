// What the program's exit status says.
#pragma once

namespace mcpscan::cli {

enum class ExitCode : int {
  nothing = 0,   // nothing at or above --fail-on
  findings = 1,
  usage = 2,     // wrong usage, or an input that the user named cannot be opened or read at all
};

}  // namespace mcpscan::cli
