// What a bundle keeps of how tools' replies look, where the judgement rests on it: learned from all of the evidence, of which the bundle holds a
// part. JSON; it comes from somebody else, so sizes are bounded and what cannot be read is an Error. Threads: pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/tool_shape.h"

namespace mcpscan::extract {

constexpr const char* kShapesName = "reply-shapes.json";

std::string write_shapes(const std::vector<model::ToolShape>& shapes);
// `name`: of the file, for the error.
Result<std::vector<model::ToolShape>> read_shapes(std::string_view text, const std::string& name);

}  // namespace mcpscan::extract
