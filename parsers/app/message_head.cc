#include "app/message_head.h"

#include <algorithm>
#include <charconv>
#include <span>
#include <utility>
#include <vector>

#include "app/json_text.h"
#include "base/hash.h"
#include "base/json_digest.h"

namespace mcpscan::app {

namespace {

using model::IdType;
using model::MessageKind;
using model::RpcId;

enum Seen : std::uint32_t { kNothing = 0, kVersion = 1, kId = 2, kMethod = 4, kParams = 8, kResult = 16, kError = 32 };

// The texts of a result; nearly every one has a single text.
struct Texts {
  std::size_t count = 0;
  std::string_view first;
  std::vector<std::string_view> others;

  void add(const JsonToken& text) {
    if (count++ == 0) first = text.content();
    else others.push_back(text.content());
  }
};

struct PeerTokens {
  JsonToken name, version;
};

// The raw tokens that matter; decoded once it is known which of them count.
struct Tokens {
  std::uint32_t seen = 0;
  bool duplicate = false, task = false;
  std::uint32_t result_keys = 0;
  JsonToken version, id, method, params, result, error;
  JsonToken name, uri, task_id, request_id, progress_token, reason;
  JsonToken protocol_version, meta_progress_token, meta_protocol_version;
  JsonToken error_code, error_message;
  JsonToken arguments, structured;
  Texts texts;
  PeerTokens peer, meta_peer;
};

Seen seen_by(std::string_view key) {
  switch (key.size()) {
    case 2: return key == "id" ? kId : kNothing;
    case 5: return key == "error" ? kError : kNothing;
    case 6: return key == "method" ? kMethod : key == "params" ? kParams : key == "result" ? kResult : kNothing;
    case 7: return key == "jsonrpc" ? kVersion : kNothing;
    default: return kNothing;
  }
}

constexpr std::uint32_t kTellsNothing = 0;

// Bits of the known result members. _meta, isError and resultType tell no result from another: no bit.
std::uint32_t result_bit(std::string_view key) {
  switch (key.size()) {
    case 4: return key == "role" ? model::kRole : key == "task" ? model::kTask : model::kOtherKey;
    case 5:
      if (key == "tools") return model::kTools;
      if (key == "roots") return model::kRoots;
      if (key == "model") return model::kModel;
      if (key == "tasks") return model::kTasks;
      return key == "_meta" ? kTellsNothing : model::kOtherKey;
    case 6:
      if (key == "action") return model::kAction;
      if (key == "taskId") return model::kTaskId;
      return key == "status" ? model::kStatus : model::kOtherKey;
    case 7:
      if (key == "content") return model::kContent;
      if (key == "prompts") return model::kPrompts;
      return key == "isError" ? kTellsNothing : model::kOtherKey;
    case 8: return key == "contents" ? model::kContents : key == "messages" ? model::kMessages : model::kOtherKey;
    case 9: return key == "resources" ? model::kResources : model::kOtherKey;
    case 10:
      if (key == "completion") return model::kCompletion;
      if (key == "serverInfo") return model::kServerInfo;
      return key == "resultType" ? kTellsNothing : model::kOtherKey;
    case 12: return key == "capabilities" ? model::kCapabilities : model::kOtherKey;
    case 15: return key == "protocolVersion" ? model::kProtocolVersionKey : model::kOtherKey;
    case 17:
      if (key == "structuredContent") return model::kStructuredContent;
      return key == "resourceTemplates" || key == "supportedVersions"
                 ? (key[0] == 'r' ? model::kResourceTemplates : model::kSupportedVersions)
                 : model::kOtherKey;
    default: return model::kOtherKey;
  }
}

class HeadWalk {
 public:
  HeadWalk(JsonSkipper& in, Arena& arena, Tokens& tokens) : in_(&in), arena_(arena), tokens_(tokens) {}

  void message() {
    object([this](std::string_view key) { member(key); });
  }
  void member(std::string_view key);

 private:
  void into(JsonToken& slot) {
    const JsonToken token = in_->value();
    if (!slot) slot = token;
  }
  void skip() { in_->value(); }

  // The value at the position; each member of an object is shown to `visit`, which consumes its value.
  template <typename Visit>
  JsonToken object(Visit&& visit) {
    if (in_->peek() != '{') return in_->value();
    const char* start = in_->position();
    const bool whole = in_->members([&](const JsonToken& key) { visit(decode_string(key, arena_)); });
    return whole ? JsonToken{JsonType::object, false, in_->since(start)} : JsonToken{};
  }

  void params();
  void params_member(std::string_view key);
  void params_in_string(const JsonToken& text);
  void meta_member(std::string_view key);
  void peer(PeerTokens& slot);
  void result();
  void result_member(std::string_view key);
  void content();
  bool one_text_block();
  void content_block();
  void error();

  JsonSkipper* in_;
  Arena& arena_;
  Tokens& tokens_;
};

void HeadWalk::member(std::string_view key) {
  const Seen which = seen_by(key);
  if ((tokens_.seen & which) != 0) {
    tokens_.duplicate = true;
    return skip();
  }
  tokens_.seen |= which;
  switch (which) {
    case kId: return into(tokens_.id);
    case kVersion: return into(tokens_.version);
    case kMethod: return into(tokens_.method);
    case kParams: return params();
    case kResult: return result();
    case kError: return error();
    default: return skip();
  }
}

void HeadWalk::params() {
  tokens_.params = object([this](std::string_view key) { params_member(key); });
  if (tokens_.params.is_string()) params_in_string(tokens_.params);
}

// mcp-remote writes params as a JSON string, cut to 500 characters.
void HeadWalk::params_in_string(const JsonToken& text) {
  if (text.content().substr(0, 1) != "{") return;
  JsonSkipper inner(decode_string(text, arena_), SIZE_MAX);
  JsonSkipper* const outer = std::exchange(in_, &inner);
  object([this](std::string_view key) { params_member(key); });
  in_ = outer;
}

void HeadWalk::params_member(std::string_view key) {
  switch (key.size()) {
    case 3:
      if (key == "uri") return into(tokens_.uri);
      break;
    case 4:
      if (key == "name") return into(tokens_.name);
      tokens_.task = tokens_.task || key == "task";
      break;
    case 5:
      if (key == "_meta") return void(object([this](std::string_view inner) { meta_member(inner); }));
      break;
    case 6:
      if (key == "taskId") return into(tokens_.task_id);
      if (key == "reason") return into(tokens_.reason);
      break;
    case 9:
      if (key == "requestId") return into(tokens_.request_id);
      if (key == "arguments") return into(tokens_.arguments);
      break;
    case 10:
      if (key == "clientInfo") return peer(tokens_.peer);
      break;
    case 13:
      if (key == "progressToken") return into(tokens_.progress_token);
      break;
    case 15:
      if (key == "protocolVersion") return into(tokens_.protocol_version);
      break;
    default: break;
  }
  skip();
}

void HeadWalk::meta_member(std::string_view key) {
  if (key == "progressToken") return into(tokens_.meta_progress_token);
  if (key == "io.modelcontextprotocol/protocolVersion") return into(tokens_.meta_protocol_version);
  if (key == "io.modelcontextprotocol/clientInfo") return peer(tokens_.meta_peer);
  skip();
}

void HeadWalk::peer(PeerTokens& slot) {
  object([&](std::string_view key) {
    if (key == "name") return into(slot.name);
    if (key == "version") return into(slot.version);
    skip();
  });
}

void HeadWalk::result() {
  const bool is_object = in_->peek() == '{';
  tokens_.result = object([this](std::string_view key) { result_member(key); });
  if (!is_object && tokens_.result) tokens_.result_keys |= model::kResultNotObject;
}

void HeadWalk::result_member(std::string_view key) {
  const std::uint32_t bit = result_bit(key);
  tokens_.result_keys |= bit;
  if (bit == model::kProtocolVersionKey) return into(tokens_.protocol_version);
  if (bit == model::kServerInfo) return peer(tokens_.peer);
  if (bit == model::kContent) return content();
  if (bit == model::kStructuredContent) return into(tokens_.structured);
  if (bit != 0 || key == "_meta") return skip();
  const JsonToken token = in_->value();
  if (key == "isError" && token.raw == "true") tokens_.result_keys |= model::kIsErrorTrue;
  if (key != "resultType") return;
  const std::string_view form = decode_string(token, arena_);
  if (form == "input_required") tokens_.result_keys |= model::kInputRequired;
  if (form == "task") tokens_.result_keys |= model::kTask;  // SEP-2663: its members stand in the result itself
}

// What nearly every result is, written as every SDK writes it: [{"type":"text","text":"..."}]. Costs no more than skipping it.
bool HeadWalk::one_text_block() {
  JsonSkipper ahead = *in_;
  if (!ahead.take_text(R"([{"type":"text","text":)") || ahead.peek() != '"') return false;
  const JsonToken text = ahead.string();
  if (ahead.stopped() || !ahead.take_text("}]")) return false;
  *in_ = ahead;
  tokens_.texts.add(text);
  return true;
}

void HeadWalk::content() {
  if (one_text_block()) return;
  if (in_->peek() != '[') return skip();
  in_->elements([this] { in_->peek() == '{' ? content_block() : skip(); });
}

void HeadWalk::content_block() {
  JsonToken type, text;
  object([&](std::string_view key) {
    if (key == "type") return into(type);
    if (key == "text") return into(text);
    skip();
  });
  if (text.is_string() && type.raw == "\"text\"") tokens_.texts.add(text);
}

void HeadWalk::error() {
  tokens_.error = object([this](std::string_view key) {
    if (key == "code") return into(tokens_.error_code);
    if (key == "message") return into(tokens_.error_message);
    skip();
  });
}

// 1.0 has the value of 1 in another type: what libraries make of an id that read every number as a double.
std::string_view value_of_fraction(std::string_view raw) {
  const std::size_t point = raw.find('.');
  const bool whole = point != std::string_view::npos && raw.find_first_not_of('0', point + 1) == std::string_view::npos;
  return whole ? raw.substr(0, point) : raw;
}

RpcId make_id(const JsonToken& token, Arena& arena) {
  switch (token.type) {
    case JsonType::none: return {};
    case JsonType::null: return {IdType::null, {}, token.raw};
    case JsonType::integer: return {IdType::integer, token.raw, token.raw};
    case JsonType::fraction: return {IdType::fraction, value_of_fraction(token.raw), token.raw};
    case JsonType::string: return {IdType::string, decode_string(token, arena), token.raw};
    default: return {IdType::other, token.raw, token.raw};
  }
}

std::string_view text_of(const JsonToken& token, Arena& arena) {
  return token.is_string() ? decode_string(token, arena) : std::string_view{};
}

// The code as it stood; one that no integer holds becomes the nearest.
std::int64_t number_of(const JsonToken& token) {
  std::int64_t value = 0;
  if (token.type != JsonType::integer) return 0;
  const auto [end, error] = std::from_chars(token.raw.data(), token.raw.data() + token.raw.size(), value);
  if (error == std::errc::result_out_of_range) return token.raw[0] == '-' ? INT64_MIN : INT64_MAX;
  return value;
}

MessageKind kind_of(const Tokens& tokens) {
  if (tokens.method.is_string()) return (tokens.seen & kId) != 0 ? MessageKind::request : MessageKind::notification;
  if ((tokens.seen & kResult) != 0) return MessageKind::result;
  if ((tokens.seen & kError) != 0) return MessageKind::error;
  return MessageKind::invalid;
}

std::uint32_t defects_of(const Tokens& tokens, MessageKind kind, Arena& arena) {
  std::uint32_t defects = 0;
  const bool abridged = tokens.params.is_string();  // a log's copy of a message, which leaves out more than that
  const bool excused = abridged && !tokens.version;
  if (!excused && (!tokens.version.is_string() || decode_string(tokens.version, arena) != "2.0")) defects |= model::kNoVersion;
  if ((tokens.seen & (kResult | kError)) == (kResult | kError)) defects |= model::kResultAndError;
  if (kind == MessageKind::invalid) defects |= model::kNeitherMember;
  if (tokens.duplicate) defects |= model::kDuplicateKey;
  const bool sound_error = tokens.error_code.type == JsonType::integer && tokens.error_message.is_string();
  if (kind == MessageKind::error && !sound_error) defects |= model::kBadError;
  return defects;
}

bool starts_with(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

// What the method acts on; for a method that MCP does not know, the first of name, uri and taskId.
const JsonToken& target_of(const Tokens& tokens, std::string_view method) {
  if (starts_with(method, "resources/") || starts_with(method, "notifications/resources/")) return tokens.uri;
  if (starts_with(method, "tasks/") || starts_with(method, "notifications/tasks")) return tokens.task_id;
  if (tokens.name.is_string() || starts_with(method, "tools/") || starts_with(method, "prompts/")) return tokens.name;
  return tokens.uri.is_string() ? tokens.uri : tokens.task_id;
}

std::uint64_t digest_of(const JsonToken& token) { return token ? hash_bytes(token.raw) : 0; }

void fill_call(const Tokens& tokens, Arena& arena, model::RpcMessage& message) {
  message.method = decode_string(tokens.method, arena);
  message.target = text_of(target_of(tokens, message.method), arena);
  if (message.method == "notifications/cancelled") {
    message.related = make_id(tokens.request_id, arena);
    message.reason = text_of(tokens.reason, arena);
  } else if (message.method == "notifications/progress") {
    message.related = make_id(tokens.progress_token, arena);
  }
  message.progress_token = make_id(tokens.meta_progress_token, arena);
  message.arguments_digest = tokens.arguments.compact ? digest_of(tokens.arguments) : json_digest(tokens.arguments.raw, arena);
  message.asks_for_task = tokens.task;
}

std::span<const std::string_view> kept(const Texts& texts, Arena& arena) {
  if (texts.count == 0) return {};
  const std::span<std::string_view> list = arena.list<std::string_view>(texts.count);
  list.front() = texts.first;
  std::copy(texts.others.begin(), texts.others.end(), list.begin() + 1);
  return list;
}

void fill_result(const Tokens& tokens, Arena& arena, model::RpcMessage& message) {
  message.result_keys = tokens.result_keys;
  message.content_texts = kept(tokens.texts, arena);
  message.structured = tokens.structured.raw;
}

std::uint64_t digest_of(const Tokens& tokens, MessageKind kind) {
  const JsonToken& payload = kind == MessageKind::result ? tokens.result : kind == MessageKind::error ? tokens.error : tokens.params;
  return digest_of(payload);
}

void fill_message(const Tokens& tokens, Arena& arena, model::RpcMessage& message) {
  message.kind = kind_of(tokens);
  message.id = make_id(tokens.id, arena);
  message.defects = defects_of(tokens, message.kind, arena);
  message.digest = digest_of(tokens, message.kind);
  if (tokens.method.is_string()) fill_call(tokens, arena, message);
  if (message.kind == MessageKind::result) fill_result(tokens, arena, message);
  if (message.kind == MessageKind::error) {
    message.error_code = number_of(tokens.error_code);
    message.reason = text_of(tokens.error_message, arena);
  }
  message.protocol_version = text_of(tokens.protocol_version ? tokens.protocol_version : tokens.meta_protocol_version, arena);
  const PeerTokens& peer = tokens.peer.name ? tokens.peer : tokens.meta_peer;
  message.peer_name = text_of(peer.name, arena);
  message.peer_version = text_of(peer.version, arena);
}

}  // namespace

bool read_head(JsonSkipper& in, Arena& arena, model::RpcMessage& message) {
  Tokens tokens;
  HeadWalk(in, arena, tokens).message();
  fill_message(tokens, arena, message);
  return (tokens.seen & kVersion) != 0;
}

bool is_mcp_method(std::string_view method) {
  static constexpr std::string_view kMethods[] = {
      "initialize", "ping", "tools/list", "tools/call", "resources/list", "resources/read", "resources/templates/list",
      "resources/subscribe", "resources/unsubscribe", "prompts/list", "prompts/get", "completion/complete", "logging/setLevel",
      "roots/list", "sampling/createMessage", "elicitation/create", "tasks/get", "tasks/list", "tasks/result", "tasks/cancel",
      "tasks/update", "server/discover", "subscriptions/listen"};
  if (starts_with(method, "notifications/")) return true;
  return std::find(std::begin(kMethods), std::end(kMethods), method) != std::end(kMethods);
}

}  // namespace mcpscan::app
