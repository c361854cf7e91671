// What curl commands send, as a shell reads them: quotes, variables, pipes and options with values.
#include "pipeline/curl_command.h"

#include <catch2/catch.hpp>

#include <string>

using mcpscan::pipeline::begins_curl_command;
using mcpscan::pipeline::CommandLines;
using mcpscan::pipeline::read_curl_command;

TEST_CASE("a command begins at a line's start or behind a prompt, not in a comment or in prose") {
  for (const char* line : {"curl -i http://x", "$ curl -i http://x", "user@host:~/a b$ curl x", "root@host:/# curl x", "host% curl x", "PS C:\\> curl x"}) {
    INFO(line);
    CHECK(begins_curl_command(line));
  }
  for (const char* line : {"# curl -i http://x", "we used curl -i for it", "curly", "2026-11-29 INFO ran curl x", ""}) {
    INFO(line);
    CHECK_FALSE(begins_curl_command(line));
  }
}

TEST_CASE("lines belong to a command behind a backslash and within quotes") {
  CommandLines lines;
  CHECK(lines.goes_on("curl x \\"));
  CHECK(lines.goes_on("-d '{\\"));  // within these quotes a backslash is one
  CHECK_FALSE(lines.goes_on("}' -H \"a: \\\"b\""));
  CHECK(lines.goes_on("-d $'it\\'s"));
  CHECK_FALSE(lines.goes_on("'"));
}

TEST_CASE("method, path, host, fields and body") {
  const auto request = read_curl_command("$ curl -isS -o /dev/null --max-time 5 -XPOST 'http://x:3000/mcp?a=b' -H 'A: it'\\''s' -H\"B: \\\"2\\\"\" --data-raw $'{\"a\":\\'1\\'}' | jq .", "");
  REQUIRE(request);
  CHECK(request->head == "POST /mcp?a=b HTTP/1.1\r\nHost: x:3000\r\nA: it's\r\nB: \"2\"\r\n");
  CHECK(request->body == "{\"a\":'1'}");
  CHECK_FALSE(request->body_unknown);
}

TEST_CASE("what is left out has curl's defaults") {
  CHECK(read_curl_command("curl localhost:3000", "")->head == "GET / HTTP/1.1\r\nHost: localhost:3000\r\n");
  CHECK(read_curl_command("curl -d '{}' http://x/mcp", "")->head == "POST /mcp HTTP/1.1\r\nHost: x\r\n");
  CHECK(read_curl_command("curl --json '{}' http://x/mcp", "")->head == "POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAccept: application/json\r\n");
  CHECK_FALSE(read_curl_command("curl --version", ""));
}

TEST_CASE("what a variable or a file holds is not there; a session id is the one that was given last") {
  const char* const command = "curl http://x/mcp -H \"Mcp-Session-Id: $SID\" -d @call.json";
  CHECK(read_curl_command(command, "abc")->head == "POST /mcp HTTP/1.1\r\nHost: x\r\nMcp-Session-Id: abc\r\n");
  CHECK(read_curl_command(command, "")->head == "POST /mcp HTTP/1.1\r\nHost: x\r\n");
  CHECK(read_curl_command(command, "")->session_unknown);
  CHECK(read_curl_command(command, "")->body_unknown);
  CHECK(read_curl_command("curl http://x/mcp -d \"{\\\"id\\\":$N}\"", "")->body_unknown);
  CHECK_FALSE(read_curl_command("curl http://x/mcp -d '{\"id\":\"$N\"}'", "")->body_unknown);
}

TEST_CASE("what goes through a pipe or into a file, or is given up after a while, may be shown in part") {
  for (const char* rest : {" | head -5", " > out.txt", " -o out.txt", " -m 5", " --max-time 5", " 2>&1 | tee log"}) {
    INFO(rest);
    CHECK(read_curl_command(std::string("curl -i http://x/mcp") + rest, "")->shown_in_part);
  }
  CHECK_FALSE(read_curl_command("curl -i http://x/mcp", "")->shown_in_part);
  CHECK_FALSE(read_curl_command("curl -i http://x/mcp -d 'a|b>c'", "")->shown_in_part);
}
