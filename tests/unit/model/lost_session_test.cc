#include "model/lost_session.h"

#include <catch2/catch.hpp>

using namespace mcpscan;

TEST_CASE("an error text tells of a lost session in the words of SDKs, servers and gateways") {
  const char* const texts[] = {
      "Session not found",
      "Unauthorized: Session not found",
      "Bad Request: No valid session ID provided",
      "Session 0f1e2d3c-aaaa-4bbb-8ccc-0123456789ab not found on the server",
      "Session not found for session ID: 0123456789abcdef",
      "Not Found: Invalid or expired session ID",
      "Not Found: Unknown Mcp-Session-Id header",
      "Could not find session for ID: 7",
      R"({"error":"Session not found"})",
      R"({"code":-32603,"message":"Session \"0F1E2D3C\" not found"})",
      "MCP session is unknown on this API instance. Restart the client",
      "session terminated (404). need to re-initialize",
      "MCP session with server terminated",
      "No transport found for sessionId",
      "session 7 does not exist",
      "session 7 does not seem to exist",
      "MCP session with ID '0f1e2d3c-aaaa-4bbb-8ccc-0123456789ab' could not be found.",
      R"({"code":-32001,"message":"MCP session with ID \u00270f1e2d3c-aaaa-4bbb-8ccc-0123456789ab\u0027 could not be found."})",
      "Session 7 cannot be found",
      "The session couldn't be found",
      "No such session: 7",
      "No active SSE connection for session 0f1e2d3c-aaaa-4bbb-8ccc-0123456789ab",
  };
  for (const char* text : texts) {
    INFO(text);
    CHECK(model::tells_lost_session(text));
  }
}

TEST_CASE("texts that only hold the words are about something else") {
  const char* const texts[] = {
      "Unknown tool: session_info", "Invalid params: session must be a string", "File not found", "Invalid arguments for tool start_session",
      "tool not found in session", "Session created. Tool not found", "Session opened. The file could not be found", "File of the user could not be found", "Obsession not found", "",
  };
  for (const char* text : texts) {
    INFO(text);
    CHECK_FALSE(model::tells_lost_session(text));
  }
}

TEST_CASE("a gateway's own session to a backend is told apart where the text says so") {
  CHECK(model::tells_lost_upstream_session("upstream error: Session not found"));
  CHECK(model::tells_lost_upstream_session("Backend session expired"));
  CHECK_FALSE(model::tells_lost_upstream_session("Session not found"));
  CHECK_FALSE(model::tells_lost_upstream_session("upstream error: tool not found"));
}

TEST_CASE("a session that some other word names is none of the transport's") {
  for (const char* text : {"Session not found", "Bad Request: No valid session ID provided", "MCP session is unknown on this API instance", "Invalid or expired session ID", "Unknown Mcp-Session-Id header"}) {
    INFO(text);
    CHECK(model::tells_lost_transport_session(text));
  }
  for (const char* text : {"Browser session not found", "Terminal session 7 does not exist", "Invalid browser_session_id", "User-session expired", "File not found"}) {
    INFO(text);
    CHECK_FALSE(model::tells_lost_transport_session(text));
  }
}
