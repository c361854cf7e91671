#include "app/message_reader.h"

namespace mcpscan::app {

FoundBody find_body(std::string_view line) {
  const std::size_t at = line.find("{\"jsonrpc\"");
  return {at, Codec::json};
}

}  // namespace mcpscan::app
