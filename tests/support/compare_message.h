// Compares what the reader made of a text with what simdjson's DOM says of it; the first difference in words, empty if none.
#pragma once

#include <string>
#include <string_view>

#include "support/dom_message.h"
#include "support/read_messages.h"

namespace mcpscan::tests {

inline std::string compare_fields(const model::RpcMessage& ours, const DomMessage& dom) {
  if (ours.kind != dom.kind) return "kind";
  if (ours.id.type != dom.id_type) return "id type";
  if (ours.id.type == model::IdType::string && ours.id.value != dom.id_text) return "id text";
  if (ours.id.type == model::IdType::integer && ours.id.value != dom.id_text && ours.id.value != "-0") return "id number";
  const bool excused = dom.params_in_string && !dom.version_member;
  if (((ours.defects & model::kNoVersion) == 0) != (dom.version_right || excused)) return "version";
  const bool call = ours.kind == model::MessageKind::request || ours.kind == model::MessageKind::notification;
  if (call && ours.method != dom.method) return "method";
  if (dom.params_in_string) return {};
  if (call && ours.method == "tools/call" && ours.target != dom.name) return "name";
  if (ours.method == "notifications/cancelled" && ours.related.type == model::IdType::string && ours.related.value != dom.request_id) {
    return "requestId";
  }
  if (ours.method == "initialize" && dom.result_members == 0 && ours.protocol_version != dom.protocol_version) return "protocolVersion";
  if (ours.kind == model::MessageKind::error && ours.reason != dom.error_message) return "error message";
  if (ours.kind == model::MessageKind::error && dom.error_code != 0 && ours.error_code != dom.error_code) return "error code";
  if (dom.result_members == 0 && ours.kind == model::MessageKind::result && (ours.result_keys & ~model::kResultNotObject) != 0) return "result keys";
  return {};
}

// `text` as a whole, codec json, lenient.
inline std::string compare_with_dom(std::string_view text) {
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  const auto error = parser.parse(text.data(), text.size()).get(root);
  const ReadBody read = read_body(text, app::Codec::json, true);
  // simdjson looks at all of the text, the reader at its first value.
  if (error == simdjson::UTF8_ERROR && read.outcome.consumed == text.size() && !read.messages.empty()) {
    const bool said = (read.messages.back().defects & (model::kRepairedText | model::kNotJson | model::kTruncated)) != 0;
    return said ? "" : "invalid UTF-8 passed unseen";
  }
  if (error != simdjson::SUCCESS) return {};
  if (read.outcome.malformed || read.outcome.consumed > text.size()) return "sound JSON called malformed";
  if (read.outcome.truncated && text.find("chars truncated]...") == std::string_view::npos) return "whole JSON called truncated";
  simdjson::dom::object object;
  if (root.get(object) != simdjson::SUCCESS) return {};
  const DomMessage dom = dom_message(object);
  if (read.messages.empty()) return dom.version_member ? "message not delivered" : "";
  if ((read.messages[0].defects & (model::kTruncated | model::kTooDeep)) != 0) return {};
  return compare_fields(read.messages[0], dom);
}

}  // namespace mcpscan::tests
