#include "ingest/otlp/span_line.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "ingest/text/time_formats.h"

namespace mcpscan::ingest {
namespace {

using View = std::string_view SpanFacts::*;

struct Attribute {
  std::string_view name;
  View member;
  int rank = 0;   // the lower one wins
};

// The names of today first, then those of older conventions, SDKs and frameworks.
constexpr std::array<Attribute, 26> kAttributes{{
    {"mcp.method.name", &SpanFacts::method, 0},
    {"rpc.method", &SpanFacts::method, 2},
    {"mcp.session.id", &SpanFacts::session, 0},
    {"mcp.session_id", &SpanFacts::session, 1},
    {"jsonrpc.request.id", &SpanFacts::id, 0},
    {"rpc.jsonrpc.request_id", &SpanFacts::id, 1},
    {"mcp.request.id", &SpanFacts::id, 2},
    {"mcp.request_id", &SpanFacts::id, 3},
    {"gen_ai.tool.name", &SpanFacts::tool, 0},
    {"mcp.tool.name", &SpanFacts::tool, 1},
    {"gen_ai.prompt.name", &SpanFacts::tool, 2},
    {"mcp.prompt.name", &SpanFacts::tool, 3},
    {"mcp.resource.uri", &SpanFacts::tool, 4},
    {"mcp.protocol.version", &SpanFacts::protocol_version, 0},
    {"error.type", &SpanFacts::error_type, 0},
    {"exception.type", &SpanFacts::error_type, 1},
    {"rpc.response.status_code", &SpanFacts::error_code, 0},
    {"rpc.jsonrpc.error_code", &SpanFacts::error_code, 1},
    {"mcp.error.code", &SpanFacts::error_code, 2},
    {"rpc.jsonrpc.error_message", &SpanFacts::error_message, 1},
    {"gen_ai.tool.call.arguments", &SpanFacts::arguments, 0},
    {"client.address", &SpanFacts::client_address, 0},
    {"server.address", &SpanFacts::server_address, 0},
    {"network.transport", &SpanFacts::transport, 0},
    {"mcp.transport", &SpanFacts::transport, 1},
    {"service.name", &SpanFacts::service, 0},
}};

class AttributeReader {
 public:
  AttributeReader(SpanFacts& span, Arena& arena) : span_(span), arena_(arena) { ranks_.fill(100); }

  // [{"key":"k","value":{"stringValue":"v"}}], or Jaeger's [{"key":"k","type":"string","value":"v"}].
  void read(const JsonValue& list) {
    if (list.type != JsonType::array) return;
    for_each_item(list.text, [this](const JsonValue& item) {
      if (item.type == JsonType::object && entry_.read(item.text)) take(entry_.find("key").text, entry_.find("value"));
      return true;
    });
  }
  std::string_view system() const { return system_; }
  std::string_view kind() const { return kind_; }

 private:
  // The one member that an AnyValue has; a bare value stands for itself.
  JsonValue plain(const JsonValue& value) {
    if (value.type != JsonType::object || !any_.read(value.text) || any_.size() == 0) return value;
    return any_[0].value;
  }

  void take(std::string_view key, const JsonValue& value) {
    const JsonValue inner = plain(value);
    const std::string_view text = inner.is_text() ? unescape_json(inner, arena_) : inner.present() ? inner.text : std::string_view{};
    if (text.empty()) return;
    if (key == "rpc.system" || key == "rpc.system.name") system_ = text;
    if (key == "span.kind") kind_ = text;
    for (std::size_t i = 0; i < kAttributes.size(); ++i) {
      const Attribute& known = kAttributes[i];
      if (known.name != key) continue;
      int& rank = ranks_[first_of(known.member)];
      if (known.rank >= rank) return;
      rank = known.rank;
      span_.*known.member = text;
      return;
    }
  }

  static std::size_t first_of(View member) {
    return static_cast<std::size_t>(std::find_if(kAttributes.begin(), kAttributes.end(), [member](const Attribute& one) { return one.member == member; }) - kAttributes.begin());
  }

  SpanFacts& span_;
  Arena& arena_;
  JsonMembers entry_, any_;
  std::array<int, kAttributes.size()> ranks_;
  std::string_view system_, kind_;
};

Time time_of(const JsonValue& value) {
  Time at;
  if ((value.is_text() || value.type == JsonType::number) && read_epoch(value.text, at) != value.text.size()) at = Time{};
  return at;
}

// A number of the protocol's enumeration, or its name.
SpanSide side_of(std::string_view kind) {
  if (kind == "2" || kind == "SPAN_KIND_SERVER" || kind == "server" || kind == "SERVER") return SpanSide::server;
  if (kind == "3" || kind == "SPAN_KIND_CLIENT" || kind == "client" || kind == "CLIENT") return SpanSide::client;
  return SpanSide::unknown;
}

bool is_error_code(std::string_view code) { return code == "2" || code == "STATUS_CODE_ERROR" || code == "ERROR"; }

// Jaeger tells the length, OTLP the end.
void read_times(const JsonMembers& members, SpanFacts& span) {
  span.start = time_of(members.find("startTimeUnixNano").present() ? members.find("startTimeUnixNano") : members.find("startTime"));
  span.end = time_of(members.find("endTimeUnixNano"));
  const std::string_view length = members.find("duration").text;
  std::int64_t us = -1;
  if (std::from_chars(length.data(), length.data() + length.size(), us).ec == std::errc() && us >= 0 && us < 100ll * 365 * kDay && span.start.known()) span.end.us = span.start.us + us;
}

// mcp.method.name is the mark of the conventions; before them a tool's name, or rpc.system, was.
void settle_method(std::string_view system, SpanFacts& span) {
  const bool by_rpc = !system.empty() && system != "mcp" && system != "jsonrpc";
  if (by_rpc && span.session.empty() && span.id.empty()) span.method = {};
  if (span.method.empty() && !span.tool.empty() && !span.id.empty()) span.method = "tools/call";
  const std::size_t blank = span.name.find(' ');
  const bool named = span.name.starts_with("tools/call ") && blank != std::string_view::npos;
  if (!span.method.empty() && span.tool.empty() && named) span.tool = span.name.substr(blank + 1);
}

}  // namespace

SpanReading read_span_line(std::string_view line, Arena& arena, SpanFacts& span, std::size_t& column) {
  JsonMembers outer, members, part;
  if (!outer.read(line)) return column = outer.stopped_at(), SpanReading::broken;
  const JsonValue inner = outer.find("span");
  if (inner.type != JsonType::object || !members.read(inner.text)) return SpanReading::no_span;
  AttributeReader attributes(span, arena);
  attributes.read(members.find("attributes"));
  attributes.read(members.find("tags"));
  if (part.read(outer.find("resource").text)) attributes.read(part.find("attributes"));
  if (span.service.empty()) span.service = members.find("processID").text;
  span.name = members.find(members.find("name").present() ? "name" : "operationName").text;
  span.span = members.find(members.find("spanId").present() ? "spanId" : "spanID").text;
  span.trace = members.find(members.find("traceId").present() ? "traceId" : "traceID").text;
  span.side = side_of(members.find("kind").present() ? members.find("kind").text : attributes.kind());
  if (part.read(members.find("status").text)) {
    span.failed = is_error_code(part.find("code").text);
    const JsonValue message = part.find("message");
    if (span.error_message.empty() && message.is_text()) span.error_message = unescape_json(message, arena);
  }
  span.failed = span.failed || !span.error_type.empty();
  settle_method(attributes.system(), span);
  read_times(members, span);
  return span.start.known() && span.end.known() ? SpanReading::span : SpanReading::no_time;
}

}  // namespace mcpscan::ingest
