// HarExchange: one exchange of a HAR on its way from the reader to the observations: what happens when, and what was told of it so
// far. Owns all it holds, so that it can wait, and change threads.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/exchange.h"
#include "pipeline/har_heads.h"

namespace mcpscan::pipeline {

// A part of an event stream, and when it came.
struct HarChunk {
  Time at;
  std::string text;
};

// In the order in which steps of one time are taken: an exchange ends before another one starts.
enum class HarStep : std::uint8_t { end, events, head, start };

// Whose record it is where a service worker fetches what its page asks for, as far as the producer says.
enum class HarFetch : std::uint8_t { untold, for_page, by_worker };

struct HarExchange {
  model::SourceRef source;
  std::string server, connection_id;  // host:port; the connection's name, where the HAR has one
  model::Scheme scheme = model::Scheme::unknown;
  Time started, head_at, end_at;
  std::int64_t precision_us = 1;      // of these times
  bool tells_duration = false;        // else head and end are where the start is
  app::KeptHead request, response;
  bool has_response = false;
  HarBodyState request_state = HarBodyState::present, response_state = HarBodyState::present;
  std::string request_body, response_body;
  std::int64_t told_size = -1;        // of the response's body
  bool body_cut = false;              // by the producer
  std::vector<HarChunk> events;
  std::string redirect;               // where the request goes on; empty: nowhere
  model::EndReason end = model::EndReason::complete;
  HarFetch fetch = HarFetch::untold;

  // --- while it is replayed ---
  std::shared_ptr<app::HttpConnection> connection;
  std::unique_ptr<app::Exchange> exchange;
  std::uint32_t requests = 0, replies = 0;  // messages told
  bool told = false;
  bool has_copy = false;                    // HarCopies
  bool follows = false;                     // the request of an exchange that was redirected here
  bool left_out = false;                    // another exchange tells it
  HarStep step = HarStep::start;
  std::size_t next_event = 0;

  std::size_t bytes() const {
    std::size_t sum = request_body.size() + response_body.size() + request.bytes.size() + response.bytes.size();
    for (const HarChunk& chunk : events) sum += chunk.text.size();
    return sum;
  }
};

}  // namespace mcpscan::pipeline
