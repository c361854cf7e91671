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
  // Odd texts are rare: the parser makes the padded copy it needs.
  return state_->parser.parse(text.data(), text.size()).error() == simdjson::SUCCESS;
}

bool is_utf8(std::string_view text) { return simdjson::validate_utf8(text.data(), text.size()); }

}  // namespace mcpscan::app
