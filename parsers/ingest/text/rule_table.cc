#include "ingest/text/rule_table.h"

#include <re2/re2.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "ingest/text/byte_words.h"
#include "ingest/text/char_class.h"
#include "ingest/text/hole_reader.h"

namespace mcpscan::ingest {
namespace {

constexpr std::size_t kLeastLead = 12;
constexpr std::size_t kMostGroups = 16;

std::uint64_t first_eight(std::string_view text) {
  std::uint64_t word = 0;
  if (!text.empty()) std::memcpy(&word, text.data(), std::min<std::size_t>(text.size(), 8));
  return word;
}

// A rule for one logger also takes its children, and records of the root logger, as old releases log there.
bool logger_fits(const MessageRule& rule, std::string_view logger) {
  if (rule.loggers.empty() || (logger.empty() && !rule.logger_told) || logger == "root") return true;
  return std::any_of(rule.loggers.begin(), rule.loggers.end(), [logger](const std::string& name) {
    return logger.substr(0, name.size()) == name && (logger.size() == name.size() || logger[name.size()] == '.' || logger.substr(name.size(), 2) == "::");
  });
}

void fill_head(const Captures& captures, std::string_view line, RecordHead& head) {
  for (std::size_t i = 0; i < captures.count; ++i) {
    const Capture& capture = captures.items[i];
    switch (capture.field) {
      case Field::time: head.at.us = capture.number; break;
      case Field::level: head.level = capture.text; break;
      case Field::logger: head.logger = capture.text == "logging" ? std::string_view{} : capture.text; break;  // whom loguru names for what it was handed
      case Field::session: head.session = capture.text; break;
      case Field::process: head.process = capture.text; break;
      case Field::peer: head.peer = capture.text; break;
      case Field::message: head.message = static_cast<std::size_t>(capture.text.data() - line.data()); break;
      default: break;
    }
  }
}

// What every match of an anchored pattern begins with; empty when that cannot be told at a glance.
std::string literal_lead(std::string_view pattern) {
  if (pattern.substr(0, 4) == "(?s)") pattern.remove_prefix(4);
  int depth = 0;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\') ++i;
    else if (pattern[i] == '(') ++depth;
    else if (pattern[i] == ')') --depth;
    else if (pattern[i] == '|' && depth == 0) return {};
  }
  std::size_t end = 0;
  while (end < pattern.size() && (is_a(pattern[end], kLetter | kDigit) || pattern[end] == ' ' || pattern[end] == ':')) ++end;
  const bool repeated = end < pattern.size() && std::string_view("?*+{").find(pattern[end]) != std::string_view::npos;
  return std::string(pattern.substr(0, end - (repeated && end > 0)));
}

// Where the head of a message ends: at its first brace or line end.
std::string_view head_of(std::string_view message) {
  std::size_t end = 0;
  const std::size_t most = std::min(message.size(), MessageTable::kHeadBytes);
  while (end < most && message[end] != '{' && message[end] != '\n') ++end;
  return message.substr(0, end);
}

// Whether the same is looked at behind each first digit.
template <typename Lists>
bool digits_alike(const Lists& by_byte) {
  return std::all_of(by_byte.begin() + '0', by_byte.begin() + '9' + 1, [&](const auto& list) { return list == by_byte['0']; });
}

template <typename Entries, typename Lists>
void list_by_byte(const Entries& entries, Lists& by_byte) {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::bitset<256> bytes = entries[i].form->first_bytes();
    for (std::size_t c = 0; c < 256; ++c) {
      if (bytes[c]) by_byte[c].push_back(static_cast<std::uint16_t>(i));
    }
  }
}

template <typename Entry>
bool before(const Entry& a, const Entry& b) {
  return a.specificity != b.specificity ? a.specificity > b.specificity : a.order < b.order;
}

}  // namespace

void PrefixTable::add(const PrefixRule& rule) {
  for (const Template& form : rule.forms) {
    const bool known = std::any_of(entries_.begin(), entries_.end(), [&form](const Entry& entry) { return entry.form->source() == form.source(); });
    if (!known) entries_.push_back({&rule, &form, form.opening(), form.specificity(), entries_.size()});
  }
}

void PrefixTable::finish() {
  std::sort(entries_.begin(), entries_.end(), before<Entry>);
  list_by_byte(entries_, by_byte_);
}

bool PrefixTable::attempt(const Entry& entry, std::string_view line, TimeReader& times, Captures& captures, RecordHead& head) const {
  captures.count = 0;
  if (!entry.form->match(line, times, captures)) return false;
  head = RecordHead{};
  head.rule = entry.rule;
  head.found = true;
  head.behind_any_time = entry.form->begins_with_any_time();
  fill_head(captures, line, head);
  return true;
}

std::size_t PrefixTable::match(std::string_view line, std::size_t from, TimeReader& times, Captures& captures, RecordHead& head, const ShapeMemo::Known* known) const {
  if (line.empty()) return 0;
  const std::vector<std::uint16_t>& candidates = by_byte_[static_cast<unsigned char>(line[0])];
  if (known != nullptr && known->tells()) {
    captures.saw(line.data() + line.size() + 1);
    for (std::size_t i = 0; i < known->count; ++i) {
      const std::size_t place = known->places[i];
      if (place >= from && attempt(entries_[candidates[place]], line, times, captures, head)) return place + 1;
    }
    return 0;
  }
  FirstHoles holes(line, times, captures);
  for (std::size_t i = from; i < candidates.size(); ++i) {
    const Entry& entry = entries_[candidates[i]];
    if (holes.allow(entry.opening) && attempt(entry, line, times, captures, head)) return i + 1;
  }
  return 0;
}

ShapeMemo::Known PrefixTable::known_of(std::string_view shape, const TimeContext& context) const {
  ShapeMemo::Known known;
  const std::vector<std::uint16_t>& candidates = by_byte_[static_cast<unsigned char>(shape[0])];
  TimeReader times = TimeReader::of_shapes(context);
  Captures unused;
  for (std::size_t i = 0; i < candidates.size() && !known.too_many; ++i) {
    unused.count = 0;
    if (entries_[candidates[i]].form->of_shapes().match(shape, times, unused)) known.add(i);
  }
  known.too_many |= is_digit(shape[0]) && !digits_alike(by_byte_);
  return known;
}

bool PrefixTable::decided_by_shape(const ShapeMemo::Known& known, char first, std::size_t next) const {
  if (!known.tells() || known.count == 0 || known.places[0] + 1u != next) return false;
  return entries_[by_byte_[static_cast<unsigned char>(first)][known.places[0]]].form->blind_to_digits();
}

void MessageTable::add(const MessageRule& rule) {
  if (rule.regex != nullptr) regexes_.push_back({&rule, rule.anywhere ? std::string() : literal_lead(rule.regex->pattern())});
  else if (rule.anywhere) anywhere_.push_back(&rule);
  else {
    for (const Template& form : rule.forms) {
      Entry entry;
      const std::string_view lead = form.lead();
      const std::size_t exact = std::min<std::size_t>({lead.size(), lead.find(' '), 8});
      entry.mask = exact == 8 ? ~0ull : (1ull << (8 * exact)) - 1;
      entry.lead = first_eight(lead) & entry.mask;
      entry.rule = &rule;
      entry.form = &form;
      entry.opening = form.opening();
      entry.needed = form.needed_byte();
      entry.specificity = form.specificity();
      entry.order = entries_.size();
      entries_.push_back(entry);
    }
  }
}

void MessageTable::finish() {
  std::sort(entries_.begin(), entries_.end(), before<Entry>);
  list_by_byte(entries_, by_byte_);
  for (std::size_t c = 0; c < by_byte_.size(); ++c) {
    std::copy_if(by_byte_[c].begin(), by_byte_[c].end(), std::back_inserter(anchored_by_byte_[c]), [this](std::uint16_t place) { return is_anchored(entries_[place]); });
  }
  for (const Entry& entry : entries_) {
    const std::string_view lead = entry.form->lead();
    if (lead.size() >= kLeastLead) leads_by_byte_[static_cast<unsigned char>(lead[0])].push_back(lead);
  }
}

// Words of its own, or a client's address, tell where the message begins.
bool MessageTable::is_anchored(const Entry& entry) {
  constexpr std::size_t kLeastWords = 5;
  return entry.form->lead().size() >= kLeastWords || entry.opening.hole == static_cast<std::uint8_t>(Template::HoleType::peer);
}

bool MessageTable::attempt(const Entry& entry, std::string_view message, TimeReader& times, MessageMatch& found) const {
  found.captures.count = 0;
  if (!entry.form->match(message, times, found.captures)) return false;
  found.rule = entry.rule;
  found.form = entry.form;
  return true;
}

bool MessageTable::match(std::string_view message, std::string_view logger, TimeReader& times, MessageMatch& found, const ShapeMemo::Known* known) const {
  if (message.data() == nullptr) return false;
  found.captures.saw(message.data() + std::min<std::size_t>(8, message.size() + 1));
  if (message.empty()) return false;
  if (known != nullptr && known->tells()) return match_known(message, logger, times, found, *known);
  const std::uint64_t word = first_eight(message);
  // An address at the start makes an access line, which no memo keeps: it may be looked at as a whole.
  const bool by_address = is_digit(message[0]) && message.size() <= kHeadBytes;
  if (by_address) found.captures.saw(message.data() + message.size() + 1);
  FirstHoles holes(message, times, found.captures);
  for (const std::uint16_t place : by_byte_[static_cast<unsigned char>(message[0])]) {
    const Entry& entry = entries_[place];
    if ((word & entry.mask) != entry.lead || !holes.allow(entry.opening) || !logger_fits(*entry.rule, logger)) continue;
    if (by_address && entry.needed != 0 && message.find(entry.needed) == std::string_view::npos) continue;
    if (attempt(entry, message, times, found)) return true;
  }
  return match_anywhere(message, logger, times, found) || match_regex(message, logger, found);
}

bool MessageTable::match_at(std::string_view message, std::string_view logger, TimeReader& times, MessageMatch& found) const {
  if (message.empty()) return false;
  found.captures.saw(message.data() + std::min<std::size_t>(8, message.size() + 1));
  const std::uint64_t word = first_eight(message);
  FirstHoles holes(message, times, found.captures);
  for (const std::uint16_t place : anchored_by_byte_[static_cast<unsigned char>(message[0])]) {
    const Entry& entry = entries_[place];
    if ((word & entry.mask) != entry.lead || !logger_fits(*entry.rule, logger)) continue;
    if (holes.allow(entry.opening) && attempt(entry, message, times, found)) return true;
  }
  return false;
}

bool MessageTable::match_known(std::string_view message, std::string_view logger, TimeReader& times, MessageMatch& found, const ShapeMemo::Known& known) const {
  found.captures.saw(message.data() + message.size() + 1);
  for (std::size_t i = 0; i < known.count; ++i) {
    const Entry& entry = entries_[known.places[i]];
    if (logger_fits(*entry.rule, logger) && attempt(entry, message, times, found)) return true;
  }
  return known.others && (match_anywhere(message, logger, times, found) || match_regex(message, logger, found));
}

ShapeMemo::Known MessageTable::known_of(std::string_view shape, const TimeContext& context) const {
  ShapeMemo::Known known;
  TimeReader times = TimeReader::of_shapes(context);
  Captures unused;
  const std::uint64_t word = first_eight(shape);
  for (const std::uint16_t place : by_byte_[static_cast<unsigned char>(shape[0])]) {
    const Entry& entry = entries_[place];
    if (known.too_many || (word & entry.mask) != shape_of_eight(entry.lead)) continue;
    unused.count = 0;
    if (entry.form->of_shapes().match(shape, times, unused)) known.add(place);
  }
  known.others = others_can_match(shape);
  known.too_many |= is_digit(shape[0]) && !digits_alike(by_byte_);
  return known;
}

bool MessageTable::decided_by_shape(const ShapeMemo::Known& known, const MessageMatch& found) const {
  if (!known.tells() || known.count == 0 || found.form == nullptr) return false;
  return entries_[known.places[0]].form == found.form && found.form->blind_to_digits() && !found.form->begins_with_time();
}

// Whether the literal stands in it that a rule of these needs.
bool MessageTable::others_can_match(std::string_view shape) const {
  const auto holds = [&](std::string literal) {
    for (char& c : literal) c = shape_of(c);
    return shape.find(literal) != std::string_view::npos;
  };
  return std::any_of(anywhere_.begin(), anywhere_.end(), [&](const MessageRule* rule) { return holds(rule->literal); }) ||
         std::any_of(regexes_.begin(), regexes_.end(), [&](const Regex& regex) { return holds(regex.rule->literal); });
}

bool MessageTable::match_anywhere(std::string_view message, std::string_view logger, TimeReader& times, MessageMatch& found) const {
  if (anywhere_.empty()) return false;
  const std::string_view head = head_of(message);
  found.captures.saw(head.data() + std::min(head.size() + 1, kHeadBytes));
  for (std::size_t at = 0; at < head.size();) {
    for (const MessageRule* rule : anywhere_) {
      if (rule->literal[0] != head[at] || head.substr(at, rule->literal.size()) != rule->literal || !logger_fits(*rule, logger)) continue;
      found.captures.count = 0;
      if (!rule->forms[0].match(message.substr(at), times, found.captures)) continue;
      found.rule = rule;
      found.form = nullptr;
      return true;
    }
    const std::size_t blank = head.find(' ', at);
    at = blank == std::string_view::npos ? head.size() : blank + 1;
  }
  return false;
}

bool MessageTable::match_regex(std::string_view message, std::string_view logger, MessageMatch& found) const {
  const std::string_view head = regexes_.empty() ? std::string_view{} : head_of(message);
  for (const auto& [rule, lead] : regexes_) {
    found.captures.saw(message.data() + (lead.empty() ? std::min(head.size() + 1, kHeadBytes) : std::min(lead.size(), message.size() + 1)));
    if (message.substr(0, lead.size()) != lead || (lead.empty() && head.find(rule->literal) == std::string_view::npos)) continue;
    found.captures.saw(message.data() + message.size() + 1);
    if (message.find(rule->literal) == std::string_view::npos || !logger_fits(*rule, logger)) continue;
    std::array<re2::StringPiece, kMostGroups> groups;
    const int count = std::min<int>(rule->regex->NumberOfCapturingGroups() + 1, kMostGroups);
    const auto anchor = rule->anywhere ? RE2::UNANCHORED : RE2::ANCHOR_START;
    const re2::StringPiece text(message.data(), message.size());
    if (!rule->regex->Match(text, 0, message.size(), anchor, groups.data(), count)) continue;
    found.captures.count = 0;
    for (const auto& [group, field] : rule->groups) {
      if (group >= count || groups[static_cast<std::size_t>(group)].data() == nullptr) continue;
      const re2::StringPiece& piece = groups[static_cast<std::size_t>(group)];
      const std::string_view captured(piece.data(), piece.size());
      found.captures.add({field, captured, read_decimal(captured).value});
    }
    found.rule = rule;
    found.form = nullptr;
    return true;
  }
  return false;
}

bool MessageTable::begins_like_one(std::string_view text) const {
  if (text.empty()) return false;
  const std::vector<std::string_view>& leads = leads_by_byte_[static_cast<unsigned char>(text[0])];
  return std::any_of(leads.begin(), leads.end(), [text](std::string_view lead) { return text.starts_with(lead); });
}

}  // namespace mcpscan::ingest
