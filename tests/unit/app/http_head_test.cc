#include "app/http_head.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

using namespace mcpscan::app;

namespace {

HttpHead parsed(const std::string& fields) {
  static std::string section, scratch;  // the head's views live in them
  section = "POST /mcp HTTP/1.1\r\n" + fields + "\r\n";
  HttpHead head;
  REQUIRE(parse_head(section, true, false, scratch, head));
  return head;
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

struct Known {
  std::string name;
  std::string_view HttpHead::* field;
};

const std::array<Known, 11> kKnown{{{"host", &HttpHead::host},
                                    {"accept", &HttpHead::accept},
                                    {"origin", &HttpHead::origin},
                                    {"mcp-name", &HttpHead::mcp_name},
                                    {"user-agent", &HttpHead::user_agent},
                                    {"mcp-method", &HttpHead::mcp_method},
                                    {"content-type", &HttpHead::content_type},
                                    {"last-event-id", &HttpHead::last_event_id},
                                    {"mcp-session-id", &HttpHead::session_id},
                                    {"x-forwarded-for", &HttpHead::forwarded_for},
                                    {"mcp-protocol-version", &HttpHead::protocol_version}}};

}  // namespace

TEST_CASE("a field's name counts in any case, and only when each of its bytes is right") {
  for (const Known& known : kKnown) {
    CHECK(parsed(known.name + ": value\r\n").*known.field == "value");
    CHECK(parsed(upper(known.name) + ":value \t\r\n").*known.field == "value");
    for (std::size_t i = 0; i < known.name.size(); ++i) {
      std::string other = known.name;
      other[i] = other[i] == '-' ? '_' : static_cast<char>(other[i] ^ 1);
      CHECK((parsed(other + ": value\r\n").*known.field).empty());
    }
  }
}

TEST_CASE("a line is a field when tokens only stand before its colon, however long they are") {
  for (const std::string name : {"x", "x-request-id", "a-name-of-16-byte", "a-name-of-15-by", "x!#$%&'*+.^_`|~y", "a-field-with-a-name-of-more-than-32-bytes"}) {
    CHECK(parsed(name + ": 1\r\n").oddities == 0);
    for (const char bad : {' ', '(', '\x01', '\x80', '@', '[', '{'}) {
      std::string line = name + ": 1\r\n";
      line.insert(name.size() / 2, 1, bad);
      if (name.size() < 2 && bad == ' ') continue;  // folded onto the line before
      CHECK(parsed(line).oddities == kBadField);
    }
  }
  CHECK(parsed("no colon at all in this line\r\n").oddities == kBadField);
  CHECK(parsed("nocolon\r\n").oddities == kBadField);
  CHECK(parsed(": 1\r\n").oddities == kBadField);
}

TEST_CASE("a proxy that has written in a response's head is told by its name or by Via, a server's own name is no proxy's") {
  std::string scratch;
  for (const auto& [field, proxy] : {std::pair{"Server: nginx/1.22.1", true}, {"server: istio-envoy", true}, {"Via: 1.1 google", true}, {"Server: uvicorn", false}, {"Server: Apache-Coyote/1.1", false}, {"X-Powered-By: Express", false}}) {
    HttpHead head;
    REQUIRE(parse_head("HTTP/1.1 200 OK\r\n" + std::string(field) + "\r\n\r\n", false, false, scratch, head));
    CHECK(head.of_proxy == proxy);
  }
}
