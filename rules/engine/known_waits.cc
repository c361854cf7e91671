#include "engine/known_waits.h"

#include <cstdlib>

namespace mcpscan::engine {
namespace {

constexpr KnownWait kWaits[] = {{2, {}, true, false},
                                {5, {}, true, false},
                                {10, {}, true, false},
                                {20, "the Java SDK's default", true, false},
                                {30, "the default of Python's httpx", true, true},
                                {60, "the default of the TypeScript SDK, and of nginx and AWS load balancers", true, true},
                                {100, "the default of .NET's HttpClient", true, true},
                                {120, {}, true, true},
                                {180, "the Claude Code connector's wait", true, true},
                                {240, "the claude.ai connector's wait", true, true},
                                {300, "the Python SDK's wait for an event", true, true},
                                {600, {}, false, true}};
constexpr std::int64_t kPartsOfTolerance = 50;  // a fiftieth, 2 %

const KnownWait* wait_of(std::int64_t us, bool KnownWait::*whose) {
  for (const KnownWait& known : kWaits) {
    const std::int64_t wait = known.seconds * kSecond;
    if (known.*whose && std::abs(us - wait) <= wait / kPartsOfTolerance) return &known;
  }
  return nullptr;
}

}  // namespace

const KnownWait* client_wait(std::int64_t us) { return wait_of(us, &KnownWait::of_client); }

const KnownWait* idle_limit(std::int64_t us) { return wait_of(us, &KnownWait::of_proxy); }

}  // namespace mcpscan::engine
