// One JSON-RPC 2.0 message as it stood in the evidence. Views point into the block or arena it was read from and are
// valid while the observation is delivered; what outlives that is copied by whoever keeps it.
// Source: JSON-RPC 2.0; MCP revisions 2024-11-05 to 2026-07-28.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace mcpscan::model {

// An id's identity is its JSON type and decoded value: 1, "1" and null differ, "\u006cab" is "lab".
enum class IdType : std::uint8_t { absent, null, integer, fraction, string, other };

struct RpcId {
  IdType type = IdType::absent;
  std::string_view value;  // string: decoded text; number: the token (never through a double); else empty
  std::string_view raw;    // the token as it stood

  bool present() const { return type != IdType::absent; }
  bool operator==(const RpcId& other) const { return type == other.type && value == other.value; }
};

struct OwnedId {
  IdType type = IdType::absent;
  std::string value;
  std::string raw;

  OwnedId() = default;
  explicit OwnedId(const RpcId& id) : type(id.type), value(id.value), raw(id.raw) {}
  RpcId view() const { return {type, value, raw}; }
};

enum class MessageKind : std::uint8_t { request, notification, result, error, invalid };

// Methods that many ask for.
inline constexpr std::string_view kInitialize = "initialize", kToolsCall = "tools/call", kPromptsGet = "prompts/get", kToolsList = "tools/list";

// What is wrong with a message's envelope. Bits of RpcMessage::defects.
enum MessageDefect : std::uint32_t {
  kNoVersion = 1u << 0,         // "jsonrpc" is missing or not "2.0"
  kResultAndError = 1u << 1,    // both members present
  kNeitherMember = 1u << 2,     // no method, no result, no error
  kDuplicateKey = 1u << 3,      // a top-level key stands twice; the first one counts
  kRepairedText = 1u << 4,      // invalid UTF-8 or a lone surrogate was replaced before parsing
  kTruncated = 1u << 5,         // the text ends before the value does, or was cut by the logger: never judged as malformed
  kNotJson = 1u << 6,           // no JSON at all
  kTooDeep = 1u << 7,           // nesting over Limits::json_depth
  kBadError = 1u << 8,          // error without integer code or string message
};

// Known members of a result; see protocol notes on result discriminators. Bits of RpcMessage::result_keys.
enum ResultKey : std::uint32_t {
  kContent = 1u << 0, kStructuredContent = 1u << 1, kTools = 1u << 2, kResources = 1u << 3, kResourceTemplates = 1u << 4,
  kContents = 1u << 5, kPrompts = 1u << 6, kMessages = 1u << 7, kCompletion = 1u << 8, kRoots = 1u << 9, kRole = 1u << 10,
  kModel = 1u << 11, kAction = 1u << 12, kProtocolVersionKey = 1u << 13, kCapabilities = 1u << 14, kServerInfo = 1u << 15,
  kTask = 1u << 16, kTasks = 1u << 17, kTaskId = 1u << 18, kStatus = 1u << 19, kSupportedVersions = 1u << 20,
  kInputRequired = 1u << 21,    // resultType is "input_required"
  kIsErrorTrue = 1u << 22,      // isError is true
  kOtherKey = 1u << 23,         // some other member
  kResultNotObject = 1u << 24,
};
// A result of which a record tells that it came, and not what was in it: it fits every method and shows no trouble.
inline constexpr std::uint32_t kUntoldResult = kContent | kStructuredContent | kTools | kResources | kResourceTemplates | kContents | kPrompts | kMessages |
                                               kCompletion | kRoots | kRole | kModel | kAction | kProtocolVersionKey | kCapabilities | kServerInfo;

struct RpcMessage {
  MessageKind kind = MessageKind::invalid;
  RpcId id;
  std::string_view method;            // request, notification
  std::string_view target;            // params.name (tools/call, prompts/get), params.uri (resources/*), params.taskId (tasks/*)
  RpcId related;                      // notifications/cancelled: params.requestId; notifications/progress: params.progressToken
  RpcId progress_token;               // params._meta.progressToken of a request
  std::string_view reason;            // notifications/cancelled: params.reason; error: error.message
  std::string_view protocol_version;  // initialize (params or result); params._meta protocolVersion (2026-07-28)
  std::string_view peer_name;         // clientInfo.name, serverInfo.name
  std::string_view peer_version;
  std::int64_t error_code = 0;
  std::uint32_t result_keys = 0;
  std::uint32_t defects = 0;
  std::uint64_t digest = 0;           // XXH3 of the raw params, result or error text; 0 when there is none
  std::span<const std::string_view> content_texts;  // result: texts of its content blocks of type text, as they stood between their quotes
  std::string_view structured;        // result: structuredContent as it stood
  std::uint64_t arguments_digest = 0;   // request: of what params.arguments say, whatever blanks and escapes they are written with; 0: none
  std::uint32_t batch_size = 0;       // 0: alone; else the number of messages in the array
  std::uint32_t batch_index = 0;
  bool asks_for_task = false;         // request: params has a member task
  std::string_view text;              // the message as it stood (whole; bounded by Limits::line_bytes or body_bytes)
};

// XXH3 of the result's texts, decoded and one behind the other: what a client shows for the call has the same digest, whoever escaped which
// characters. 0: there are none. Of structuredContent as it stood. Few ask, so nothing is decoded before.
std::uint64_t content_digest(const RpcMessage& message);
std::uint64_t structured_digest(const RpcMessage& message);

// An integer that a double cannot hold exactly: |value| > 2^53 - 1 (RFC 8259 section 6).
bool is_unsafe_integer(const RpcId& id);

// The method's requestor: true for methods that only a server sends (sampling/createMessage, elicitation/create, roots/list).
bool is_server_method(std::string_view method);

}  // namespace mcpscan::model
