// Reads a body and keeps what it gave, for tests that look at messages after they were delivered.
#pragma once

#include <string_view>
#include <vector>

#include "app/message_reader.h"

namespace mcpscan::tests {

struct ReadBody {
  Arena arena;
  std::vector<model::RpcMessage> messages;
  app::ReadOutcome outcome;
};

// Views in the messages point into `body` or into the arena that is kept beside them.
inline ReadBody read_body(std::string_view body, app::Codec codec = app::Codec::json, bool lenient = false,
                          const Limits& limits = {}) {
  ReadBody read;
  app::MessageReader reader(limits);
  read.outcome = reader.read(body, codec, lenient, read.arena,
                             [&](const model::RpcMessage& message) { read.messages.push_back(message); });
  return read;
}

}  // namespace mcpscan::tests
