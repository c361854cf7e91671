#include "report/fault_sentence.h"

#include <catch2/catch.hpp>

using namespace mcpscan;
using model::Certainty;
using model::Party;

namespace {

std::string told(const model::Fault& fault) {
  return report::fault_sentence(fault, [](std::string_view text) { return std::string(text); });
}

}  // namespace

TEST_CASE("the others let a sure fault happen, and are its rivals where it is not sure") {
  CHECK(told({Party::client, Certainty::proven, {"server"}, "it sent one id twice"}) == "client (proven), server unguarded: it sent one id twice");
  CHECK(told({Party::client, Certainty::strong, {"the proxy of the office"}, {}}) == "client (strong), the proxy of the office.");
  CHECK(told({Party::server, Certainty::weak, {"gateway"}, "seen late"}) == "server or gateway (weak): seen late");
  CHECK(told({Party::unknown, Certainty::undetermined, {"server", "gateway"}, {}}) == "undetermined (server or gateway).");
  CHECK(told({Party::network, Certainty::strong, {}, {}}) == "network (strong).");
}

TEST_CASE("what the evidence says stands in the sentence as the report may show it") {
  const auto starred = [](std::string_view text) { return std::string(text.size(), '*'); };
  CHECK(report::fault_sentence({Party::server, Certainty::weak, {"ab"}, "cde"}, starred) == "server or ** (weak): ***");
}
