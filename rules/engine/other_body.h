// Whose fault it is that a response came which holds no message: the content type and the lost reply are one thing, told alike.
// Threads: pure function.
#pragma once

#include <string>
#include <utility>

#include "model/finding.h"
#include "model/media_type.h"

namespace mcpscan::engine {

// `otherwise`: what is told of a body that is no page.
inline model::Fault fault_of(model::OtherBody body, std::string otherwise) {
  if (body == model::OtherBody::page) return {model::Party::gateway, model::Certainty::weak, {"server"}, "a page came where an answer was due: proxies send such pages"};
  return {model::Party::server, model::Certainty::strong, {}, std::move(otherwise)};
}

}  // namespace mcpscan::engine
