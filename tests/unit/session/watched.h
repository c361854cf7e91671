// One source of evidence, watched by a tracker whose calls go into a ledger: calls said in few words. Ids are JSON tokens: 1, "1".
#pragma once

#include <cmath>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "session/call_ledger.h"
#include "session/session_tracker.h"

namespace mcpscan::tests {

struct Asked {
  std::string_view session = "s1", tool = "tool", arguments = "amber-1";
  std::uint64_t connection = 0;
};

class Watched {
 public:
  explicit Watched(std::size_t most = session::kLedgerCalls, bool wire = false) : ledger(most), tracker(limits, {wire, "log"}, ledger) {}

  void request(std::string_view id, double at, Asked asked = {}) {
    const std::string text = R"({"params":{"arguments":{"q":")" + std::string(asked.arguments) + "\"}}}";
    model::RpcMessage message;
    message.kind = model::MessageKind::request;
    message.id = id_of(id);
    message.method = "tools/call";
    message.target = asked.tool;
    message.text = text;
    message.arguments_digest = message.digest = asked.arguments.empty() ? 0 : hash_bytes(asked.arguments);
    observe(message, at, asked);
  }
  void reply(std::string_view id, double at, std::string_view payload, Asked asked = {}) {
    model::RpcMessage message;
    message.kind = model::MessageKind::result;
    message.id = id_of(id);
    message.text = payload;
    message.result_keys = model::kContent;
    message.digest = hash_bytes(payload);
    message.content_texts = {&payload, 1};
    observe(message, at, asked);
  }
  void cancel(std::string_view id, double at, Asked asked = {}) {
    model::RpcMessage message;
    message.kind = model::MessageKind::notification;
    message.method = "notifications/cancelled";
    message.related = id_of(id);
    observe(message, at, asked);
  }
  // A call and its reply, which repeats what was asked.
  void answered(std::string_view id, double at, double took, Asked asked = {}) {
    request(id, at, asked);
    reply(id, at + took, "about " + std::string(asked.arguments), asked);
  }
  // What a client's own record shows for a call; an empty `shown`: it gave the call up.
  void outcome(std::string_view name, double started, double at, std::string_view shown, Asked asked = {}) {
    model::OutcomeFacts facts;
    facts.call = name;
    facts.tool = asked.tool;
    facts.arguments_digest = hash_bytes(asked.arguments);
    facts.digest = shown.empty() ? 0 : hash_bytes(shown);
    facts.timed_out = shown.empty();
    facts.started = time(started);
    model::Observation seen = seen_at(at, asked);
    seen.session = {};
    seen.kind = model::ObservationKind::outcome;
    seen.outcome = &facts;
    tracker.observe(seen);
  }

  Limits limits;
  session::CallLedger ledger;
  session::SessionTracker tracker;
  std::uint32_t input = 0;

 private:
  static Time time(double seconds) { return {std::llround(seconds * 1e6)}; }

  static model::RpcId id_of(std::string_view token) {
    if (token.front() == '"') return {model::IdType::string, token.substr(1, token.size() - 2), token};
    return {model::IdType::integer, token, token};
  }

  model::Observation seen_at(double at, const Asked& asked) {
    model::Observation seen;
    seen.session = asked.session;
    seen.connection = asked.connection;
    seen.at = time(at);
    seen.source = {input, model::PlaceKind::line, ++line_, 0};
    return seen;
  }

  void observe(const model::RpcMessage& message, double at, const Asked& asked) {
    model::Observation seen = seen_at(at, asked);
    seen.message = &message;
    tracker.observe(seen);
  }

  std::uint64_t line_ = 0;
};

}  // namespace mcpscan::tests
