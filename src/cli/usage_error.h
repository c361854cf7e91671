// usage_error: what the option parser refused, said as all errors of the program are: where, what, how to put it right.
// Not here: the checks that need the program's data (an unknown rule or dialect), which the commands make themselves.
#pragma once

#include <CLI/CLI.hpp>

#include "base/result.h"

namespace mcpscan::cli {

// `app` is the whole program, after its parse() has thrown `refused`.
Error usage_error(CLI::App& app, const CLI::ParseError& refused);

}  // namespace mcpscan::cli
