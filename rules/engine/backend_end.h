// Who ended a process that a gateway or client keeps, by the words of the one who tells of it: a signal asks it to end, an exit code
// is its own.
#pragma once

#include "model/finding.h"
#include "model/observation.h"

namespace mcpscan::engine {

struct BackendEnd {
  bool asked = false;   // by a signal that asks a process to end
  bool orderly = false;  // asked, or by itself and without an error
  bool dumped = false;  // by an exception that nobody caught, as its own runtime says: the process of the log itself, or one whose stderr goes there
  bool killed = false;  // by one that nobody can refuse: out of memory, or by hand
  model::Fault fault;
};

// `seen` is a notice backend_exited.
BackendEnd backend_end(const model::Observation& seen);

}  // namespace mcpscan::engine
