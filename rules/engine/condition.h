// Condition: Sigma's selections over the fields of one timeline event: `selection and not filter`. A selection is a map (all
// must hold) or a list of maps (one must hold); a field may carry a modifier (contains, startswith, endswith, re, gt, gte, lt, lte) and
// a list of values (one must hold). Regular expressions are RE2's; the form that tells "no match" from failure is used.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/data_file.h"
#include "base/result.h"
#include "model/timeline.h"

namespace re2 {
class RE2;
}

namespace mcpscan::engine {

// The fields a condition may name, for messages and docs.
const std::vector<std::string_view>& event_fields();
// A field's text: a view of what the event holds, or, where it had to be put into words, the words themselves.
class FieldText {
 public:
  FieldText(std::string_view text) : text_(text) {}
  FieldText(std::string&& text) : own_(std::move(text)) {}
  std::string_view view() const { return own_.empty() ? text_ : std::string_view(own_); }

 private:
  std::string own_;
  std::string_view text_;
};
// Gives the field's text for an event; empty when the event has none. Nulls for an unknown field.
using ReadField = FieldText (*)(const model::TimelineEvent& event);
// The same of a field that is "true" or "false".
using ReadFlag = bool (*)(const model::TimelineEvent& event);
// The same of a field that has a few words only: which of them, or kNoWord.
using ReadWord = unsigned (*)(const model::TimelineEvent& event);
constexpr unsigned kNoWord = 31;
struct EventField {
  ReadField read = nullptr;
  ReadFlag flag = nullptr;  // null: it is no flag
  ReadWord word = nullptr;  // null: any text may stand there
  std::string_view (*words)(unsigned word) = nullptr;  // with `word`; empty for a number that is none's
};
EventField find_event_field(std::string_view field);
// The events a rule may look at; 0 when the word is unknown.
std::uint32_t event_by_word(std::string_view word);
const std::vector<std::string_view>& event_words();

class Condition {
 public:
  // `detection:` of a rule: event, the selections, condition.
  static Result<Condition> load(const DataFile& file, const YamlNode& detection);

  bool empty() const { return events_ == 0; }
  std::uint32_t events() const { return events_; }
  bool matches(const model::TimelineEvent& event) const;

  // The selections one by one, for correlations.
  static constexpr std::size_t kNone = SIZE_MAX;
  std::size_t find(std::string_view name) const;  // kNone: no such selection
  std::vector<std::string_view> names() const { return {names_.begin(), names_.end()}; }
  bool holds(std::size_t selection, const model::TimelineEvent& event) const;

 private:
  enum class Operator : std::uint8_t { equals, contains, starts_with, ends_with, regex, greater, greater_equal, less, less_equal };
  struct Test {
    ReadField read = nullptr;
    ReadFlag flag = nullptr;           // where `wanted` is all that is asked
    bool wanted = false;
    ReadWord word = nullptr;           // where `wanted_words` is all that is asked, a bit a word
    std::uint32_t wanted_words = 0;
    Operator op = Operator::equals;
    std::vector<std::string> values;
    std::vector<std::shared_ptr<const re2::RE2>> patterns;
  };
  using Selection = std::vector<std::vector<Test>>;  // one of these lists must hold whole
  struct Node {
    enum class Kind : std::uint8_t { selection, all_of, any_of, negation } kind = Kind::selection;
    std::vector<Node> children;
    std::size_t selection = 0;
  };
  struct Parser;

  static void ask_by_number(const EventField& field, Test& test);
  static Result<Test> load_test(const DataFile& file, const YamlNode& key, const YamlNode& values);
  static void sort_by_cost(std::vector<Test>& tests);
  static Result<std::vector<Test>> load_tests(const DataFile& file, const YamlNode& map);
  static Result<Selection> load_selection(const DataFile& file, const YamlNode& node);
  static bool holds(const Test& test, const model::TimelineEvent& event) {
    if (test.word) return ((test.wanted_words >> test.word(event)) & 1) != 0;
    return test.flag ? test.flag(event) == test.wanted : holds_by_text(test, event);
  }
  static bool holds_by_text(const Test& test, const model::TimelineEvent& event);
  static bool holds(const std::vector<Test>& tests, const model::TimelineEvent& event);
  static bool holds_by_operator(const Test& test, std::string_view value);
  bool holds(const Node& node, const model::TimelineEvent& event) const;
  // Adds to must_ what the node cannot do without; whether that is all it asks.
  bool collect(const Node& node);
  static bool is_one_flag(const Selection& selection);

  std::uint32_t events_ = 0;
  std::vector<Selection> selections_;
  std::vector<std::string> names_;  // of the selections
  Node root_;
  std::vector<Test> must_;          // what has to hold in any case, the cheapest first: most events fail there
  bool must_is_all_ = false;
};

}  // namespace mcpscan::engine
