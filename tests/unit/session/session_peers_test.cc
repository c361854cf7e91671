// What a session remembers of who spoke on it.
#include <catch2/catch.hpp>

#include "unit/session/tracker_kit.h"

using namespace mcpscan;
using namespace mcpscan::tests;

namespace {

// Keeps how many addresses the newest event's session knew.
struct AddressCount final : model::EventSink {
  void on_event(const model::TimelineEvent& event) override {
    if (event.session) count = event.session->addresses.size();
  }
  std::size_t count = 0;
};

}  // namespace

TEST_CASE("a session remembers each client address once, and Limits::session_addresses of them") {
  Limits limits;
  limits.session_addresses = 2;
  AddressCount seen;
  session::SessionTracker tracker(limits, {false, "log"}, seen);
  std::uint64_t line = 0;
  for (const char* peer : {"192.0.2.1", "192.0.2.1", "192.0.2.2", "192.0.2.3"}) {
    model::HttpFacts http;
    http.peer = peer;
    model::RpcMessage message;
    message.kind = model::MessageKind::notification;
    message.method = "notifications/initialized";
    model::Observation observation;
    observation.session = "s1";
    observation.source = {0, model::PlaceKind::line, ++line, 0};
    observation.message = &message;
    observation.http = &http;
    tracker.observe(observation);
  }
  CHECK(seen.count == 2);
}

TEST_CASE("clients of 2026-07-28 at one address are told apart by the names they give; of one name, requests with one id in flight are counted") {
  Tracked wire({}, true);
  const auto ask = [&](std::uint64_t number, std::string_view id, std::string_view client) {
    wire.open(number, {.peer = "10.0.0.1", .server = "10.0.0.2:80", .protocol_version = "2026-07-28"});
    wire.request(id, {.exchange = number, .direction = model::Direction::client_to_server, .stream = model::StreamKind::post, .client_name = client});
  };
  ask(1, "1", "one");
  ask(2, "1", "two");
  CHECK(wire.told() == Lines{"+ one at 10.0.0.1 to 10.0.0.2:80 (2026-07-28)", "> 1", "+ two at 10.0.0.1 to 10.0.0.2:80 (2026-07-28)", "> 1"});
  CHECK(wire.tracker.shared_ids() == 0);
  ask(3, "1", "two");
  CHECK(wire.told() == Lines{"> 1"});
  CHECK(wire.tracker.shared_ids() == 1);
}
