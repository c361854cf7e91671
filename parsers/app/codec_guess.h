// Tells a body's codec by its first bytes. Pure function.
#pragma once

#include <string_view>

#include "app/message_reader.h"

namespace mcpscan::app {

// Never Codec::automatic; json when nothing else fits.
Codec codec_of(std::string_view body);

}  // namespace mcpscan::app
