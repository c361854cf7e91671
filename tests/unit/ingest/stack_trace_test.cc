#include "ingest/text/stack_trace.h"

#include <catch2/catch.hpp>

#include <string>

using namespace mcpscan;
using ingest::error_of_stack;

TEST_CASE("of a Python traceback the last exception tells what happened, of a group the innermost") {
  CHECK(error_of_stack("call failed\nTraceback (most recent call last):\n  File \"/app/a.py\", line 3, in f\n    raise McpError(error)\nmcp.shared.exceptions.McpError: Session terminated\n") ==
        "mcp.shared.exceptions.McpError: Session terminated");
  CHECK(error_of_stack("  + Exception Group Traceback (most recent call last):\n  | ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)\n  +-+---------------- 1 ----------------\n"
                       "    | Traceback (most recent call last):\n    |   File \"/app/a.py\", line 3, in f\n    | httpx.ReadTimeout: timed out\n    +------------------------------------") ==
        "httpx.ReadTimeout: timed out");
}

TEST_CASE("of a Java stack the deepest cause") {
  CHECK(error_of_stack("request failed\njava.lang.RuntimeException: MCP session with server terminated\n\tat a.B.c(B.java:1)\nCaused by: x.NotFoundException: Session not found\n\tat a.D.e(D.java:2)\n\t... 12 more") ==
        "x.NotFoundException: Session not found");
}

TEST_CASE("without a stack there is none, whatever the text says") {
  CHECK(error_of_stack("ValueError: no").empty());
  CHECK(error_of_stack("first line\nValueError: no").empty());
  CHECK(error_of_stack("").empty());
}

TEST_CASE("a stack is looked at from its end for a bounded number of lines") {
  std::string deep = "Traceback (most recent call last):\nValueError: no\n";
  for (int i = 0; i < ingest::kStackLines + 1; ++i) deep += "    at x\n";
  CHECK(error_of_stack(deep).empty());
}
