// The program's version, from the build.
#pragma once

namespace mcpscan {
inline constexpr const char* kVersion = MCPSCAN_VERSION;
}  // namespace mcpscan
