// Which result belongs to which method, told by required members (open objects: extra members are always allowed).
#pragma once

#include <cstdint>
#include <string_view>

namespace mcpscan::session {

// True when a result with these members (model::ResultKey bits) could answer `method`; unknown methods take anything.
bool result_fits(std::string_view method, std::uint32_t result_keys);
// True when `method` is known to require members.
bool method_requires_keys(std::string_view method);

}  // namespace mcpscan::session
