#include "model/session_id.h"

#include <catch2/catch.hpp>

#include <string>

using namespace mcpscan;

TEST_CASE("a word or stars in the place of a session's id name no session") {
  for (const char* masked : {"[REDACTED]", "<redacted>", "***", "****-****", "**REDACTED**", "[Filtered]", "xxxx-xxxx", "{removed}"}) {
    INFO(masked);
    CHECK(model::is_masked_id(masked));
  }
  for (const char* id : {"", "1", "ab12", "4f0c2b1a9d8e4c6f", "x", "hidden-valley-7", "**", "4f0c****", "xray-1"}) {
    INFO(id);
    CHECK_FALSE(model::is_masked_id(id));
  }
}

TEST_CASE("a person names a session by its id in any spelling, or by the beginning of a long one") {
  const std::string uuid = "0b48a2f0-11ec-4c1e-9c1e-0242ac120002";
  for (const char* typed : {"0b48a2f0-11ec-4c1e-9c1e-0242ac120002", "0B48A2F011EC4C1E9C1E0242AC120002", "0b48a2", "0b48a2f0-11", "0B48A2F0-11EC-4C1E-9"}) {
    INFO(typed);
    CHECK(model::names_session(typed, uuid));
  }
  for (const char* typed : {"", "0b48a", "0b48a3", "48a2f0", "0b48a2f0-11ec-4c1e-9c1e-0242ac1200022"}) {
    INFO(typed);
    CHECK_FALSE(model::names_session(typed, uuid));
  }
  CHECK(model::names_session("session-1", "session-1"));
  CHECK_FALSE(model::names_session("session-1", "session-12"));
  CHECK_FALSE(model::names_session("198.51.100.7:53", "198.51.100.7:5321"));
}
