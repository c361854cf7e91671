#include "pipeline/observation_relay.h"

#include <catch2/catch.hpp>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/hash.h"

using namespace mcpscan;

namespace {

// Texts and methods as they came, each with the number of its record. Checks nothing by itself: it works in the relay's thread.
struct Texts : model::ObservationSink {
  std::size_t quotes_elsewhere = 0;  // quotes that are no part of their message any more
  std::vector<std::pair<std::uint64_t, std::string>> seen;
  void observe(const model::Observation& observation) override {
    quotes_elsewhere += !observation.text.empty() && observation.text.data() != observation.message->text.data();
    seen.emplace_back(observation.source.number, std::string(observation.message->method) + std::string(observation.message->text));
  }
};

// A message of `size` bytes that dies when it has been told.
void tell(model::ObservationSink& sink, std::uint64_t number, std::size_t size) {
  std::string text(size, static_cast<char>('a' + number % 26)), method = "method-" + std::to_string(number);
  model::RpcMessage message;
  message.text = text;
  message.method = method;
  model::Observation observation;
  observation.source.number = number;
  observation.text = message.text.substr(0, 100);
  observation.message = &message;
  sink.observe(observation);
  text.assign(size, '!');
  method.assign(method.size(), '!');
}

}  // namespace

TEST_CASE("What is relayed arrives as it was told and in its order, be it short, long, or too long to be copied", "[threads]") {
  Texts direct, relayed;
  {
    model::AnomalyLog anomalies;
    pipeline::ObservationRelay relay({}, anomalies, relayed);
    const auto tell_both = [&](std::uint64_t number, std::size_t size) {
      tell(direct, number, size);
      tell(relay, number, size);
    };
    relay.run([&] {
      for (std::uint64_t i = 1; i <= 3000; ++i) tell_both(i, i % 97);
      for (std::uint64_t i = 3001; i <= 3100; ++i) tell_both(i, 40'000);
      tell_both(3101, 1u << 20);
      tell_both(3102, (1u << 20) + 1);
      tell_both(3103, 10);
    });
  }
  REQUIRE(relayed.seen.size() == 3103);
  CHECK((relayed.seen == direct.seen));
  CHECK(relayed.quotes_elsewhere == 0);
}

namespace {

// The id of each message, slowly at first, so that the reader is ahead of whom it reads for.
struct SlowIds : model::ObservationSink {
  std::vector<std::string> ids;
  void observe(const model::Observation& observation) override {
    volatile int work = 0;
    for (int i = 0; ids.size() < 2000 && i < 20'000; ++i) work = work + 1;
    ids.emplace_back(observation.message ? observation.message->id.raw : "none");
  }
};

}  // namespace

TEST_CASE("the messages of relayed bodies come in the order of their bodies, whichever thread has read them", "[threads]") {
  Limits limits;
  limits.id_bytes = 8;
  SlowIds relayed;
  model::AnomalyLog anomalies;
  pipeline::ObservationRelay relay(limits, anomalies, relayed);
  std::vector<std::string> sent;
  relay.run([&] {
    for (int i = 1; i <= 6000; ++i) {
      const bool long_one = i == 5000, large = i == 5500;
      const std::string id = long_one ? "\"a long identifier\"" : std::to_string(i);
      std::string text = "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"result\":{\"text\":\"" + std::string(large ? 2u << 20 : 10, 'x') + "\"}}";
      model::Observation body;
      body.kind = model::ObservationKind::body;
      body.source.number = static_cast<std::uint64_t>(i);
      body.text = text;
      relay.observe(body);
      sent.push_back(id);
      text.assign(text.size(), '!');
    }
  });
  REQUIRE(relayed.ids.size() == sent.size());
  CHECK(relayed.ids[4999].starts_with("\"a long"));
  relayed.ids[4999] = sent[4999];
  CHECK((relayed.ids == sent));
  REQUIRE(anomalies.entries().contains("id-too-long"));
  CHECK(anomalies.entries().at("id-too-long").source.number == 5000);
}

TEST_CASE("of HTTP heads copied one after the other, texts that stay the same are there once, and each head says what it said") {
  Arena arena;
  pipeline::ObservationCopier copier(arena);
  const auto copy = [&copier](std::string host, std::string session) {
    model::HttpFacts http;
    http.host = host;
    http.session_id = session;
    model::Observation seen;
    seen.http = &http;
    return copier.copy(seen);
  };
  const model::Observation first = copy("gateway", "one"), second = copy("gateway", "two"), third = copy("", "two"), fourth = copy("gateway", "");
  CHECK(first.http->host == "gateway");
  CHECK(first.http->session_id == "one");
  CHECK(second.http->host.data() == first.http->host.data());
  CHECK(second.http->session_id == "two");
  CHECK(third.http->host.empty());
  CHECK(third.http->session_id.data() == second.http->session_id.data());
  CHECK(fourth.http->host.data() == first.http->host.data());
  CHECK(fourth.http->session_id.empty());
  arena.reset();
  copier.forget();
  CHECK(copy("gateway", "three").http->host == "gateway");
}

TEST_CASE("a copied result has its own texts and structure, digested as before") {
  Arena arena;
  model::Observation copied;
  {
    std::string text = R"({"content":[{"type":"text","text":"a\nb"}],"structuredContent":{"a":1}})";
    const std::array<std::string_view, 1> texts{std::string_view(text).substr(35, 4)};
    model::RpcMessage message;
    message.text = text;
    message.content_texts = texts;
    message.structured = std::string_view(text).substr(63, 7);
    model::Observation seen;
    seen.message = &message;
    copied = pipeline::copy_observation(seen, arena);
    text.assign(text.size(), '!');
  }
  CHECK(model::content_digest(*copied.message) == hash_bytes("a\nb"));
  CHECK(model::structured_digest(*copied.message) == hash_bytes(R"({"a":1})"));
}
