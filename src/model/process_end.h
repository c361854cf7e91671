// How a process that a gateway or client keeps ended, by the words of the one who tells of it: a signal asks it to end, an exit code is its own.
#pragma once

#include <string_view>

#include "model/observation.h"

namespace mcpscan::model {

// The word as told; empty for what languages print of nothing.
std::string_view told_of_end(std::string_view word);

// Of a notice backend_exited: by a signal that asks a process to end, and that or by itself without an error.
bool asked_to_end(const Notice& notice);
bool ended_orderly(const Notice& notice);

}  // namespace mcpscan::model
