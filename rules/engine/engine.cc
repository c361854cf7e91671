#include "engine/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/call_picture.h"
#include "engine/proxy_share.h"

namespace mcpscan::engine {

using model::FindingDraft;
using model::TimelineEvent;

namespace {

constexpr std::string_view kClientTimeout = "client_timeout_s";  // filled in for detectors that ask for it

FindingDraft draft_of(const Rule& rule, const TimelineEvent& event) {
  FindingDraft draft;
  draft.detail = rule.detail;
  draft.session = event.session ? event.session->label : std::string();
  draft.requestor = event.call ? event.call->requestor : model::Direction::unknown;
  if (event.call) {
    draft.call = model::finding_call(*event.call);
  } else if (event.observation && event.observation->message) {
    const model::RpcMessage& message = *event.observation->message;
    draft.call = model::FindingCall{model::OwnedId(message.id), std::string(message.method), std::string(message.target), event.at, {}};
  }
  draft.at = event.at;
  draft.fault = rule.fault;
  if (rule.fault_is_senders && event.observation) {
    draft.fault.party = event.observation->direction == model::Direction::server_to_client ? model::Party::server : model::Party::client;
  }
  if (rule.fault_may_be_proxys) draft.fault = or_of_proxy(event, std::move(draft.fault));
  const bool nameless = event.kind == model::EventKind::exchange_summary && !event.call;  // what the session's other calls suffered need not be its cause
  if (!nameless) draft.cause_rule = rule.consequence_of;
  draft.evidence.push_back(model::evidence_of(event));
  return draft;
}

}  // namespace

Status RuleSet::add(std::string_view yaml, std::string_view path, Proof proof) {
  auto rule = load_rule(yaml, path, proof);
  if (!rule) return rule.error();
  const auto place = std::lower_bound(rules_.begin(), rules_.end(), rule->id, [](const auto& r, const std::string& id) { return r->id < id; });
  if (place != rules_.end() && (*place)->id == rule->id) {
    return Error{ErrorCode::invalid_argument, fmt::format("a rule '{}' is loaded already, from {}", rule->id, (*place)->path), std::string(path), "give the rule another id"};
  }
  rules_.insert(place, std::make_unique<const Rule>(rule.take()));
  return {};
}

const Rule* RuleSet::find(std::string_view id) const {
  for (const auto& rule : rules_) {
    if (rule->id == id) return rule.get();
  }
  return nullptr;
}

std::vector<std::string_view> RuleSet::ids() const {
  std::vector<std::string_view> ids;
  for (const auto& rule : rules_) ids.push_back(rule->id);
  return ids;
}

struct Engine::Worker : model::FindingSink {
  Worker(const Rule& r, Engine& e) : rule(r), engine(e) {
    if (rule.correlation) correlator.emplace(*rule.correlation, rule.condition);
  }
  bool takes() const override { return !engine.quiet_; }
  void add(FindingDraft draft) override {
    if (engine.quiet_) return;
    if (rule.needs_absence && engine.seen_ && is_damaged(*engine.seen_)) hold_back(draft);
    if (draft.picture.empty() && engine.seen_) draft.picture = picture_of(*engine.seen_);
    const model::Session* const session = engine.seen_ ? engine.seen_->session : nullptr;
    const std::uint32_t hop = session && session->label == draft.session ? session->index + 1 : 0;  // what was held back is told at any session's event
    engine.book_.add(rule, std::move(draft), hop);
  }
  void tell(const TimelineEvent& event) {
    if (correlator) correlator->look_at(event, draft_of(rule, event), *this);
    else add(draft_of(rule, event));
  }

  static bool is_damaged(const TimelineEvent& event) { return (event.session && event.session->damaged) || (event.exchange && event.exchange->gap); }
  // Absence needs presence: what the rule misses may have been in the hole, so nobody is accused.
  static void hold_back(FindingDraft& draft) {
    draft.level = model::Level::informational;
    draft.fault = {model::Party::unknown, model::Certainty::undetermined, {}, "bytes of the evidence are missing or damaged here; what the rule misses may have been in them"};
  }

  const Rule& rule;
  Engine& engine;
  std::unique_ptr<model::Detector> detector;
  std::optional<Correlator> correlator;
};

Engine::Engine(const RuleSet& rules, const EngineOptions& options, const Limits& limits) : by_event_(model::kEventKinds), book_(limits) {
  for (const auto& rule : rules.rules()) {
    if (!options.only.empty() && std::find(options.only.begin(), options.only.end(), rule->id) == options.only.end()) continue;
    if (options.scope != Scope::all && rule->joint != (options.scope == Scope::joint)) continue;
    auto worker = std::make_unique<Worker>(*rule, *this);
    std::uint32_t events = rule->condition.events();
    if (rule->detector) {
      model::Parameters parameters = rule->parameters;
      parameters.try_emplace(std::string(kClientTimeout), fmt::format("{:.6f}", static_cast<double>(options.client_timeout_us) / kSecond));
      parameters.try_emplace("inputs", options.one_input ? "one" : "several");
      worker->detector = rule->detector->make(parameters);
      events = rule->detector->events & worker->detector->wants();
    }
    for (std::size_t kind = 0; kind < model::kEventKinds; ++kind) {
      if ((events & (1u << kind)) != 0) by_event_[kind].push_back({worker->detector.get(), worker->detector ? nullptr : &rule->condition, worker.get()});
    }
    workers_.push_back(std::move(worker));
  }
}

Engine::~Engine() = default;

void Engine::on_event(const TimelineEvent& event) {
  seen_ = &event;
  for (const Look& look : by_event_[static_cast<std::size_t>(event.kind)]) {
    if (look.detector) look.detector->on_event(event, *look.worker);
    else if (look.condition->matches(event)) look.worker->tell(event);
  }
  seen_ = nullptr;
}

void Engine::finish() {
  for (const auto& worker : workers_) {
    if (worker->detector) worker->detector->finish(*worker);
  }
}

void Engine::recall(const std::vector<model::ToolShape>& shapes) {
  for (const auto& worker : workers_) {
    if (worker->detector) worker->detector->recall(shapes);
  }
}

std::vector<model::ToolShape> Engine::shapes() const {
  for (const auto& worker : workers_) {
    if (!worker->detector) continue;
    if (std::vector<model::ToolShape> shapes = worker->detector->shapes(); !shapes.empty()) return shapes;
  }
  return {};
}

}  // namespace mcpscan::engine
