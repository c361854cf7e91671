// Whether a data file (dialect, rule) has to prove itself by its samples or tests when it is loaded.
#pragma once

#include <cstdint>

namespace mcpscan {

enum class Proof : std::uint8_t {
  asked,
  given,  // it is the program's own, whose tests have done that: neither read nor run
};

}  // namespace mcpscan
