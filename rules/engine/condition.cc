#include "engine/condition.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <cstdlib>
#include <map>

namespace mcpscan::engine {

using model::TimelineEvent;

namespace {

const std::vector<std::string_view> kModifiers{"contains", "startswith", "endswith", "re", "gt", "gte", "lt", "lte"};

double number_of(std::string_view text) { return std::strtod(std::string(text).c_str(), nullptr); }

}  // namespace

// condition := term { "or" term }; term := factor { "and" factor }; factor := "not" factor | "(" condition ")" | name
struct Condition::Parser {
  std::vector<std::string> tokens;
  std::size_t next = 0;
  const std::map<std::string, std::size_t>& selections;
  std::string error;

  bool take(std::string_view token) {
    if (next >= tokens.size() || tokens[next] != token) return false;
    ++next;
    return true;
  }

  Node any() {
    Node node{Node::Kind::any_of, {}};
    do {
      node.children.push_back(all());
    } while (take("or"));
    return node.children.size() == 1 ? node.children[0] : node;
  }

  Node all() {
    Node node{Node::Kind::all_of, {}};
    do {
      node.children.push_back(factor());
    } while (take("and"));
    return node.children.size() == 1 ? node.children[0] : node;
  }

  Node factor() {
    constexpr std::size_t kDeepest = 64;
    if (next > kDeepest * 8 || !error.empty()) return {};
    if (take("not")) return {Node::Kind::negation, {factor()}};
    if (take("(")) {
      Node node = any();
      if (!take(")")) error = "a closing bracket is missing";
      return node;
    }
    if (next >= tokens.size()) return error = "the condition ends too early", Node{};
    const std::string name = tokens[next++];
    const auto found = selections.find(name);
    if (found != selections.end()) return {Node::Kind::selection, {}, found->second};
    return error = fmt::format("the condition names '{}', which is no selection of this rule", name), Node{};
  }
};

namespace {

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  const auto flush = [&] {
    if (!word.empty()) words.push_back(std::move(word));
    word.clear();
  };
  for (const char c : text) {
    if (c == '(' || c == ')') {
      flush();
      words.emplace_back(1, c);
    } else if (c == ' ' || c == '\n' || c == '\t') {
      flush();
    } else {
      word += c;
    }
  }
  flush();
  return words;
}

}  // namespace

// Where a flag or a word is all that is asked, no text need be compared.
void Condition::ask_by_number(const EventField& field, Test& test) {
  if (test.op != Operator::equals) return;
  const bool one = test.values.size() == 1 && (test.values[0] == "true" || test.values[0] == "false");
  if (one) test.flag = field.flag, test.wanted = test.values[0] == "true";
  test.word = field.word;
  for (unsigned word = 0; field.word && word <= kNoWord; ++word) {
    const std::string_view text = field.words(word);
    const bool told = word == kNoWord || !text.empty();
    if (told && std::find(test.values.begin(), test.values.end(), text) != test.values.end()) test.wanted_words |= 1u << word;
  }
}

Result<Condition::Test> Condition::load_test(const DataFile& file, const YamlNode& key, const YamlNode& values) {
  Test test;
  const std::string& name = key.text();
  const std::size_t bar = name.find('|');
  const std::string field = name.substr(0, bar);
  const EventField found_field = find_event_field(field);
  test.read = found_field.read;
  if (!test.read) return file.error(key, fmt::format("unknown field '{}'", field), did_you_mean(field, event_fields()));
  if (bar != std::string::npos) {
    const std::string modifier = name.substr(bar + 1);
    const auto found = std::find(kModifiers.begin(), kModifiers.end(), modifier);
    if (found == kModifiers.end()) return file.error(key, fmt::format("unknown modifier '{}'", modifier), did_you_mean(modifier, kModifiers));
    test.op = static_cast<Operator>(1 + (found - kModifiers.begin()));
  }
  const auto add = [&](const YamlNode& value) { test.values.push_back(value.is_null() ? std::string() : value.text()); };
  if (values.is_list()) {
    for (const YamlNode& value : values.items()) add(value);
  } else {
    add(values);
  }
  ask_by_number(found_field, test);
  if (test.op == Operator::regex) {
    for (const std::string& value : test.values) {
      auto pattern = std::make_shared<const re2::RE2>(value, re2::RE2::Quiet);
      if (!pattern->ok()) return file.error(values, fmt::format("bad regular expression: {} near '{}'", pattern->error(), pattern->error_arg()));
      test.patterns.push_back(std::move(pattern));
    }
  }
  return test;
}

// All must hold, so the cheapest come first.
void Condition::sort_by_cost(std::vector<Test>& tests) {
  const auto cost = [](const Test& test) { return test.word ? 0 : test.flag ? 1 : test.op == Operator::equals ? 2 : 3; };
  std::stable_sort(tests.begin(), tests.end(), [&](const Test& a, const Test& b) { return cost(a) < cost(b); });
}

Result<std::vector<Condition::Test>> Condition::load_tests(const DataFile& file, const YamlNode& map) {
  if (!map.is_map()) return file.error(map, "a selection is a map of fields, or a list of such maps");
  std::vector<Test> tests;
  for (const YamlEntry& entry : map.entries()) {
    auto test = load_test(file, entry.key, entry.value);
    if (!test) return test.error();
    tests.push_back(test.take());
  }
  sort_by_cost(tests);
  return tests;
}

Result<Condition::Selection> Condition::load_selection(const DataFile& file, const YamlNode& node) {
  Selection selection;
  if (node.is_list()) {
    for (const YamlNode& item : node.items()) {
      auto tests = load_tests(file, item);
      if (!tests) return tests.error();
      selection.push_back(tests.take());
    }
    return selection;
  }
  auto tests = load_tests(file, node);
  if (!tests) return tests.error();
  selection.push_back(tests.take());
  return selection;
}

Result<Condition> Condition::load(const DataFile& file, const YamlNode& detection) {
  if (!detection.is_map()) return file.error(detection, "'detection' must be a map");
  Condition condition;
  const auto events = file.texts(detection, "event");
  if (!events) return events.error();
  if (events->empty()) return file.error(detection, "'event' is missing: which events the rule looks at", did_you_mean("", event_words()));
  for (const std::string& word : *events) {
    const std::uint32_t bit = event_by_word(word);
    if (bit == 0) return file.error(detection["event"], fmt::format("unknown event '{}'", word), did_you_mean(word, event_words()));
    condition.events_ |= bit;
  }
  std::map<std::string, std::size_t> names;
  for (const YamlEntry& entry : detection.entries()) {
    const std::string& name = entry.key.text();
    if (name == "event" || name == "condition") continue;
    auto selection = load_selection(file, entry.value);
    if (!selection) return selection.error();
    if (!names.emplace(name, condition.selections_.size()).second) continue;
    condition.selections_.push_back(selection.take());
    condition.names_.push_back(name);
  }
  const auto text = file.text(detection, "condition", true);
  if (!text) return text.error();
  Parser parser{words_of(*text), 0, names, {}};
  condition.root_ = parser.any();
  if (parser.error.empty() && parser.next < parser.tokens.size()) parser.error = fmt::format("'{}' is not expected here", parser.tokens[parser.next]);
  if (!parser.error.empty()) return file.error(detection["condition"], parser.error, "e.g. selection and not filter");
  condition.must_is_all_ = condition.collect(condition.root_);
  sort_by_cost(condition.must_);
  return condition;
}

bool Condition::is_one_flag(const Selection& selection) { return selection.size() == 1 && selection[0].size() == 1 && selection[0][0].flag; }

bool Condition::collect(const Node& node) {
  if (node.kind == Node::Kind::all_of) {
    bool all = true;
    for (const Node& child : node.children) all = collect(child) && all;
    return all;
  }
  const bool negated = node.kind == Node::Kind::negation;
  const Node& named = negated ? node.children[0] : node;
  if (named.kind != Node::Kind::selection) return false;
  const Selection& selection = selections_[named.selection];
  if (selection.size() != 1 || (negated && !is_one_flag(selection))) return false;
  must_.insert(must_.end(), selection[0].begin(), selection[0].end());
  if (negated) must_.back().wanted = !must_.back().wanted;
  return true;
}

bool Condition::holds_by_text(const Test& test, const TimelineEvent& event) {
  const FieldText text = test.read(event);
  const std::string_view value = text.view();
  if (test.op != Operator::equals) return holds_by_operator(test, value);
  for (const std::string& wanted : test.values) {
    if (value == wanted) return true;
  }
  return false;
}

bool Condition::holds_by_operator(const Test& test, std::string_view value) {
  for (std::size_t i = 0; i < test.values.size(); ++i) {
    const std::string& wanted = test.values[i];
    switch (test.op) {
      case Operator::equals: break;
      case Operator::contains: if (value.find(wanted) != std::string_view::npos) return true; break;
      case Operator::starts_with: if (value.starts_with(wanted)) return true; break;
      case Operator::ends_with: if (value.ends_with(wanted)) return true; break;
      case Operator::regex: if (re2::RE2::PartialMatch(re2::StringPiece(value.data(), value.size()), *test.patterns[i])) return true; break;
      case Operator::greater: if (!value.empty() && number_of(value) > number_of(wanted)) return true; break;
      case Operator::greater_equal: if (!value.empty() && number_of(value) >= number_of(wanted)) return true; break;
      case Operator::less: if (!value.empty() && number_of(value) < number_of(wanted)) return true; break;
      case Operator::less_equal: if (!value.empty() && number_of(value) <= number_of(wanted)) return true; break;
    }
  }
  return false;
}

bool Condition::holds(const std::vector<Test>& tests, const TimelineEvent& event) {
  for (const Test& test : tests) {
    if (!holds(test, event)) return false;
  }
  return true;
}

bool Condition::holds(const Node& node, const TimelineEvent& event) const {
  const auto child_holds = [&](const Node& child) { return holds(child, event); };
  switch (node.kind) {
    case Node::Kind::negation: return !holds(node.children[0], event);
    case Node::Kind::all_of: return std::all_of(node.children.begin(), node.children.end(), child_holds);
    case Node::Kind::any_of: return std::any_of(node.children.begin(), node.children.end(), child_holds);
    case Node::Kind::selection: break;
  }
  return holds(node.selection, event);
}

bool Condition::holds(std::size_t selection, const TimelineEvent& event) const {
  const Selection& any_of = selections_[selection];
  return std::any_of(any_of.begin(), any_of.end(), [&](const std::vector<Test>& tests) { return holds(tests, event); });
}

std::size_t Condition::find(std::string_view name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  return found == names_.end() ? kNone : static_cast<std::size_t>(found - names_.begin());
}

bool Condition::matches(const TimelineEvent& event) const {
  if ((events_ & (1u << static_cast<unsigned>(event.kind))) == 0 || !holds(must_, event)) return false;
  return must_is_all_ || holds(root_, event);
}

}  // namespace mcpscan::engine
