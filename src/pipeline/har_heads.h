// The heads of a HAR entry as app::HttpHead, and the server its URL names. Bodies of a HAR are decoded, so content codings do not
// count, but for a body that still shows gzip's mark.
// Source: HAR 1.2 "request", "response"; RFC 3986; RFC 9113 section 8.3 (pseudo fields, which browsers list with the others).
#pragma once

#include <string>
#include <string_view>

#include "app/http_head.h"
#include "ingest/har/har_entry.h"
#include "model/observation.h"

namespace mcpscan::pipeline {

struct HarUrl {
  std::string server;        // host:port in lower case, the scheme's port where none is told; empty for a URL without a host
  std::string_view target;   // path and query
  model::Scheme scheme = model::Scheme::unknown;
};
HarUrl split_url(std::string_view url);
// Where a redirected request goes on, as place_of() names it; empty: it was not redirected, or that is not told in full.
std::string redirect_of(const ingest::HarEntry& entry, const HarUrl& url);
std::string place_of(std::string_view server, std::string_view target);

// Views into the entry and the URL.
app::HttpHead har_request_head(const ingest::HarEntry& entry, const HarUrl& url);
app::HttpHead har_response_head(const ingest::HarEntry& entry);
bool is_event_stream(std::string_view content_type);
// The coding that a body still has.
app::CodingList har_codings(std::string_view body);

// Whether the two heads allow that the exchange is MCP; what is foreign beyond doubt is not worth keeping.
bool may_be_mcp(const app::HttpHead& request, const app::HttpHead& response);

// How the exchange ended, as far as the producer says.
model::EndReason har_end(const ingest::HarEntry& entry, bool responded);

// Whether the response that should be there can be trusted to have been empty where the HAR shows no body.
enum class HarBodyState : std::uint8_t { present, nothing_sent, absent };
HarBodyState request_state(const ingest::HarEntry& entry, const app::HttpHead& head);
HarBodyState response_state(const ingest::HarEntry& entry, const app::HttpHead& head);
// Whether the entry tells more bytes of the response than `body` holds.
bool is_shorter(const ingest::HarEntry& entry, std::string_view body);
// Whether the producer kept the beginning of a body only: it is shorter than the entry tells, and breaks off.
bool is_cut(const ingest::HarEntry& entry, const app::HttpHead& head, std::string_view body);

}  // namespace mcpscan::pipeline
