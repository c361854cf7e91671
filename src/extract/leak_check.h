// A last look at a shared bundle: none of the values that were replaced may stand in any byte of it, plain, URL-encoded or in base64. Short values
// count only where they stand alone. Reads the files as they lie there, after everything was written.
// Threads: one. Memory: one file at a time.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace mcpscan::extract {

// An Error that names the file when something is left; the value itself is not repeated.
Status check_for_leaks(const std::string& folder, const std::vector<std::string>& values);

// The forms under which `value` is looked for.
std::vector<std::string> forms_of(const std::string& value);

}  // namespace mcpscan::extract
