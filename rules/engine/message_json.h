// MessageJson: the members of one message that the observation does not carry, read when a detector wants them. Nothing is read of texts
// that are cut, damaged or larger than kMost: a detector then judges nothing. The last message read stays until the next one.
// Threads: none. Bound: one copy of the text.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/rpc_message.h"

namespace mcpscan::engine {

class MessageJson {
 public:
  using Element = simdjson::dom::element;

  // False when there is nothing to read.
  bool read(const model::RpcMessage& message);

  // Members of what was read, by RFC 6901 pointer; none for another type.
  std::optional<Element> at(std::string_view pointer) const;
  std::string_view text(std::string_view pointer) const;  // empty: none
  std::optional<double> number(std::string_view pointer) const;
  // A string or integer member, as an id.
  model::OwnedId id(std::string_view pointer) const;

  // The same for objects with the same members in another order, and for numbers written in another way.
  static std::uint64_t digest(const Element& element);

 private:
  static constexpr std::size_t kMost = 4u << 20;

  simdjson::dom::parser parser_;
  Element root_;
};

}  // namespace mcpscan::engine
