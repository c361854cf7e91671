#include "extract/shape_file.h"

#include <catch2/catch.hpp>

using namespace mcpscan;
using extract::read_shapes;
using extract::write_shapes;

TEST_CASE("Shapes are read back as they were written, digests of all 64 bits and quotes included") {
  const std::vector<model::ToolShape> shapes{{0xfedcba9876543210, 40, {{"text begins \"a\\b", 7}, {"text: object", 40}}}, {1, 0, {}}};
  const auto back = read_shapes(write_shapes(shapes), "x");
  REQUIRE(back.ok());
  REQUIRE(back->size() == 2);
  CHECK((*back)[0].tool == shapes[0].tool);
  CHECK((*back)[0].replies == 40);
  CHECK((*back)[0].features == shapes[0].features);
  CHECK((*back)[1].features.empty());
}

TEST_CASE("A file that tells no shapes is an error that names it, whatever is wrong with it") {
  for (const char* text : {"", "{}", "[]", R"({"form":"other","tools":[]})", R"({"form":"mcpscan-reply-shapes/1","tools":[{}]})", R"({"form":"mcpscan-reply-shapes/1","tools":[{"tool":"xyz","replies":1,"features":{}}]})",
                           R"({"form":"mcpscan-reply-shapes/1","tools":[{"tool":"1f","replies":"many","features":{}}]})", R"({"form":"mcpscan-reply-shapes/1","tools":[{"tool":"1f","replies":1,"features":[1]}]})"}) {
    INFO(text);
    const auto back = read_shapes(text, "bundle/reply-shapes.json");
    REQUIRE_FALSE(back.ok());
    CHECK(back.error().where == "bundle/reply-shapes.json");
  }
}
