#include "engine/capabilities.h"

#include <array>

namespace mcpscan::engine {
namespace {

constexpr std::array<CapabilityEntry, 12> kEntries{{
    {model::kRequestIds, "request-ids", "the evidence carries no requests with JSON-RPC ids", "log request bodies, or capture the wire"},
    {model::kReplies, "replies", "the evidence carries no replies", "set DEBUG on sse_starlette.sse, log reply bodies, or capture the wire"},
    {model::kSessions, "sessions", "the evidence names no sessions", "log the Mcp-Session-Id header, or capture the wire"},
    {model::kTimes, "times", "the evidence has no times", "add %(asctime)s to the log format, or read it through journald or docker"},
    {model::kExchanges, "exchanges", "the evidence shows no HTTP exchanges", "add the access log, or capture the wire"},
    {model::kChannels, "channels", "the evidence does not tell on which stream a reply came", "capture the wire"},
    {model::kNotices, "notices", "the evidence holds no statements of the server or client", "add the server's log"},
    {model::kAddresses, "addresses", "the evidence tells no client addresses", "capture the wire"},
    {model::kServerLog, "server-log", "no server log was given", "add the server's log with DEBUG on mcp.server.streamable_http"},
    {model::kBodies, "bodies", "the evidence holds no whole payloads", "log reply bodies, or capture the wire"},
    {model::kOutcomes, "outcomes", "no client's own record was given", "add the client's session transcript"},
    {model::kHeaders, "headers", "the evidence holds no HTTP headers", "capture the wire, or export a HAR"},
}};

}  // namespace

std::span<const CapabilityEntry> capabilities() { return kEntries; }

std::uint32_t capability_by_word(std::string_view word) {
  for (const CapabilityEntry& entry : kEntries) {
    if (entry.word == word) return entry.bit;
  }
  return 0;
}

}  // namespace mcpscan::engine
