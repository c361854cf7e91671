#include "model/media_type.h"

#include "base/ignoring_case.h"

namespace mcpscan::model {

bool is_json_type(std::string_view content_type) { return content_type.starts_with("application/json") || contains_ignoring_case(content_type, "json"); }

OtherBody other_body(std::string_view content_type) {
  if (content_type.empty() || is_json_type(content_type)) return OtherBody::none;
  if (content_type.starts_with("text/event-stream") || contains_ignoring_case(content_type, "event-stream")) return OtherBody::none;
  return contains_ignoring_case(content_type, "html") ? OtherBody::page : OtherBody::foreign;
}

}  // namespace mcpscan::model
