// Reads a body and keeps what it gave, for tests that look at messages after they were delivered.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/message_reader.h"

namespace mcpscan::tests {

struct ReadBody {
  std::unique_ptr<const std::string> body;  // what the messages' views point into, beside the arena
  Arena arena;
  std::vector<model::RpcMessage> messages;
  app::ReadOutcome outcome;
};

inline ReadBody read_body(std::string_view text, app::Codec codec = app::Codec::json, bool lenient = false,
                          const Limits& limits = {}) {
  ReadBody read;
  read.body = std::make_unique<const std::string>(text);
  app::MessageReader reader(limits);
  read.outcome = reader.read(*read.body, codec, lenient, read.arena,
                             [&](const model::RpcMessage& message) { read.messages.push_back(message); });
  return read;
}

}  // namespace mcpscan::tests
