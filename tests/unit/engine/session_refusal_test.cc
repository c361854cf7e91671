// A refusal is the session's where status and body say so, and not where they name another reason.
#include "engine/session_refusal.h"

#include <catch2/catch.hpp>

using mcpscan::engine::names_another_cause;
using mcpscan::engine::refuses_session;

TEST_CASE("404 refuses the session unless it is a method, tool or resource that is unknown") {
  CHECK(refuses_session("POST", 404, {}));
  CHECK(refuses_session("POST", 404, R"({"error":{"code":-32001,"message":"Session not found"}})"));
  CHECK_FALSE(refuses_session("POST", 404, R"({"error":{"code":-32601,"message":"Method not found"}})"));
  CHECK_FALSE(refuses_session("POST", 404, R"({"error":{"code":-32602,"message":"Unknown tool: x"}})"));
  CHECK_FALSE(refuses_session("POST", 404, R"({"error":{"code":-32002,"message":"Resource not found"}})"));
  CHECK(refuses_session("POST", 404, R"({"error":{"code":-32602,"message":"Invalid session ID"}})"));
  for (const std::int64_t code : {-32601, -32602, -32002}) CHECK(names_another_cause(code));
  for (const std::int64_t code : {-32000, -32001, -32600, -32603}) CHECK_FALSE(names_another_cause(code));
}

TEST_CASE("a page under 404 is the word of who has no server behind the path, unless it speaks of the session") {
  CHECK_FALSE(refuses_session("POST", 404, "\r\n<!DOCTYPE html><title>404 Not Found</title>"));
  CHECK(refuses_session("POST", 404, "<html><body>Session not found</body></html>"));
  CHECK(refuses_session("POST", 404, "Not Found"));
}

TEST_CASE("a server without a stream to listen to may say 404 to a GET") {
  CHECK_FALSE(refuses_session("GET", 404, "Not Found"));
  CHECK(refuses_session("GET", 404, "Session not found"));
}

TEST_CASE("400 refuses the session only where it says so") {
  CHECK(refuses_session("POST", 400, R"({"error":{"code":-32000,"message":"Bad Request: Server not initialized"}})"));
  CHECK(refuses_session("POST", 400, "Bad Request: No valid session ID provided"));
  CHECK_FALSE(refuses_session("POST", 400, R"({"error":{"code":-32600,"message":"duplicate in-flight request ID 5"}})"));
  CHECK_FALSE(refuses_session("POST", 400, R"({"error":{"code":-32600,"message":"Invalid Request: Server already initialized"}})"));
  CHECK_FALSE(refuses_session("POST", 400, {}));
  CHECK(refuses_session("POST", 200, "session not found"));  // kept where it is no JSON-RPC only
  CHECK_FALSE(refuses_session("POST", 200, ""));
}
