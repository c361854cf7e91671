// What 2026-07-28 asks of replies that want more input, of subscriptions and of tasks. The rule's `fault` parameter says which: mrtr,
// subscription or task. Nothing is told of states that may have begun before the evidence.
// Source: MCP 2026-07-28 "Multi Round-Trip Requests", "Subscriptions"; 2025-11-25 "Tasks"; protocol notes LC13 LC14 LC15.
#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>

#include "base/hash.h"
#include "engine/message_json.h"
#include "model/detector.h"

namespace mcpscan::engine {
namespace {

using namespace model;

constexpr std::size_t kKept = 4096;  // states, streams and tasks remembered

bool may_ask_for_input(std::string_view method) { return method == kToolsCall || method == kPromptsGet || method == "resources/read"; }
bool is_final(std::string_view status) { return status == "completed" || status == "failed" || status == "cancelled"; }

class ModernRules : public Detector {
 public:
  explicit ModernRules(const Parameters& parameters)
      : fault_(parameters.at("fault") == "mrtr" ? Fault::input : parameters.at("fault") == "task" ? Fault::task : Fault::subscription) {}

  std::uint32_t wants() const override {
    if (fault_ == Fault::task) return ~0u;
    return event_bit(EventKind::request) | event_bit(fault_ == Fault::input ? EventKind::reply : EventKind::notification);
  }

  void on_event(const TimelineEvent& event, FindingSink& findings) override {
    const RpcMessage* message = event.observation ? event.observation->message : nullptr;
    if (!message || !event.session) return;
    if (fault_ == Fault::input) return event.kind == EventKind::reply ? judge_input_required(event, *message, findings) : judge_retry(event, *message, findings);
    fault_ == Fault::task ? judge_task(event, *message, findings) : judge_subscription(event, *message, findings);
  }

 private:
  enum class Fault : std::uint8_t { input, task, subscription };

  // --- a result that asks for input, and the request that brings it ---
  struct State {
    std::uint64_t principal = 0;
    OwnedId id;
    std::uint64_t asked = 0;   // what its call asked for
    bool came_back = false;
  };

  static std::uint64_t what_is_asked(const TimelineEvent& event) {
    const Call& call = *event.call;
    return hash_combine(hash_bytes(call.target, hash_bytes(call.method, event.session->index)), call.arguments_digest);
  }

  // The state that was given to the same call, and has not come back; null where there are several.
  const State* given_instead(const TimelineEvent& event) const {
    const State* found = nullptr;
    for (const auto& [digest, state] : states_) {
      if (state.came_back || state.asked != what_is_asked(event)) continue;
      if (found) return nullptr;
      found = &state;
    }
    return found;
  }

  void judge_input_required(const TimelineEvent& event, const RpcMessage& message, FindingSink& findings) {
    if ((message.result_keys & kInputRequired) == 0 || !event.call || !json_.read(message)) return;
    if (!may_ask_for_input(event.call->method)) return tell(event, Party::server, fmt::format("it answered {} with a request for input, which only tools/call, prompts/get and resources/read may get", event.call->method), findings);
    const std::string_view state = json_.text("/result/requestState");
    if (state.empty() && !json_.at("/result/inputRequests")) return tell(event, Party::server, "it asked for input and named neither what it wants nor a state to come back with", findings);
    if (state.empty()) return;
    if (states_.size() >= kKept) states_.clear();
    states_[hash_bytes(state)] = {event.exchange ? event.exchange->principal : 0, event.call->id, what_is_asked(event)};
  }

  void judge_retry(const TimelineEvent& event, const RpcMessage& message, FindingSink& findings) {
    if (states_.empty() || event.kind != EventKind::request || !may_ask_for_input(message.method) || message.text.find("\"requestState\"") == std::string_view::npos || !json_.read(message)) return;
    const std::string_view state = json_.text("/params/requestState");
    const auto known = states_.find(hash_bytes(state));
    if (state.empty()) return;
    if (known == states_.end()) {
      const State* const given = event.session->had_gap ? nullptr : given_instead(event);
      if (given) tell(event, Party::client, fmt::format("it brought another requestState than the one that it was given for this call (id {})", given->id.raw), findings, Certainty::weak);
      return;
    }
    known->second.came_back = true;
    const std::uint64_t principal = event.exchange ? event.exchange->principal : 0;
    if (principal != 0 && known->second.principal != 0 && principal != known->second.principal) {
      return tell(event, Party::client, "it brought a requestState that was given to another user", findings);
    }
    if (known->second.id.view() == message.id) tell(event, Party::client, "it repeated the request under the same id; a retry is a new request", findings);
  }

  // --- the stream of subscriptions/listen ---
  struct Listening {
    OwnedId id;
    bool acknowledged = false;
  };

  void judge_subscription(const TimelineEvent& event, const RpcMessage& message, FindingSink& findings) {
    if (!event.exchange) return;
    if (event.kind == EventKind::request && message.method == "subscriptions/listen") {
      if (listening_.size() >= kKept) listening_.clear();
      listening_[event.exchange->id].id = OwnedId(message.id);
      return;
    }
    const auto found = listening_.find(event.exchange->id);
    if (event.kind != EventKind::notification || found == listening_.end() || event.observation->direction != Direction::server_to_client || !json_.read(message)) return;
    Listening& listening = found->second;
    const OwnedId told = json_.id("/params/_meta/io.modelcontextprotocol~1subscriptionId");
    const bool first = !std::exchange(listening.acknowledged, true);
    const bool may_be_second = event.exchange->gap;  // the acknowledgement may have been in the hole
    if (first && !may_be_second && message.method != "notifications/subscriptions/acknowledged") return tell(event, Party::server, fmt::format("it sent {} before it acknowledged the subscription", message.method), findings);
    if (message.method == "notifications/progress" || message.method == "notifications/message") return tell(event, Party::server, fmt::format("it sent {} on a subscription's stream, where it never belongs", message.method), findings);
    if (told.type != IdType::absent && told.value != listening.id.value) tell(event, Party::server, fmt::format("a message on the stream of subscription {} names another one, {}", listening.id.raw, told.value), findings);
  }

  // --- tasks ---
  void judge_task(const TimelineEvent& event, const RpcMessage& message, FindingSink& findings) {
    const bool reply = event.kind == EventKind::reply && event.call && message.kind == MessageKind::result;
    if (reply && (message.result_keys & kTask) != 0 && (message.result_keys & kContent) == 0 && !event.modern && !asked_for_task(event)) {
      return tell(event, Party::server, "it answered with a task that the request had not asked for", findings);
    }
    const bool status = reply ? event.call->method == "tasks/get" || (message.result_keys & kTask) != 0 : message.method == "notifications/tasks/status";
    if (event.kind == EventKind::request) return note_request(event, message);
    if (!status || !json_.read(message)) return;
    const std::string where = reply ? ((message.result_keys & (kTask | kTaskId)) == kTask ? "/result/task" : "/result") : "/params";
    const std::string task(json_.text(where + "/taskId")), now(json_.text(where + "/status"));
    if (task.empty() || now.empty()) return;
    if (tasks_.size() >= kKept) tasks_.clear();
    std::string& before = tasks_[event.session->label + '\x1f' + task];
    if (is_final(before) && before != now) tell(event, Party::server, fmt::format("the task {} was {} and is {} now; a final status never changes", task, before, now), findings);
    before = now;
  }

  void note_request(const TimelineEvent& event, const RpcMessage& message) {
    if (!message.asks_for_task) return;
    if (asked_.size() >= kKept) asked_.clear();
    asked_.insert(event.call->number);
  }

  bool asked_for_task(const TimelineEvent& event) const { return asked_.contains(event.call->number); }

  static void tell(const TimelineEvent& event, Party party, std::string reason, FindingSink& findings, Certainty certainty = Certainty::strong) {
    FindingDraft draft;
    draft.session = event.session->label;
    draft.at = event.at;
    if (event.call) draft.call = finding_call(*event.call);
    draft.fault = {party, certainty, {}, std::move(reason)};
    draft.evidence.push_back(evidence_of(event));
    findings.add(std::move(draft));
  }

  Fault fault_;
  MessageJson json_;
  std::map<std::uint64_t, State> states_;       // by digest of the state
  std::map<std::uint64_t, Listening> listening_;  // by exchange
  std::map<std::string, std::string> tasks_;    // status by session and task
  std::set<std::uint64_t> asked_;               // numbers of calls that asked for a task
};

}  // namespace

extern const DetectorEntry kModernRules{"modern_rules", event_bits(EventKind::request, EventKind::reply, EventKind::notification), {"fault"}, made<ModernRules>};

}  // namespace mcpscan::engine
