#include "app/json_verdict.h"

#include <simdjson.h>

namespace mcpscan::app {

struct JsonVerdict::State {
  simdjson::dom::parser parser;
};

JsonVerdict::JsonVerdict() : state_(std::make_unique<State>()) {}
JsonVerdict::~JsonVerdict() = default;
JsonVerdict::JsonVerdict(JsonVerdict&&) noexcept = default;
JsonVerdict& JsonVerdict::operator=(JsonVerdict&&) noexcept = default;

bool JsonVerdict::is_json(std::string_view text) {
  // Odd texts are rare: the parser makes the padded copy it needs. A number of 23 digits is JSON, but not to simdjson.
  const simdjson::error_code error = state_->parser.parse(text.data(), text.size()).error();
  return error == simdjson::SUCCESS || error == simdjson::NUMBER_ERROR;
}

bool is_utf8(std::string_view text) { return simdjson::validate_utf8(text.data(), text.size()); }

}  // namespace mcpscan::app
