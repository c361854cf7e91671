// JsonKeys: which members of a JSON log line hold the time, level, message and so on, by the names that loggers use. For lines
// that no dialect's json rule describes.
// Source: the defaults of python-json-logger, structlog, pino, zap, logback, Fluent Bit, Cloud Logging, Vector.
#pragma once

#include "ingest/text/json_scan.h"

namespace mcpscan::ingest {

struct JsonKeys {
  JsonValue message, time, level, logger, session, direction, process, peer;
  JsonValue pod;             // which replica wrote it, where a shipper says so: all of them have process 1
  JsonValue error;           // what is told of an error beside the message: a text, or an object with a message
  JsonValue body;            // a member that holds a JSON-RPC message, not being the message text
  JsonValue second_body;     // and another one: records of whole calls show the reply beside the request
  bool is_rpc = false;       // the line itself is a JSON-RPC message
  bool own_session = false;  // the session is the writing program's own, not an MCP session
  bool conversation = false; // and one that people have with it

  // `rpc`: the line holds the word jsonrpc somewhere; without it no body is looked for.
  static JsonKeys of(const JsonMembers& members, bool rpc);
};

}  // namespace mcpscan::ingest
