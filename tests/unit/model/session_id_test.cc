#include "model/session_id.h"

#include <catch2/catch.hpp>

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
