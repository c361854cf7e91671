#include "ingest/har/har_entry.h"

namespace mcpscan::ingest {

void HarBody::clear() {
  text = {};
  encoding = mime_type = file = {};
  params.clear();
  size = sent = head = -1;
}

// The lists keep their memory.
void HarEntry::clear() {
  started = {};
  precision_us = 1;
  until_head_us = total_us = -1;
  has_zone = true;
  has_request = has_response = by_worker = for_page = false;
  method = url = redirect_url = error = connection_id = connection = {};
  request_headers.clear();
  response_headers.clear();
  request.clear();
  response.clear();
  status = 0;
  events.clear();
  events_left_out = false;
}

}  // namespace mcpscan::ingest
