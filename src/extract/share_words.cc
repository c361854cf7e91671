#include "extract/share_words.h"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_set>

namespace mcpscan::extract {
namespace {

constexpr std::string_view kWords =
    // JSON-RPC and MCP: members, methods, enumerations
    "jsonrpc method params result error code message data initialize initialized notifications notification tools tool call list resources resource "
    "read subscribe unsubscribe templates prompts prompt get completion complete logging setLevel ping sampling createMessage elicitation create roots "
    "tasks task cancel cancelled progress updated changed subscriptions listen server discover name arguments content contents type text image audio link "
    "blob uri mimeType structuredContent isError meta progressToken requestId reason protocolVersion capabilities clientInfo serverInfo version title "
    "description inputSchema outputSchema annotations nextCursor cursor role user assistant model messages maxTokens stopReason action accept decline "
    "level debug info notice warning critical alert emergency logger total hasMore values argument ref context resultType inputRequired taskId status "
    "working completed failed supportedVersions true false null undefined None True False string object array number integer boolean properties required "
    "items enum default additionalProperties anyOf oneOf allOf minimum maximum schema json "
    // errors that rules know by their words
    "Session session not found Parse Invalid Request request Method Internal Unknown unknown expired terminated timed out timeout Bad already "
    // HTTP and SSE
    "http https mcp sse messages event stream data retry endpoint application octet plain html form charset utf POST GET DELETE OPTIONS HEAD HTTP keep alive "
    "Content Type Length Accept Encoding Connection Host Origin User Agent Authorization Bearer Cookie Set Cache Control Date Server Transfer Session "
    "Protocol Version Last Event Forwarded For Proto content length accept encoding connection host origin agent authorization cookie cache control date "
    "transfer chunked protocol last forwarded proto server gzip deflate zstd identity close upgrade Found Accepted Created Unauthorized Forbidden Conflict "
    "Gateway Service Unavailable Gone Content No Error localhost null sessionId session_id base64 "
    // transcripts and recordings
    "tool_use tool_result use thinking message system summary progress attachment queue operation function function_call function_call_output output "
    "response_item event_msg response item msg session_meta turn_context begin end mcp_tool_call custom_tool_call toolu "
    "WebInspector WebKit Web Inspector Firefox mitmproxy Charles Proxy Fiddler Postman Safari Chrome Chromium Playwright Insomnia Proxyman har xhr fetch curl "
    // classes that logs print
    "JSONRPCRequest JSONRPCResponse JSONRPCResultResponse JSONRPCErrorResponse JSONRPCError JSONRPCNotification JSONRPCMessage SessionMessage root metadata "
    "TextContent ImageContent EmbeddedResource CallToolRequest CallToolResult ErrorData Map Object McpSchema";

std::unordered_set<std::string_view> words() {
  std::unordered_set<std::string_view> set;
  for (std::size_t at = 0; at < kWords.size();) {
    const std::size_t end = std::min(kWords.find(' ', at), kWords.size());
    set.insert(kWords.substr(at, end - at));
    at = end + 1;
  }
  return set;
}

}  // namespace

bool is_protocol_word(std::string_view word) {
  static const std::unordered_set<std::string_view> kSet = words();
  if (kSet.contains(word)) return true;
  std::string lower(word);  // field names of HTTP are written in any case
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return kSet.contains(lower);
}

}  // namespace mcpscan::extract
