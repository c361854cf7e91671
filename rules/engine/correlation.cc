#include "engine/correlation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

namespace mcpscan::engine {

using model::TimelineEvent;

namespace {

const std::vector<std::string_view> kTypes{"event_count", "value_count", "temporal", "temporal_ordered"};
const std::vector<std::string_view> kKeys{"type", "group-by", "timespan", "condition", "field", "rules"};
const std::vector<std::string_view> kComparisons{"gte", "gt"};
constexpr std::size_t kMostSelections = 64;

// 90s, 500ms, 5m, 2h, 1d; 0: no such thing.
std::int64_t duration_of(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, std::int64_t>, 5> kUnits{{{"ms", kMillisecond}, {"s", kSecond}, {"m", kMinute}, {"h", 60 * kMinute}, {"d", 24 * 60 * kMinute}}};
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  constexpr std::int64_t kMost = 366;
  for (const auto& [word, size] : kUnits) {
    if (error == std::errc() && unit == word && number > 0 && number <= kMost * 24 * 60 * kMinute / size) return number * size;
  }
  return 0;
}

// Reads the parts and keeps the first error.
class Loader {
 public:
  Loader(const DataFile& file, const YamlNode& node, const Condition& condition) : file_(file), node_(node), condition_(condition) {}

  Result<Correlation> load() {
    if (!node_.is_map()) return file_.error(node_, "'correlation' must be a map");
    if (const Status keys = file_.check_keys(node_, kKeys); !keys.ok()) return keys.error();
    for (const auto step : {&Loader::load_type, &Loader::load_timespan, &Loader::load_group, &Loader::load_count, &Loader::load_selections}) {
      if (const Status status = (this->*step)(); !status.ok()) return status.error();
    }
    return std::move(correlation_);
  }

 private:
  Status load_type() {
    const auto text = file_.text(node_, "type", true);
    if (!text) return text.error();
    const auto found = std::find(kTypes.begin(), kTypes.end(), *text);
    if (found == kTypes.end()) return file_.error(node_["type"], fmt::format("unknown type '{}'", *text), did_you_mean(*text, kTypes));
    correlation_.type = static_cast<Correlation::Type>(found - kTypes.begin());
    return {};
  }

  Status load_timespan() {
    const auto text = file_.text(node_, "timespan", true);
    if (!text) return text.error();
    correlation_.timespan_us = duration_of(*text);
    if (correlation_.timespan_us == 0) return file_.error(node_["timespan"], fmt::format("'{}' is no timespan", *text), "a number above 0 with ms, s, m, h or d, a year at most: 10s");
    return {};
  }

  Status load_group() {
    const auto fields = file_.texts(node_, "group-by");
    if (!fields) return fields.error();
    for (const std::string& name : *fields) {
      const ReadField read = find_event_field(name).read;
      if (!read) return file_.error(node_["group-by"], fmt::format("unknown field '{}'", name), did_you_mean(name, event_fields()));
      correlation_.group_by.push_back(read);
    }
    return {};
  }

  bool counts() const { return correlation_.type == Correlation::Type::event_count || correlation_.type == Correlation::Type::value_count; }

  Status load_count() {
    const bool values = correlation_.type == Correlation::Type::value_count;
    const YamlNode &field = node_["field"], &condition = node_["condition"];
    if (values != field.is_defined()) return file_.error(values ? node_ : field, values ? "'field' is missing: whose values are counted" : "'field' belongs to value_count");
    if (values) {
      correlation_.field = find_event_field(field.text()).read;
      if (!correlation_.field) return file_.error(field, fmt::format("unknown field '{}'", field.text()), did_you_mean(field.text(), event_fields()));
    }
    if (!counts()) return condition.is_defined() ? Status(file_.error(condition, "a temporal correlation has 'rules', no 'condition'")) : Status();
    if (!condition.is_map() || condition.entries().size() != 1) return file_.error(condition.is_defined() ? condition : node_, "'condition' must be one comparison", "condition: {gte: 5}");
    if (const Status keys = file_.check_keys(condition, kComparisons); !keys.ok()) return keys.error();
    const bool above = condition["gt"].is_defined();
    const auto number = file_.number(condition, above ? "gt" : "gte", 0);
    if (!number) return number.error();
    if (*number < 1 || *number > Correlator::kHits - 1) return file_.error(condition, fmt::format("the count must be from 1 to {}", Correlator::kHits - 1));
    correlation_.least = static_cast<std::uint64_t>(*number) + (above ? 1 : 0);
    return {};
  }

  Status load_selections() {
    const auto names = file_.texts(node_, "rules");
    if (!names) return names.error();
    if (counts() != names->empty()) return file_.error(node_, counts() ? "'rules' belongs to temporal and temporal_ordered" : "'rules' is missing: the selections that must occur together");
    if (names->size() == 1 || names->size() > kMostSelections) return file_.error(node_["rules"], "a temporal correlation needs two selections at least");
    for (const std::string& name : *names) {
      const std::size_t selection = condition_.find(name);
      if (selection == Condition::kNone) return file_.error(node_["rules"], fmt::format("'{}' is no selection of this rule", name), did_you_mean(name, condition_.names()));
      correlation_.selections.push_back(selection);
    }
    return {};
  }

  const DataFile& file_;
  const YamlNode& node_;
  const Condition& condition_;
  Correlation correlation_;
};

}  // namespace

Result<Correlation> Correlation::load(const DataFile& file, const YamlNode& node, const Condition& condition) { return Loader(file, node, condition).load(); }

std::string Correlator::group_of(const TimelineEvent& event) const {
  std::string group;
  for (const ReadField read : correlation_.group_by) {
    group += read(event).view();
    group += '\0';
  }
  return group;
}

void Correlator::look_at(const TimelineEvent& event, model::FindingDraft draft, model::FindingSink& findings) {
  if (!event.at.known()) return;
  std::string group = group_of(event);
  if (!windows_.contains(group) && windows_.size() >= kGroups) {
    std::erase_if(windows_, [&](const auto& entry) { return event.at.us - entry.second.back().at.us > correlation_.timespan_us; });
    if (windows_.size() >= kGroups) return;
  }
  Window& window = windows_[group];
  while (!window.empty() && (event.at.us - window.front().at.us > correlation_.timespan_us || window.size() >= kHits)) window.pop_front();
  Hit& hit = window.emplace_back();
  hit.at = event.at;
  if (correlation_.field) hit.value = correlation_.field(event).view();
  for (std::size_t i = 0; i < correlation_.selections.size(); ++i) {
    if (condition_.holds(correlation_.selections[i], event)) hit.selections |= std::uint64_t{1} << i;
  }
  hit.draft = std::move(draft);
  hit.draft.discriminator = std::move(group);
  hit.draft.requestor = model::Direction::unknown;  // one finding a group, whoever its events belong to
  if (!is_full(window)) return;
  for (Hit& one : window) {
    if (!std::exchange(one.told, true)) findings.add(std::move(one.draft));
  }
}

bool Correlator::is_full(const Window& window) const {
  switch (correlation_.type) {
    case Correlation::Type::event_count: return window.size() >= correlation_.least;
    case Correlation::Type::value_count: {
      std::set<std::string_view> values;
      for (const Hit& hit : window) {
        if (!hit.value.empty()) values.insert(hit.value);
      }
      return values.size() >= correlation_.least;
    }
    case Correlation::Type::temporal: {
      std::uint64_t seen = 0;
      for (const Hit& hit : window) seen |= hit.selections;
      return seen == ~std::uint64_t{0} >> (64 - correlation_.selections.size());
    }
    case Correlation::Type::temporal_ordered: return in_order(window);
  }
  return false;
}

// Some hit of each selection, each at or after that of the one before; one hit serves one selection.
bool Correlator::in_order(const Window& window) const {
  std::size_t next = 0;
  for (const Hit& hit : window) {
    if (next < correlation_.selections.size() && (hit.selections >> next & 1) != 0) ++next;
  }
  return next == correlation_.selections.size();
}

}  // namespace mcpscan::engine
