// Reads a rule file: every key is known, every type right, every test complete, or an Error says where and how to mend it.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/capabilities.h"
#include "engine/detector_registry.h"
#include "engine/rule.h"

namespace mcpscan::engine {
namespace {

const std::vector<std::string_view> kRuleKeys{"title", "id", "status", "level", "description", "mechanism", "clause", "counts", "references", "falsepositives",
                                              "tags", "fix", "needs", "held_back_by", "incident", "detector", "parameters", "detection", "correlation", "fault", "detail",
                                              "consequence_of", "joint", "tests"};
const std::vector<std::string_view> kTestKeys{"name", "wire", "timeline", "expect"};
const std::vector<std::string_view> kStepKeys{
    "at", "request", "reply", "error", "notify", "notice", "summary", "open", "response", "end", "gap", "event", "session", "keyed", "exchange", "connection", "stream",
    "method", "tool", "from", "key", "second_key", "vantage", "wait", "reason", "result", "payload", "related", "token", "peer", "port", "principal", "path", "status", "duration", "bytes", "sse", "proxy", "saw_server",
    "batch", "batch_index", "defects", "code", "version", "header_version", "header_method", "header_name", "last_event", "event_id", "channel", "new_session", "whole", "outcome", "start", "started", "timed_out", "no_answer", "stopped", "says", "shows",
    "host", "origin", "user_agent", "content_type", "scheme", "declared", "last_byte", "refusal", "response_session", "server", "forwarded", "input", "access_line"};
const std::vector<std::string_view> kExpectKeys{"count", "detail", "level", "party", "certainty", "session", "ids"};
const std::vector<std::string_view> kStatuses{"experimental", "test", "stable", "deprecated"};
const std::vector<std::string_view> kParties{"client", "server", "gateway", "network", "unknown"};
const std::vector<std::string_view> kBlamed{"client", "server", "gateway", "network", "unknown", "sender"};
const std::vector<std::string_view> kCertainties{"proven", "strong", "weak", "undetermined"};
const std::vector<std::string_view> kHeldBackBy{"absence", "clients", "history", "order", "waits"};

constexpr std::string_view kGivenByTheRun = "client_timeout_s";  // a parameter that comes from the command line

std::string stem_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  return std::string(name.substr(0, name.rfind('.')));
}

std::string category_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return "user";
  const std::size_t before = path.rfind('/', slash - 1);
  return std::string(path.substr(before == std::string_view::npos ? 0 : before + 1, slash - (before == std::string_view::npos ? 0 : before + 1)));
}

template <typename Words>
std::size_t index_of(const Words& words, std::string_view word) {
  return static_cast<std::size_t>(std::find(words.begin(), words.end(), word) - words.begin());
}

// Collects the first error of many small reads, so that the code below reads as the file does.
class Loader {
 public:
  Loader(const DataFile& file, Rule& rule) : file_(file), rule_(rule) {}

  Status load(Proof proof) {
    check(file_.check_keys(file_.root(), kRuleKeys));
    load_head();
    load_lists();
    load_needs();
    load_incident();
    load_fault();
    load_what_it_looks_at();
    if (proof == Proof::asked) load_tests();
    return error_ ? Status(*error_) : Status();
  }

 private:
  void check(const Status& status) {
    if (!status.ok() && !error_) error_ = status.error();
  }
  void fail(const YamlNode& at, std::string_view what, std::string_view hint = {}) {
    if (!error_) error_ = file_.error(at, what, hint);
  }
  std::string text(const YamlNode& map, const char* key, bool required = false) {
    auto value = file_.text(map, key, required);
    if (value) return value.take();
    if (!error_) error_ = value.error();
    return {};
  }
  std::vector<std::string> texts(const YamlNode& map, const char* key) {
    auto value = file_.texts(map, key);
    if (value) return value.take();
    if (!error_) error_ = value.error();
    return {};
  }
  std::string one_of(const YamlNode& map, const char* key, const std::vector<std::string_view>& words, std::string_view otherwise) {
    const std::string value = text(map, key);
    if (value.empty()) return std::string(otherwise);
    if (index_of(words, value) == words.size()) fail(map[key], fmt::format("'{}' is no {}", value, key), did_you_mean(value, words));
    return value;
  }

  void load_head() {
    const YamlNode& root = file_.root();
    rule_.title = text(root, "title", true);
    rule_.id = text(root, "id", true);
    rule_.status = one_of(root, "status", kStatuses, "stable");
    rule_.description = text(root, "description", true);
    rule_.mechanism = text(root, "mechanism");
    rule_.clause = text(root, "clause");
    rule_.counts = text(root, "counts");
    rule_.detail = text(root, "detail");
    rule_.consequence_of = text(root, "consequence_of");
    rule_.joint = text(root, "joint") == "true";
    rule_.path = file_.path();
    rule_.category = category_of(file_.path());
    const std::string level = text(root, "level", true);
    if (const auto parsed = model::parse_level(level)) {
      rule_.level = *parsed;
    } else {
      fail(root["level"], fmt::format("'{}' is no level", level), "one of informational, low, medium, high, critical");
    }
    if (rule_.id != stem_of(file_.path())) fail(root["id"], fmt::format("the id '{}' is not the file's name", rule_.id), fmt::format("name the file {}.yml", rule_.id));
  }

  void load_lists() {
    const YamlNode& root = file_.root();
    rule_.references = texts(root, "references");
    rule_.falsepositives = texts(root, "falsepositives");
    rule_.tags = texts(root, "tags");
    const YamlNode& fix = root["fix"];
    if (!fix.is_defined()) return;
    check(file_.check_keys(fix, kParties));
    if (error_) return;
    for (const YamlEntry& entry : fix.entries()) rule_.fix[entry.key.text()] = entry.value.text();
  }

  void load_needs() {
    const YamlNode& root = file_.root();
    std::vector<std::string_view> known;
    for (const CapabilityEntry& entry : capabilities()) known.push_back(entry.word);
    for (const std::string& word : texts(root, "needs")) {
      const std::uint32_t bit = capability_by_word(word);
      if (bit == 0) fail(root["needs"], fmt::format("unknown need '{}'", word), did_you_mean(word, known));
      rule_.needs |= bit;
    }
    for (const std::string& word : texts(root, "held_back_by")) {
      if (index_of(kHeldBackBy, word) == kHeldBackBy.size()) fail(root["held_back_by"], fmt::format("unknown word '{}'", word), did_you_mean(word, kHeldBackBy));
      rule_.needs_absence = rule_.needs_absence || word == "absence";
      rule_.needs_waits = rule_.needs_waits || word == "waits";
      rule_.needs_clients = rule_.needs_clients || word == "clients";
      rule_.needs_order = rule_.needs_order || word == "order";
      rule_.needs_history = rule_.needs_history || word == "history";
    }
  }

  void load_incident() {
    const YamlNode& incident = file_.root()["incident"];
    if (!incident.is_defined()) return;
    check(file_.check_keys(incident, {"title", "story", "stories"}));
    if (error_) return;
    for (const YamlEntry& entry : incident["stories"].entries()) rule_.incident_stories[entry.key.text()] = entry.value.text();
    rule_.incident_title = text(incident, "title");
    rule_.incident_story = text(incident, "story");
  }

  void load_fault() {
    const YamlNode& fault = file_.root()["fault"];
    if (!fault.is_defined()) return;
    check(file_.check_keys(fault, {"party", "certainty", "contributing", "reason", "or_proxy"}));
    if (error_) return;
    constexpr std::array<model::Party, 6> kPartyValues{model::Party::client, model::Party::server, model::Party::gateway, model::Party::network, model::Party::unknown,
                                                       model::Party::unknown};
    constexpr std::array<model::Certainty, 4> kCertaintyValues{model::Certainty::proven, model::Certainty::strong, model::Certainty::weak, model::Certainty::undetermined};
    const std::size_t party = index_of(kBlamed, one_of(fault, "party", kBlamed, "unknown"));
    const std::size_t certainty = index_of(kCertainties, one_of(fault, "certainty", kCertainties, "undetermined"));
    if (error_) return;
    rule_.fault.party = kPartyValues[party];
    rule_.fault_is_senders = kBlamed[party] == "sender";
    rule_.fault.certainty = kCertaintyValues[certainty];
    rule_.fault.contributing = texts(fault, "contributing");
    rule_.fault.reason = text(fault, "reason");
    rule_.fault_may_be_proxys = text(fault, "or_proxy") == "true";
  }

  void load_what_it_looks_at() {
    const YamlNode& root = file_.root();
    const std::string name = text(root, "detector");
    const YamlNode& detection = root["detection"];
    if (name.empty() == !detection.is_defined()) {
      return fail(root, "a rule has either 'detector' or 'detection'", "detection: {event: request, selection: {...}, condition: selection}");
    }
    if (name.empty()) return load_condition(detection);
    if (root["correlation"].is_defined()) return fail(root["correlation"], "'correlation' belongs to a rule with 'detection'");
    std::vector<std::string_view> known;
    for (const DetectorEntry* entry : registered_detectors()) {
      known.push_back(entry->name);
      if (entry->name == name) rule_.detector = entry;
    }
    if (!rule_.detector) return fail(root["detector"], fmt::format("unknown detector '{}'", name), did_you_mean(name, known));
    load_parameters();
  }

  void load_condition(const YamlNode& detection) {
    auto condition = Condition::load(file_, detection);
    if (!condition) return check(condition.error());
    rule_.condition = condition.take();
    const YamlNode& node = file_.root()["correlation"];
    if (!node.is_defined()) return;
    auto correlation = Correlation::load(file_, node, rule_.condition);
    if (!correlation) return check(correlation.error());
    rule_.correlation = correlation.take();
    rule_.needs |= model::kTimes;
  }

  void load_parameters() {
    const YamlNode& parameters = file_.root()["parameters"];
    const auto& wanted = rule_.detector->parameters;
    if (parameters.is_defined()) check(file_.check_keys(parameters, {wanted.begin(), wanted.end()}));
    for (const std::string_view key : wanted) {
      if (error_ || key == kGivenByTheRun) continue;
      rule_.parameters[std::string(key)] = parameters.is_defined() ? text(parameters, std::string(key).c_str(), true) : std::string();
      if (!parameters.is_defined()) fail(file_.root(), fmt::format("'parameters: {{{}: ...}}' is missing: the detector needs it", key));
    }
  }

  void load_tests() {
    const YamlNode& tests = file_.root()["tests"];
    if (!tests.is_list()) return fail(file_.root(), "'tests' is missing: a rule loads only with a timeline that must match and one that must not");
    for (const YamlNode& node : tests.items()) {
      if (error_) return;
      load_test(node);
    }
    const auto matches = [](const RuleTest& test) { return !test.expect.empty(); };
    const auto& all = rule_.tests;
    if (!error_ && (std::none_of(all.begin(), all.end(), matches) || std::all_of(all.begin(), all.end(), matches))) {
      fail(tests, "'tests' needs at least one timeline that must match and one that must not", "a test that must not match has 'expect: []'");
    }
  }

  void load_test(const YamlNode& node) {
    check(file_.check_keys(node, kTestKeys));
    if (error_) return;
    RuleTest test;
    test.name = text(node, "name", true);
    test.wire = text(node, "wire") == "true";
    test.line = node.place().line + 1;
    const YamlNode &timeline = node["timeline"], &expect = node["expect"];
    if (!timeline.is_list()) return fail(node, "'timeline' must be a list of steps");
    if (!expect.is_list()) return fail(node, "'expect' must be a list of findings, [] for none");
    for (const YamlNode& step : timeline.items()) {
      check(file_.check_keys(step, kStepKeys));
      if (error_) return;
      TestStep& read = test.timeline.emplace_back();
      read.line = step.place().line + 1;
      for (const YamlEntry& entry : step.entries()) {
        read.fields[entry.key.text()] = entry.value.is_null() ? std::string("null") : entry.value.text();
        read.quoted[entry.key.text()] = entry.value.is_quoted();
      }
    }
    for (const YamlNode& wanted : expect.items()) {
      check(file_.check_keys(wanted, kExpectKeys));
      if (error_) return;
      TestExpectation& read = test.expect.emplace_back();
      for (const YamlEntry& entry : wanted.entries()) read.fields[entry.key.text()] = entry.value.text();
    }
    rule_.tests.push_back(std::move(test));
  }

  const DataFile& file_;
  Rule& rule_;
  std::optional<Error> error_;
};

}  // namespace

Result<Rule> load_rule(std::string_view yaml, std::string_view path, Proof proof) {
  auto file = proof == Proof::asked ? DataFile::parse(yaml, path) : DataFile::parse(without_keys(yaml, {"tests"}), path);
  if (!file) return file.error();
  Rule rule;
  const Status status = Loader(*file, rule).load(proof);
  if (!status.ok()) return status.error();
  return rule;
}

}  // namespace mcpscan::engine
