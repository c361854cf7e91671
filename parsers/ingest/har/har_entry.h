// HarEntry: what one entry of a HAR says about one HTTP exchange, whoever wrote it. Not interpreted beyond the format: whether it is
// MCP, and what its bodies hold, is for others.
// Ownership: views into the reader's buffer and arena, valid until its next entry. Bounds: the reader's.
// Source: HAR 1.2 (W3C draft of 2012), and what producers make of it: docs/har.md has the list.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "ingest/text/json_scan.h"
#include "model/source_ref.h"

namespace mcpscan::ingest {

struct HarHeader {
  std::string_view name, value;
};

struct HarParam {
  std::string_view name;
  JsonValue value;
};

// postData or content.
struct HarBody {
  JsonValue text;                       // a string as it stood, or any other value that was put in its place
  std::string_view encoding, mime_type;
  std::string_view file;                // Playwright's attached body, a path relative to the HAR
  std::vector<HarParam> params;         // postData.params
  std::int64_t size = -1;               // content.size, or bodySize of the request; -1: not told
  std::int64_t sent = -1, head = -1;    // of a response: bodySize, which counts what was sent, and headersSize, which some count in with it

  void clear();
  bool has_text() const { return text.present() && !text.text.empty(); }
  std::int64_t told_size() const { return std::max(size, head > 0 && sent >= head ? sent - head : sent); }
  bool says_empty() const { return text.is_text() && text.text.empty(); }
};

// Chrome's record of an event stream: each event when it came.
struct HarStreamEvent {
  Time at;
  std::string_view type, id;
  JsonValue data;
};

struct HarEntry {
  model::SourceRef source;
  Time started;                          // unknown: none told, or none that can be read
  std::int64_t precision_us = 1;         // of `started`: the true time is less than this later
  std::int64_t until_head_us = -1;       // from `started` to the response's head, -1: not told
  std::int64_t total_us = -1;            // from `started` to the end of the body
  bool has_zone = true;

  bool has_request = false, has_response = false;
  std::string_view method, url;
  std::vector<HarHeader> request_headers, response_headers;
  HarBody request, response;
  std::string_view redirect_url;
  std::int64_t status = 0;               // as it stood: 0, -999 and others say that there was none
  std::string_view error;                // why the exchange failed, in the producer's words
  std::string_view connection_id, connection;  // _connectionId; connection (a port, or the producer's own text)
  bool by_worker = false;                // a service worker sent it (Playwright)
  bool for_page = false;                 // the page's request, which a service worker answered (DevTools)
  std::vector<HarStreamEvent> events;
  bool events_left_out = false;                // there were too many; none is kept

  void clear();
};

}  // namespace mcpscan::ingest
