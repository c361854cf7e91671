// Literals that logs print instead of JSON, written anew as the JSON they stand for: Python reprs (dicts, pydantic models),
// Node's util.inspect, Java records. Compact JSON without blanks, so that its digest meets that of the wire where the wire is
// compact too. Nothing that stands inside a quoted string can become a member. A member of the message itself that is None, null or
// undefined is left out, but for an id: models print absent members so.
// Java prints text unquoted: there the first of equal members and the nearest closing bracket count, and an id of digits is
// taken for a number.
// Never fails: what could be read is there, `end` tells how it ended. Bounds: the depth given; deeper values become null.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace mcpscan::app {

enum class LiteralEnd : std::uint8_t {
  whole,
  cut,     // the text ends inside the literal: so does the JSON
  broken,  // the literal breaks off in the middle of the text: so does the JSON
};

struct LiteralRead {
  std::size_t consumed = 0;  // bytes of the text that the literal took
  LiteralEnd end = LiteralEnd::whole;
  bool too_deep = false;     // values over the depth were left out
  bool elided = false;       // the printer left something out: [Object], ... 3 more items, Ellipsis
};

// Each appends to `json`.
LiteralRead python_to_json(std::string_view text, std::size_t max_depth, std::string& json);
LiteralRead js_to_json(std::string_view text, std::size_t max_depth, std::string& json);
LiteralRead java_to_json(std::string_view text, std::size_t max_depth, std::string& json);

}  // namespace mcpscan::app
