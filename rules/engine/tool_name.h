// look_of: how a tool's name looks to a reader: without characters that are not seen, and with letters of other scripts as the Latin ones
// they are mistaken for. Names that look alike have equal looks; case counts, since names differ by it on purpose.
// Source: Unicode TR 39, confusable detection; the letters that occur in identifiers.
#pragma once

#include <string>
#include <string_view>

namespace mcpscan::engine {

std::string look_of(std::string_view name);

}  // namespace mcpscan::engine
