// The members of one JSON-RPC object as simdjson's DOM sees them: the yardstick that the skipper is compared with. Written apart
// from the reader on purpose; only for whole, sound JSON.
#pragma once

#include <simdjson.h>

#include <optional>
#include <string>

#include "model/rpc_message.h"

namespace mcpscan::tests {

struct DomMessage {
  model::MessageKind kind = model::MessageKind::invalid;
  model::IdType id_type = model::IdType::absent;
  std::string id_text;  // decoded string; integers in decimal; else empty
  bool version_member = false, version_right = false;
  std::string method, name, request_id, protocol_version, error_message;
  std::int64_t error_code = 0;
  std::size_t result_members = 0;
  bool params_in_string = false;  // the reader looks into such a string, the DOM does not
};

inline std::string dom_text(simdjson::simdjson_result<simdjson::dom::element> element) {
  std::string_view text;
  return element.get(text) == simdjson::SUCCESS ? std::string(text) : std::string();
}

inline model::IdType dom_id(simdjson::dom::element id, std::string& text) {
  switch (id.type()) {
    case simdjson::dom::element_type::INT64: text = std::to_string(std::int64_t(id)); return model::IdType::integer;
    case simdjson::dom::element_type::UINT64: text = std::to_string(std::uint64_t(id)); return model::IdType::integer;
    case simdjson::dom::element_type::DOUBLE: return model::IdType::fraction;
    case simdjson::dom::element_type::STRING: text = std::string(std::string_view(id)); return model::IdType::string;
    case simdjson::dom::element_type::NULL_VALUE: return model::IdType::null;
    default: return model::IdType::other;
  }
}

inline model::MessageKind dom_kind(simdjson::dom::object object) {
  std::string_view method;
  if (object["method"].get(method) == simdjson::SUCCESS) {
    return object["id"].error() == simdjson::SUCCESS ? model::MessageKind::request : model::MessageKind::notification;
  }
  if (object["result"].error() == simdjson::SUCCESS) return model::MessageKind::result;
  return object["error"].error() == simdjson::SUCCESS ? model::MessageKind::error : model::MessageKind::invalid;
}

inline DomMessage dom_message(simdjson::dom::object object) {
  DomMessage message;
  message.kind = dom_kind(object);
  simdjson::dom::element id;
  if (object["id"].get(id) == simdjson::SUCCESS) message.id_type = dom_id(id, message.id_text);
  message.version_member = object["jsonrpc"].error() == simdjson::SUCCESS;
  message.version_right = dom_text(object["jsonrpc"]) == "2.0";
  message.method = dom_text(object["method"]);
  message.params_in_string = object["params"].is_string();
  message.name = dom_text(object["params"]["name"]);
  simdjson::dom::element request;
  if (object["params"]["requestId"].get(request) == simdjson::SUCCESS) dom_id(request, message.request_id);
  message.protocol_version = dom_text(object["params"]["protocolVersion"]);
  message.error_message = dom_text(object["error"]["message"]);
  if (object["error"]["code"].get(message.error_code) != simdjson::SUCCESS) message.error_code = 0;
  simdjson::dom::object result;
  if (object["result"].get(result) == simdjson::SUCCESS) message.result_members = result.size();
  return message;
}

}  // namespace mcpscan::tests
