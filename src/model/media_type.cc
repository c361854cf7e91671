#include "model/media_type.h"

#include <algorithm>

namespace mcpscan::model {
namespace {

bool names(std::string_view type, std::string_view word) {
  return std::search(type.begin(), type.end(), word.begin(), word.end(), [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; }) != type.end();
}

}  // namespace

bool is_json_type(std::string_view content_type) { return content_type.starts_with("application/json") || names(content_type, "json"); }

OtherBody other_body(std::string_view content_type) {
  if (content_type.empty() || is_json_type(content_type)) return OtherBody::none;
  if (content_type.starts_with("text/event-stream") || names(content_type, "event-stream")) return OtherBody::none;
  return names(content_type, "html") ? OtherBody::page : OtherBody::foreign;
}

}  // namespace mcpscan::model
