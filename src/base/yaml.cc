#include "base/yaml.h"

#include <fmt/format.h>
#include <yaml.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace mcpscan {
namespace {

constexpr std::array<std::string_view, 5> kNulls{"", "~", "null", "Null", "NULL"};

std::string_view view_of(const yaml_char_t* text) { return text ? std::string_view(reinterpret_cast<const char*>(text)) : std::string_view(); }

YamlPlace place_of(const yaml_mark_t& mark) { return {mark.line, mark.column}; }

// One event, freed with it.
struct Event {
  Event() = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { yaml_event_delete(&event); }
  yaml_event_t event{};
};

}  // namespace

const YamlNode& YamlNode::operator[](std::string_view key) const {
  static const YamlNode kNone;
  const auto found = std::find_if(entries_.begin(), entries_.end(), [key](const YamlEntry& entry) { return entry.key.is_text() && entry.key.text() == key; });
  return found == entries_.end() ? kNone : found->value;
}

// Builds the tree from libyaml's events. No recursion: how deep a text nests is the text's choice.
class YamlTree {
 public:
  explicit YamlTree(std::string_view text) : text_(text) {
    ready_ = yaml_parser_initialize(&parser_) == 1;
    if (!ready_) return;
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()), text.size());
  }
  YamlTree(const YamlTree&) = delete;
  YamlTree& operator=(const YamlTree&) = delete;
  ~YamlTree() {
    if (ready_) yaml_parser_delete(&parser_);
  }

  YamlText read() {
    if (!ready_) fail("there is no memory to read it", {});
    for (bool more = ready_; more && result_.error.empty();) {
      Event event;
      if (yaml_parser_parse(&parser_, &event.event) == 1) more = take(event.event);
      else fail_as_libyaml();
    }
    return std::move(result_);
  }

 private:
  // A list or map that is not ended.
  struct Open {
    YamlNode* node;
    std::string anchor;
    bool has_key = false;  // of a map: its last entry waits for the value
  };

  // False behind the first document.
  bool take(const yaml_event_t& event) {
    switch (event.type) {
      case YAML_SCALAR_EVENT: take_scalar(event); return true;
      case YAML_SEQUENCE_START_EVENT: open(YamlNode::Kind::list, event, event.data.sequence_start.anchor); return true;
      case YAML_MAPPING_START_EVENT: open(YamlNode::Kind::map, event, event.data.mapping_start.anchor); return true;
      case YAML_SEQUENCE_END_EVENT:
      case YAML_MAPPING_END_EVENT: close(); return true;
      case YAML_ALIAS_EVENT: take_alias(event); return true;
      case YAML_DOCUMENT_END_EVENT:
      case YAML_STREAM_END_EVENT: return false;
      default: return true;
    }
  }

  YamlNode& add(YamlNode::Kind kind, const yaml_event_t& event) {
    YamlNode& node = next();
    node.kind_ = kind;
    node.place_ = place_of(event.start_mark);
    return node;
  }

  // Where the next node goes.
  YamlNode& next() {
    if (open_.empty()) return result_.root;
    Open& open = open_.back();
    if (open.node->is_list()) return open.node->items_.emplace_back();
    open.has_key = !open.has_key;
    return open.has_key ? open.node->entries_.emplace_back().key : open.node->entries_.back().value;
  }

  void take_scalar(const yaml_event_t& event) {
    const auto& scalar = event.data.scalar;
    const std::string_view text(reinterpret_cast<const char*>(scalar.value), scalar.length);
    const bool told = view_of(scalar.tag) == YAML_STR_TAG;
    const bool quoted = told || scalar.style != YAML_PLAIN_SCALAR_STYLE;
    const bool null = !quoted && !scalar.tag && std::find(kNulls.begin(), kNulls.end(), text) != kNulls.end();
    YamlNode& node = add(null ? YamlNode::Kind::null : YamlNode::Kind::text, event);
    if (!null) node.text_ = text;
    node.quoted_ = quoted;
    name(view_of(scalar.anchor), node);
  }

  void open(YamlNode::Kind kind, const yaml_event_t& event, const yaml_char_t* anchor) {
    if (open_.size() >= kYamlDepth) return fail("it is nested too deep", place_of(event.start_mark));
    open_.push_back({&add(kind, event), std::string(view_of(anchor))});
  }

  void close() {
    const Open ended = std::move(open_.back());
    open_.pop_back();
    name(ended.anchor, *ended.node);
  }

  void name(std::string_view anchor, const YamlNode& node) {
    if (anchor.empty()) return;
    if (spend(weight(node))) named_[std::string(anchor)] = node;
  }

  void take_alias(const yaml_event_t& event) {
    const std::string anchor(view_of(event.data.alias.anchor));
    const auto named = named_.find(anchor);
    if (named == named_.end()) return fail(fmt::format("nothing before is named '{}'", anchor), place_of(event.start_mark));
    if (!spend(weight(named->second))) return;
    YamlNode& node = next();
    node = named->second;
    node.place_ = place_of(event.start_mark);
  }

  static std::size_t weight(const YamlNode& node) {
    std::size_t bytes = sizeof node + node.text_.size();
    for (const YamlNode& item : node.items_) bytes += weight(item);
    for (const YamlEntry& entry : node.entries_) bytes += weight(entry.key) + weight(entry.value);
    return bytes;
  }

  bool spend(std::size_t bytes) {
    if (bytes > alias_bytes_) return fail("its aliases stand for too much", {}), false;
    alias_bytes_ -= bytes;
    return true;
  }

  void fail(std::string what, YamlPlace at) {
    if (!result_.error.empty()) return;
    result_ = {{}, std::move(what), at};
  }

  void fail_as_libyaml() {
    const std::string problem = parser_.problem ? parser_.problem : "it cannot be read";
    if (parser_.error != YAML_READER_ERROR) {
      // What is never ended is shown where it begins.
      YamlPlace at = place_of(parser_.problem_mark);
      if (parser_.context && is_end(at)) at = place_of(parser_.context_mark);
      return fail(parser_.context ? fmt::format("{} {}", problem, parser_.context) : problem, is_end(at) ? last_place() : at);
    }
    // The bytes themselves are refused, before there are lines.
    fail(problem, place_behind(text_.substr(0, std::min<std::size_t>(parser_.problem_offset, text_.size()))));
  }

  static YamlPlace place_behind(std::string_view before) {
    const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
    return {static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')), before.size() - line_start};
  }
  YamlPlace last_place() const { return place_behind(text_.substr(0, text_.find_last_not_of("\r\n") + 1)); }
  // libyaml has a line behind the last one.
  bool is_end(YamlPlace at) const { return at.line > last_place().line; }

  std::string_view text_;
  yaml_parser_t parser_{};
  bool ready_ = false;
  YamlText result_;
  std::vector<Open> open_;
  std::map<std::string, YamlNode> named_;
  std::size_t alias_bytes_ = kYamlAliasBytes;
};

// libyaml drops a mark only where it is to tell the encoding by it.
YamlText read_yaml(std::string_view text) { return YamlTree(text.substr(text.starts_with("\xEF\xBB\xBF") ? 3 : 0)).read(); }

std::optional<std::string_view> line_at(std::string_view text, YamlPlace place) {
  for (std::size_t line = 0; line < place.line; ++line) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    text.remove_prefix(end + 1);
  }
  return text.substr(0, text.find('\n'));
}

}  // namespace mcpscan
