// What a response holds in the place of messages is told by the words of its content type.
#include "model/media_type.h"

#include <catch2/catch.hpp>

using mcpscan::model::is_json_type;
using mcpscan::model::other_body;
using mcpscan::model::OtherBody;

TEST_CASE("JSON and event streams hold messages, whatever stands around the words") {
  for (const char* type : {"application/json", "application/json; charset=utf-8", "Application/JSON", "application/problem+json", "text/event-stream", "text/event-stream;charset=utf-8", "Text/Event-Stream"}) {
    CHECK(other_body(type) == OtherBody::none);
  }
  CHECK(is_json_type("application/JSON"));
  CHECK_FALSE(is_json_type("text/event-stream"));
}

TEST_CASE("a page is HTML, anything else is foreign, and no type says nothing") {
  CHECK(other_body("text/html; charset=utf-8") == OtherBody::page);
  CHECK(other_body("application/xhtml+xml") == OtherBody::page);
  CHECK(other_body("text/plain") == OtherBody::foreign);
  CHECK(other_body("") == OtherBody::none);
}
