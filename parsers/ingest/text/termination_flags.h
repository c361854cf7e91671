// Termination flags: the word in which a proxy says how an exchange ended, HAProxy's four letters (sD--), Envoy's response flags
// (UT, or several as URX,UF) and the details of Google's load balancers (backend_timeout). They are told apart by their form. What says nothing of the end (retries, rate limits, no healthy upstream:
// all of these come with a status that refuses) is untold.
// Threads: pure functions.
// Source: HAProxy 2.6 to 3.2 doc/configuration.txt section 8.5; Envoy 1.31 to 1.36 docs, access_log/usage, %RESPONSE_FLAGS%;
// Google Cloud Load Balancing docs, statusDetails.
#pragma once

#include <cstdint>
#include <string_view>

namespace mcpscan::ingest {

enum class Termination : std::uint8_t {
  untold,
  complete,         // nobody cut it
  by_client,        // the client closed or aborted
  by_server,        // the server's side closed or reset its connection to the proxy
  upstream_timer,   // the proxy's own limit on the server was over
  downstream_timer, // the proxy's own limit on the client was over: it took no data, or both sides were silent
};

Termination read_termination(std::string_view flags);

}  // namespace mcpscan::ingest
