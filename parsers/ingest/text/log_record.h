// LogRecord: one record of a log, after framings, prefix and dialect, with its body undecoded. The pipeline turns it into
// observations (ingest never includes app). Views point into the block, or into the arena where text had to be unescaped.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/time.h"
#include "model/observation.h"

namespace mcpscan::ingest {

enum class RecordKind : std::uint8_t {
  unknown,    // no dialect knows the message; the pipeline looks for an embedded JSON-RPC body (the general dialect)
  message,    // `body` holds JSON-RPC in `codec`
  exchange,   // an access line: `http`
  notice,     // `notice`
  context,    // tells something about what follows (session of the next request, process start); carries a notice or nothing
  noise,      // known and without meaning here: ignored(reason)
  outcome,    // a client's own word on a tool call: `outcome`
};

struct LogRecord {
  RecordKind kind = RecordKind::unknown;
  bool malformed = false;             // the framing is broken (bad JSON, impossible CRI line): malformed(reason)
  Time at;                            // the event's own time; the framing's where it has none
  Time transport_at;                  // the outermost framing's time
  model::SourceRef source;            // first line of the record
  std::uint32_t lines = 1;            // physical lines it stands on
  bool rich_time = false;             // a row of Rich's: where it leaves its time out, that is the one of the row before, which may be in the block before
  std::string_view text;              // the message after prefix, joined lines separated by '\n', ANSI removed
  std::string_view line;              // the first physical line as it stood, for quoting
  std::string_view reason;            // for noise and malformed: a stable word (keep-alive, startup, sdk-debug, other-traffic, ...)
  std::string_view logger, level;
  std::string_view body;
  std::string_view second_body;       // message: the reply to the request in `body`, or the other way round
  std::string_view codec;             // words of app::Codec; empty: auto
  bool codec_lenient = false;         // the dialect promises that `body` is a JSON-RPC message
  bool tells_all = false;             // message: its process writes such a line of every message
  model::Direction direction = model::Direction::unknown;
  model::StreamKind stream = model::StreamKind::unknown;
  model::SessionKeying keying = model::SessionKeying::none;
  std::string_view session;           // "-" and "None" are already made empty
  std::string_view peer;              // client address without port
  std::uint16_t peer_port = 0;
  std::uint64_t process = 0;          // hash of framing pid/container/stream; 0: not told
  std::uint16_t dialect = 0;          // index into LogParser::dialects()
  const model::HttpFacts* http = nullptr;      // exchange
  const model::RpcMessage* told = nullptr;     // message or exchange: what the line tells of a message that it does not hold; a request may lack its id
  const model::RpcMessage* told_reply = nullptr;  // exchange: the error it was answered with
  const model::Notice* notice = nullptr;       // notice, context
  const model::OutcomeFacts* outcome = nullptr;
};

}  // namespace mcpscan::ingest
