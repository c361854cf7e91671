#include <catch2/catch.hpp>

#include "session/reply_shape.h"
#include "session/shape_profile.h"

using namespace mcpscan::session;
using Features = std::vector<std::string>;

TEST_CASE("a reply's shape is its kinds of content and the keys and types of its JSON, not its words") {
  const ReplyShape shape(R"({"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"hits\":[{\"title\":\"a\",\"rank\":1}]}"}]}})");
  CHECK(shape.features() == Features{"content text", "one content", "text.hits: list", "text.hits[].rank: number", "text.hits[].title: text", "text.hits[]: object", "text: object"});
  const ReplyShape other(R"({"jsonrpc":"2.0","id":9,"result":{"content":[{"type":"text","text":"{\"hits\":[{\"rank\":77,\"title\":\"zzz\"}]}"}]}})");
  CHECK(other.features() == shape.features());
}

TEST_CASE("plain text is told by how it begins and how long it is; images by their type") {
  CHECK(ReplyShape(R"({"result":{"content":[{"type":"text","text":"1234 rows\nof x"},{"type":"image","data":"","mimeType":"image/png"}]}})").features() ==
        Features{"content image", "content text", "mime image/png", "several content", "text begins 9", "text of some lines"});
}

TEST_CASE("structured content counts beside the text") {
  CHECK(ReplyShape(R"({"result":{"content":[],"structuredContent":{"total":3}}})").features() == Features{"none content", "structured.total: number", "structured: object"});
}

TEST_CASE("errors, other results, broken and huge text have no shape") {
  CHECK_FALSE(ReplyShape(R"({"result":{"content":[{"type":"text","text":"Error"}],"isError":true}})").known());
  CHECK_FALSE(ReplyShape(R"({"result":{"tools":[]}})").known());
  CHECK_FALSE(ReplyShape(R"({"result":{"content":[{"type":"text","text":"cut)").known());
  CHECK_FALSE(ReplyShape(R"({"result":{"content":[{"type":"text","text":")" + std::string(ReplyShape::kMostBytes, 'x') + R"("}]}})").known());
  CHECK_FALSE(ReplyShape("").known());
}

TEST_CASE("a shape has at most kMostFeatures features, however many keys a reply has, and no depth ends the program") {
  std::string keys = R"({"result":{"content":[],"structuredContent":{"a":0)";
  for (int i = 0; i < 200; ++i) keys += ",\"k" + std::to_string(i) + "\":0";
  CHECK(ReplyShape(keys + "}}}").features().size() <= ReplyShape::kMostFeatures);
  CHECK_FALSE(ReplyShape(R"({"result":{"content":[],"structuredContent":)" + std::string(5000, '[') + std::string(5000, ']') + "}}").known());
}

TEST_CASE("a profile knows its own and is surprised by what it never saw, and by what it always saw and misses") {
  const ReplyShape hits(R"({"result":{"content":[{"type":"text","text":"{\"hits\":[]}"}]}})");
  const ReplyShape rows(R"({"result":{"content":[{"type":"text","text":"{\"rows\":[]}"}]}})");
  ShapeProfile profile;
  for (int i = 0; i < 20; ++i) profile.learn(hits);
  CHECK(profile.replies() == 20);
  CHECK(profile.fit(hits) > -0.1);
  CHECK(profile.fit(rows) < -1);
  CHECK(profile.rarest(hits).likelihood > 0.9);
  CHECK(profile.rarest(rows).likelihood < 0.02);
  for (int i = 0; i < 1000; ++i) profile.learn(hits);
  CHECK(profile.replies() == ShapeProfile::kEnough);
}
