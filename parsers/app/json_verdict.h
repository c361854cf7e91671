// JsonVerdict: simdjson's word on whether a text is JSON, for texts that the skipper found odd. Owns the parser and its padded
// copy. Not thread-safe.
#pragma once

#include <memory>
#include <string_view>

namespace mcpscan::app {

class JsonVerdict {
 public:
  JsonVerdict();
  ~JsonVerdict();
  JsonVerdict(JsonVerdict&&) noexcept;
  JsonVerdict& operator=(JsonVerdict&&) noexcept;

  // True when `text` is one JSON value and nothing else.
  bool is_json(std::string_view text);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

bool is_utf8(std::string_view text);

}  // namespace mcpscan::app
