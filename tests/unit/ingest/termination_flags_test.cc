// How an exchange ended, in the words of HAProxy and Envoy.
#include "ingest/text/termination_flags.h"

#include <catch2/catch.hpp>

#include <string_view>
#include <utility>

using namespace mcpscan::ingest;

TEST_CASE("HAProxy's four letters tell who ended an exchange that the server had") {
  const std::pair<std::string_view, Termination> kWords[]{
      {"----", Termination::complete},       {"--NI", Termination::complete},       {"CD--", Termination::by_client},      {"CHVN", Termination::by_client},
      {"SD--", Termination::by_server},      {"SHVN", Termination::by_server},      {"sD--", Termination::upstream_timer}, {"sH--", Termination::upstream_timer},
      {"cD--", Termination::downstream_timer}};
  for (const auto& [flags, end] : kWords) {
    INFO(flags);
    CHECK(read_termination(flags) == end);
  }
}

TEST_CASE("what came to nothing before the server had the request says nothing of its end") {
  for (const std::string_view flags : {"CR--", "cR--", "SC--", "sC--", "sQ--", "PR--", "LR--", "RC--"}) {
    INFO(flags);
    CHECK(read_termination(flags) == Termination::untold);
  }
}

TEST_CASE("the details of Google's load balancers tell who ended an exchange") {
  CHECK(read_termination("response_sent_by_backend") == Termination::complete);
  CHECK(read_termination("backend_timeout") == Termination::upstream_timer);
  CHECK(read_termination("client_disconnected_before_any_response") == Termination::by_client);
  CHECK(read_termination("backend_connection_closed_after_partial_response_sent") == Termination::by_server);
  CHECK(read_termination("failed_to_connect_to_backend") == Termination::untold);
}

TEST_CASE("pino-http says that a client left in place of the completion") {
  CHECK(read_termination("request aborted") == Termination::by_client);
  CHECK(read_termination("request completed") == Termination::untold);
}

TEST_CASE("of several of Envoy's flags the one that tells the end counts, and the client's leaving before all others") {
  CHECK(read_termination("-") == Termination::complete);
  CHECK(read_termination("UT") == Termination::upstream_timer);
  CHECK(read_termination("URX,UC") == Termination::by_server);
  CHECK(read_termination("UC,DC") == Termination::by_client);
  CHECK(read_termination("SI") == Termination::upstream_timer);
  for (const std::string_view flags : {"UF", "UH", "NR", "URX", "RL", "UAEX", "NFCF", "RLSE", "", "via_upstream"}) {
    INFO(flags);
    CHECK(read_termination(flags) == Termination::untold);
  }
}
