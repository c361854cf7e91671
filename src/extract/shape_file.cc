#include "extract/shape_file.h"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "report/json_writer.h"

namespace mcpscan::extract {
namespace {

using Json = nlohmann::json;

constexpr const char* kForm = "mcpscan-reply-shapes/1";

bool take(const Json& row, model::ToolShape& shape) {
  const std::string tool = row.at("tool").get<std::string>();
  const auto [end, error] = std::from_chars(tool.data(), tool.data() + tool.size(), shape.tool, 16);
  if (error != std::errc() || end != tool.data() + tool.size()) return false;
  row.at("replies").get_to(shape.replies);
  const Json& features = row.at("features");
  if (!features.is_object()) return false;
  for (const auto& [feature, count] : features.items()) shape.features.emplace_back(feature, count.get<std::uint32_t>());
  return true;
}

}  // namespace

std::string write_shapes(const std::vector<model::ToolShape>& shapes) {
  report::JsonWriter json;
  json.begin_object(report::JsonWriter::Form::lines).key("form").text(kForm);
  json.key("tools").begin_list(report::JsonWriter::Form::lines);
  for (const model::ToolShape& shape : shapes) {
    json.begin_object().key("tool").text(fmt::format("{:016x}", shape.tool)).key("replies").number(std::uint64_t{shape.replies}).key("features").begin_object();
    for (const auto& [feature, count] : shape.features) json.key(feature).number(std::uint64_t{count});
    json.end_object().end_object();
  }
  json.end_list().end_object();
  return json.take() + '\n';
}

Result<std::vector<model::ToolShape>> read_shapes(std::string_view text, const std::string& name) {
  const Error broken{ErrorCode::malformed, "this does not tell how replies look", name, "take the line \"shapes\" out of the manifest: then shapes are learned from the bundle alone"};
  std::vector<model::ToolShape> shapes;
  try {
    const Json json = Json::parse(text);
    if (json.at("form").get<std::string>() != kForm) return broken;
    for (const Json& row : json.at("tools")) {
      if (!take(row, shapes.emplace_back())) return broken;
    }
  } catch (const Json::exception&) {
    return broken;
  }
  return shapes;
}

}  // namespace mcpscan::extract
