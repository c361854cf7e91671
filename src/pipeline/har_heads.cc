#include "pipeline/har_heads.h"

#include <algorithm>
#include <array>

#include "app/json_skipper.h"
#include "base/ignoring_case.h"
#include "base/limits.h"

namespace mcpscan::pipeline {
namespace {

using app::iequals;
using ingest::HarBody;
using ingest::HarEntry;
using ingest::HarHeader;
using model::EndReason;

constexpr std::int64_t kLeastStatus = 100, kMostStatus = 599;

void add_fields(const std::vector<HarHeader>& headers, app::HttpHead& head) {
  for (const HarHeader& header : headers) {
    if (!header.name.starts_with(':')) head.add_field(header.name, app::trim_space(header.value));
    else if (iequals(header.name, ":authority") && head.host.empty()) head.host = header.value;
  }
  head.codings = {};
}


template <typename Words>
bool names_any(std::string_view text, const Words& words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return contains_ignoring_case(text, word); });
}

}  // namespace

HarUrl split_url(std::string_view url) {
  HarUrl parts;
  url = url.substr(0, url.find('#'));
  const std::size_t scheme = url.find("://");
  if (scheme == std::string_view::npos || scheme > url.find_first_of("/?")) return parts.target = url, parts;
  const bool secure = iequals(url.substr(0, scheme), "https");
  parts.scheme = secure ? model::Scheme::https : model::Scheme::http;
  url.remove_prefix(scheme + 3);
  std::string_view authority = url.substr(0, url.find_first_of("/?"));
  parts.target = url.substr(authority.size());
  if (parts.target.empty()) parts.target = "/";
  authority.remove_prefix(std::min(authority.rfind('@') + 1, authority.size()));
  for (const char c : authority) parts.server += c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  const std::size_t colon = authority.rfind(':');
  const bool has_port = colon != std::string_view::npos && authority.find(']', colon) == std::string_view::npos;
  if (!has_port && !authority.empty()) parts.server += secure ? ":443" : ":80";
  return parts;
}

std::string place_of(std::string_view server, std::string_view target) { return std::string(server).append(target); }

std::string redirect_of(const HarEntry& entry, const HarUrl& url) {
  constexpr std::array<std::int64_t, 5> kRedirects = {301, 302, 303, 307, 308};
  if (std::find(kRedirects.begin(), kRedirects.end(), entry.status) == kRedirects.end()) return {};
  std::string_view to = entry.redirect_url;
  for (const HarHeader& header : entry.response_headers) {
    if (to.empty() && iequals(header.name, "location")) to = app::trim_space(header.value);
  }
  const HarUrl place = split_url(to);
  if (!place.server.empty()) return place_of(place.server, place.target);
  return to.starts_with('/') ? place_of(url.server, place.target) : std::string();
}

app::HttpHead har_request_head(const HarEntry& entry, const HarUrl& url) {
  app::HttpHead head;
  head.is_request = true;
  head.method = entry.method;
  head.target = url.target;
  add_fields(entry.request_headers, head);
  if (head.content_type.empty()) head.content_type = entry.request.mime_type;
  return head;
}

app::HttpHead har_response_head(const HarEntry& entry) {
  app::HttpHead head;
  if (entry.status >= kLeastStatus && entry.status <= kMostStatus) head.status = static_cast<std::uint16_t>(entry.status);
  add_fields(entry.response_headers, head);
  if (head.content_type.empty()) head.content_type = entry.response.mime_type;
  return head;
}

bool is_event_stream(std::string_view content_type) { return contains_ignoring_case(content_type, "text/event-stream"); }

app::CodingList har_codings(std::string_view body) {
  app::CodingList list;
  if (body.substr(0, 2) == "\x1F\x8B") list.codings[list.count++] = app::Coding::gzip;
  return list;
}

bool may_be_mcp(const app::HttpHead& request, const app::HttpHead& response) {
  if (request.speaks_mcp() || !response.session_id.empty()) return true;
  if (request.method == "POST") return request.content_type.empty() || contains_ignoring_case(request.content_type, "json");
  return request.method == "GET" && (is_event_stream(response.content_type) || request.accepts_event_stream);
}

EndReason har_end(const HarEntry& entry, bool responded) {
  using namespace std::string_view_literals;
  constexpr std::array kByClient = {"abort"sv, "cancel"sv};
  constexpr std::array kReset = {"connection_reset"sv, "net_reset"sv, "econnreset"sv, "connection reset"sv};
  constexpr std::array kByServer = {"connection_closed"sv, "empty_response"sv, "incomplete_chunked"sv, "content_length_mismatch"sv, "protocol_error"sv};
  if (names_any(entry.error, kByClient)) return EndReason::closed_by_client;
  if (names_any(entry.error, kReset)) return EndReason::reset_by_server;
  if (names_any(entry.error, kByServer)) return EndReason::closed_by_server;
  if (responded) return entry.error.empty() ? EndReason::complete : EndReason::unknown;
  // No response at all and no word about it: the export was made while the exchange was open.
  const bool just_open = !entry.has_response || (entry.status == 0 && entry.error.empty() && entry.total_us <= 0);
  return just_open ? EndReason::evidence_ends : EndReason::unknown;
}

HarBodyState request_state(const HarEntry& entry, const app::HttpHead& head) {
  const HarBody& body = entry.request;
  if (body.has_text() || !body.file.empty() || !body.params.empty()) return HarBodyState::present;
  return head.method != "POST" || body.size == 0 ? HarBodyState::nothing_sent : HarBodyState::absent;
}

HarBodyState response_state(const HarEntry& entry, const app::HttpHead& head) {
  const HarBody& body = entry.response;
  if (body.has_text() || !body.file.empty() || !entry.events.empty()) return HarBodyState::present;
  if (head.has_length && head.content_length == 0) return HarBodyState::nothing_sent;
  if (body.size > 0 || head.has_length) return HarBodyState::absent;
  const bool has_none = head.status == 202 || head.status == 204 || head.status == 205 || head.status == 304;
  if (has_none || iequals(entry.method, "HEAD")) return HarBodyState::nothing_sent;
  if (body.told_size() > 0) return HarBodyState::absent;  // sizes that belie each other: bodies were taken out of the file
  if (body.size < 0) return HarBodyState::absent;
  // A size of 0: Chrome writes it for the streams whose bytes it did not keep, and then says nothing else; an aborted one was counted.
  const bool kept_nothing = !body.says_empty() && is_event_stream(head.content_type) && entry.error.empty();
  return kept_nothing ? HarBodyState::absent : HarBodyState::nothing_sent;
}

// What gzip has packed ends with its size, and that is the one which most producers tell (RFC 1952 section 2.3.1).
bool is_shorter(const HarEntry& entry, std::string_view body) {
  if (entry.response.told_size() <= static_cast<std::int64_t>(body.size())) return false;
  constexpr std::size_t kLeastGzip = 18, kSizeBytes = 4;
  if (har_codings(body).count == 0 || body.size() < kLeastGzip) return true;
  std::uint32_t unpacked = 0;
  for (std::size_t i = 1; i <= kSizeBytes; ++i) unpacked = unpacked << 8 | static_cast<unsigned char>(body[body.size() - i]);
  return unpacked != static_cast<std::uint32_t>(entry.response.size);
}

bool is_cut(const HarEntry& entry, const app::HttpHead& head, std::string_view body) {
  if (!is_shorter(entry, body) || body.empty()) return false;
  if (body.ends_with('\n')) return false;
  const std::string_view json = is_event_stream(head.content_type) ? body.substr(std::min(body.find('{', body.rfind("data:")), body.size())) : body;
  app::JsonSkipper skipper(json, Limits{}.json_depth);
  skipper.skip_space();
  skipper.value();
  return skipper.stopped();
}

}  // namespace mcpscan::pipeline
