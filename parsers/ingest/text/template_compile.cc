#include <fmt/format.h>

#include <algorithm>

#include "base/data_file.h"
#include "ingest/text/char_class.h"
#include "ingest/text/template.h"

namespace mcpscan::ingest {
namespace {

using HoleType = Template::HoleType;

struct FieldEntry {
  std::string_view name;
  HoleType type;
};
constexpr std::array<FieldEntry, kFields> kFieldTable{{
    {"_", HoleType::word}, {"time", HoleType::time}, {"level", HoleType::level}, {"logger", HoleType::logger},
    {"message", HoleType::rest}, {"session", HoleType::word}, {"key", HoleType::text}, {"second_key", HoleType::text},
    {"tool", HoleType::text}, {"wait", HoleType::duration}, {"body", HoleType::rest}, {"peer", HoleType::peer},
    {"port", HoleType::integer}, {"method", HoleType::name}, {"path", HoleType::word}, {"status", HoleType::integer},
    {"response_bytes", HoleType::integer}, {"request_bytes", HoleType::integer}, {"duration", HoleType::duration},
    {"server", HoleType::word}, {"user_agent", HoleType::text}, {"content_type", HoleType::text}, {"host", HoleType::word},
    {"origin", HoleType::word}, {"accept", HoleType::text}, {"response_session", HoleType::word},
    {"protocol_version", HoleType::word}, {"last_event_id", HoleType::word}, {"mcp_method", HoleType::word},
    {"mcp_name", HoleType::word}, {"forwarded_for", HoleType::text}, {"process", HoleType::word}, {"direction", HoleType::word},
    {"request", HoleType::quoted}, {"error", HoleType::text}, {"pairs", HoleType::rest},
    {"any_session", HoleType::word}, {"termination", HoleType::word},
}};
constexpr std::array<std::string_view, Template::kHoleTypes> kTypeNames{"word", "text", "rest",    "int",    "number", "level", "logger",
                                                      "time", "peer", "address", "quoted", "repr",   "name",  "duration", "id"};

int weight(const Template::Op& op) {
  if (op.kind == Template::OpKind::literal) return static_cast<int>(op.literal.size());
  if (op.kind != Template::OpKind::hole || op.type == HoleType::rest) return 0;
  return op.type == HoleType::text || op.type == HoleType::word ? 2 : 4;
}

bool begins_time(TimeForm form, char byte) {
  const bool by_name = form == TimeForm::any || form == TimeForm::syslog || form == TimeForm::ctime;
  const bool by_number = form != TimeForm::syslog && form != TimeForm::ctime;
  return (by_name && is_a(byte, kLetter)) || (by_number && is_digit(byte));
}

}  // namespace

std::string_view name_of(Field field) { return kFieldTable[static_cast<std::size_t>(field)].name; }

// Reads the source left to right; each part appends ops.
class TemplateCompiler {
 public:
  explicit TemplateCompiler(std::string_view source) : source_(source) { result_.source_ = source; }

  Result<Template> run() {
    while (at_ < source_.size() && error_.empty()) step();
    if (error_.empty() && !open_.empty()) fail("an optional part [[ is never closed");
    flush();
    result_.ops_.push_back({});
    if (error_.empty()) check_text_holes();
    if (error_.empty() && result_.ops_.size() > Template::kMostOps) fail("too many parts");
    if (!error_.empty()) return Error{ErrorCode::malformed, error_, "", hint_};
    return std::move(result_);
  }

 private:
  void fail(std::string what, std::string hint = "") {
    if (error_.empty()) error_ = fmt::format("{} at column {}", what, at_ + 1), hint_ = std::move(hint);
  }

  void flush() {
    if (literal_.empty()) return;
    Template::Op op;
    op.kind = Template::OpKind::literal;
    op.literal = std::move(literal_);
    literal_.clear();
    result_.ops_.push_back(std::move(op));
  }

  void step() {
    const std::string_view left = source_.substr(at_);
    if (left[0] == '\\' && left.size() > 1) return literal_ += left[1], void(at_ += 2);
    if (left.substr(0, 2) == "[[") return open_part();
    if (left.substr(0, 2) == "]]" && !open_.empty()) return close_part();
    if (left[0] == '{') return hole();
    const char c = is_blank(left[0]) ? ' ' : left[0];
    if (c != ' ' || literal_.empty() || literal_.back() != ' ') literal_ += c;
    ++at_;
  }

  void open_part() {
    flush();
    open_.push_back(result_.ops_.size());
    Template::Op op;
    op.kind = Template::OpKind::optional;
    result_.ops_.push_back(op);
    at_ += 2;
  }

  void close_part() {
    flush();
    result_.ops_[open_.back()].jump = static_cast<std::uint32_t>(result_.ops_.size());
    open_.pop_back();
    at_ += 2;
  }

  void hole() {
    const std::size_t close = source_.find('}', at_);
    if (close == std::string_view::npos) return fail("a hole { is never closed", "a literal brace is written \\{");
    flush();
    const std::string_view inside = source_.substr(at_ + 1, close - at_ - 1);
    const std::size_t colon = inside.find(':');
    Template::Op op;
    op.kind = Template::OpKind::hole;
    if (!set_field(op, inside.substr(0, colon))) return;
    if (colon != std::string_view::npos && !set_type(op, inside.substr(colon + 1))) return;
    result_.ops_.push_back(std::move(op));
    at_ = close + 1;
  }

  bool set_field(Template::Op& op, std::string_view name) {
    for (std::size_t i = 0; i < kFieldTable.size(); ++i) {
      if (kFieldTable[i].name != name) continue;
      op.field = static_cast<Field>(i);
      op.type = kFieldTable[i].type;
      return true;
    }
    std::vector<std::string_view> known;
    for (const FieldEntry& entry : kFieldTable) known.push_back(entry.name);
    return fail(fmt::format("unknown field '{}'", name), did_you_mean(name, known)), false;
  }

  bool set_type(Template::Op& op, std::string_view type) {
    const std::size_t equal = type.find('=');
    const std::string_view word = type.substr(0, equal);
    const auto found = std::find(kTypeNames.begin(), kTypeNames.end(), word);
    if (found == kTypeNames.end()) {
      return fail(fmt::format("unknown hole type '{}'", word), did_you_mean(word, {kTypeNames.begin(), kTypeNames.end()})), false;
    }
    op.type = static_cast<HoleType>(found - kTypeNames.begin());
    return equal == std::string_view::npos || set_argument(op, type.substr(equal + 1));
  }

  bool set_argument(Template::Op& op, std::string_view argument) {
    if (op.type == HoleType::time) {
      const auto form = time_form_named(argument);
      if (form) return op.form = *form, true;
      return fail(fmt::format("unknown time form '{}'", argument)), false;
    }
    const std::int64_t unit = argument == "s" ? kSecond : argument == "ms" ? kMillisecond : argument == "us" ? kMicrosecond : 0;
    if (op.type == HoleType::duration && unit != 0) return op.unit_us = unit, true;
    return fail(fmt::format("'={}' means nothing here", argument), "time takes a form, duration takes s, ms or us"), false;
  }

  // A text hole looks for what follows it, so something findable has to follow.
  void check_text_holes() {
    for (std::size_t i = 0; i + 1 < result_.ops_.size(); ++i) {
      const Template::Op& op = result_.ops_[i];
      const Template::Op& next = result_.ops_[i + 1];
      if (op.kind != Template::OpKind::hole || op.type != HoleType::text) continue;
      if (next.kind == Template::OpKind::literal || next.kind == Template::OpKind::end) continue;
      return fail(fmt::format("the text hole {{{}}} is not followed by literal text", name_of(op.field)), "give it a type that knows its own end, such as word");
    }
  }

  std::string_view source_;
  std::size_t at_ = 0;
  std::string literal_, error_, hint_;
  std::vector<std::size_t> open_;
  Template result_;
};

Result<Template> Template::compile(std::string_view source) { return TemplateCompiler(source).run(); }

Template Template::of_shapes() const {
  Template shapes = *this;
  shapes.of_shapes_ = true;
  for (Op& op : shapes.ops_) {
    for (char& c : op.literal) c = shape_of(c);
  }
  return shapes;
}

std::string_view Template::lead() const {
  return ops_.empty() || ops_[0].kind != OpKind::literal ? std::string_view{} : std::string_view(ops_[0].literal);
}

bool Template::begins_with_time() const { return !ops_.empty() && ops_[0].kind == OpKind::hole && ops_[0].type == HoleType::time; }

bool Template::begins_with_any_time() const {
  return ops_.size() > 1 && begins_with_time() && ops_[0].form == TimeForm::any && ops_[1].kind == OpKind::literal;
}

Template::Opening Template::opening() const {
  const Op& first = ops_[0];
  if (first.kind != OpKind::hole || ops_[1].kind != OpKind::literal) return {};
  const std::string& behind = ops_[1].literal;
  const bool ends_alone = first.type != HoleType::text && first.type != HoleType::rest && first.type != HoleType::duration;
  if (!ends_alone || (first.type == HoleType::word && behind[0] != ' ')) return {};
  const std::size_t hole = first.type == HoleType::time ? kHoleTypes + static_cast<std::size_t>(first.form) : static_cast<std::size_t>(first.type);
  return {static_cast<std::uint8_t>(hole), behind[0], behind.size() > 1 ? behind[1] : '\0', behind};
}

char Template::needed_byte() const {
  constexpr std::string_view kRarestFirst = "[]{}|<>#*=&%@!?~^$;'()\"xqzjkvXQZJKV/_-+wybgWYBGHMUfphcmdlusiraonteFDLNOACSPTIRE";
  std::size_t rarest = kRarestFirst.size();
  if (ops_[0].kind != OpKind::hole) return 0;
  for (std::size_t i = 0; i < ops_.size(); ++i) {
    if (ops_[i].kind == OpKind::optional) i = ops_[i].jump - 1;
    if (ops_[i].kind != OpKind::literal) continue;
    for (const char c : ops_[i].literal) rarest = std::min(rarest, kRarestFirst.find(c));
  }
  return rarest < kRarestFirst.size() ? kRarestFirst[rarest] : '\0';
}

std::string_view Template::longest_literal() const {
  std::string_view longest;
  for (std::size_t i = 0; i < ops_.size(); ++i) {
    if (ops_[i].kind == OpKind::optional) i = ops_[i].jump - 1;
    else if (ops_[i].kind == OpKind::literal && ops_[i].literal.size() > longest.size()) longest = ops_[i].literal;
  }
  return longest;
}

std::bitset<256> Template::first_bytes() const {
  std::bitset<256> bytes;
  const Op& first = ops_[0];
  if (first.kind == OpKind::literal && first.literal[0] != ' ') return bytes.set(static_cast<unsigned char>(first.literal[0]));
  for (unsigned c = 0; c < 256; ++c) {
    const char byte = static_cast<char>(c);
    bool possible = true;
    if (first.kind == OpKind::literal) possible = is_blank(byte);
    if (first.kind == OpKind::hole) {
      switch (first.type) {
        case HoleType::integer: possible = is_a(byte, kDigit) || byte == '-'; break;
        case HoleType::number:
        case HoleType::duration: possible = is_a(byte, kDigit) || byte == '-' || byte == '.'; break;
        case HoleType::level: possible = is_a(byte, kLetter); break;
        case HoleType::time: possible = begins_time(first.form, byte); break;
        case HoleType::quoted: possible = byte == '"'; break;
        case HoleType::address:
        case HoleType::peer: possible = is_a(byte, kDigit) || (byte >= 'a' && byte <= 'f') || byte == ':' || byte == '[' || byte == 'l' || byte == 'u'; break;
        case HoleType::logger: possible = is_a(byte, kLetter) || byte == '_'; break;
        default: break;
      }
    }
    bytes[c] = possible;
  }
  return bytes;
}

int Template::specificity() const {
  int sum = 0;
  for (const Op& op : ops_) sum += weight(op);
  return sum;
}

bool Template::blind_to_digits() const {
  for (std::size_t i = 0; i < ops_.size(); ++i) {
    const Op& op = ops_[i];
    if (op.kind == OpKind::literal && std::any_of(op.literal.begin(), op.literal.end(), is_digit)) return false;
    if (op.kind == OpKind::hole && (op.type == HoleType::time || op.type == HoleType::duration) && i != 0) return false;
  }
  return true;
}

bool Template::has(Field field) const {
  return std::any_of(ops_.begin(), ops_.end(), [field](const Op& op) { return op.kind == OpKind::hole && op.field == field; });
}

std::vector<std::string> expand_leading_options(std::string_view source) {
  if (source.substr(0, 2) != "[[") return {std::string(source)};
  int depth = 0;
  for (std::size_t i = 0; i + 1 < source.size(); ++i) {
    if (source[i] == '\\') { ++i; continue; }
    if (source.substr(i, 2) == "[[") ++depth, ++i;
    else if (source.substr(i, 2) == "]]" && --depth == 0) {
      const std::string inside(source.substr(2, i - 2)), behind(source.substr(i + 2));
      std::vector<std::string> result = expand_leading_options(inside + behind);
      for (std::string& without : expand_leading_options(behind)) result.push_back(std::move(without));
      return result;
    } else if (source.substr(i, 2) == "]]") ++i;
  }
  return {std::string(source)};
}

}  // namespace mcpscan::ingest
