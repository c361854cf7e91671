// The waits that SDKs, hosts and proxies are built with, and whose they are: a call or a stream that ends at one of them was given up by a
// deadline. The one list of them; who ended what, and whether that is a fault, is for the detectors to say.
// Source: protocol notes TM01, TM05 and D.1. Threads: pure functions.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/time.h"

namespace mcpscan::engine {

constexpr std::int64_t kTellingWaitUs = 25 * kSecond;  // an access line shorter than this, alone, says nothing about a deadline

struct KnownWait {
  std::int64_t seconds = 0;
  std::string_view owner;   // for people; empty: used by several, none of them known
  bool of_client = false;   // a client waits so long for a reply
  bool of_proxy = false;    // a proxy or load balancer lets a stream be silent for so long
};

// The wait that a duration (microseconds) stands for, within 2 %; null: none.
const KnownWait* client_wait(std::int64_t us);
const KnownWait* idle_limit(std::int64_t us);

}  // namespace mcpscan::engine
