#include "ingest/text/template.h"

#include <algorithm>
#include <cstring>

#include "ingest/text/char_class.h"
#include "ingest/text/hole_reader.h"

namespace mcpscan::ingest {
namespace {

constexpr std::size_t kNone = std::string_view::npos;
using HoleType = Template::HoleType;
using OpKind = Template::OpKind;

}  // namespace

// One attempt on one text: where it stands, what it has captured, how many steps are left.
class TemplateMatch {
 public:
  TemplateMatch(const Template& pattern, std::string_view text, TimeReader& times, Captures& captures)
      : ops_(pattern.ops_), text_(text), holes_(text, times), captures_(captures), of_shapes_(pattern.of_shapes_) {}

  bool run(std::size_t op, std::size_t at) {
    for (;; ++op) {
      if (--budget_ < 0) return saw(text_.size() + 1), of_shapes_;
      const Template::Op& now = ops_[op];
      switch (now.kind) {
        case OpKind::literal:
          at = literal(now.literal, at);
          if (at == kNone) return false;
          break;
        case OpKind::optional: {
          const std::size_t mark = captures_.count;
          if (run(op + 1, at)) return true;
          captures_.count = mark;
          open_end_ = false;
          op = now.jump - 1;
          break;
        }
        case OpKind::end: return at_end(at);
        case OpKind::hole:
          if (lazy(op)) return run_lazy(op, at);
          at = take(now, at);
          if (at == kNone) return false;
          break;
      }
    }
  }

  // Bytes of the text, from its start, that the attempt may have looked at; one more than there are: it saw the end.
  std::size_t seen() const { return seen_; }

 private:
  void saw(std::size_t to) {
    if (to > seen_) seen_ = to;
  }

  std::size_t literal(std::string_view text, std::size_t at) {
    std::size_t seen = at + 1;
    if (at < text_.size()) at = literal_end(text, text_, at, seen);
    else at = kNone;
    saw(seen);
    return at;
  }

  bool at_end(std::size_t at) {
    while (at < text_.size() && text_[at] != '\n' && is_blank(text_[at])) ++at;
    if (open_end_ && at >= text_.size()) return true;
    saw(at + 1);
    return at >= text_.size() || text_[at] == '\n';
  }

  bool lazy(std::size_t op) const {
    const Template::Op& now = ops_[op];
    const Template::Op& next = ops_[op + 1];
    if (now.type == HoleType::text) return next.kind == OpKind::literal;
    return now.type == HoleType::word && next.kind == OpKind::literal && next.literal[0] != ' ';
  }

  // A hole that ends where the literal behind it is found.
  bool run_lazy(std::size_t op, std::size_t from) {
    const Template::Op& now = ops_[op];
    const std::string& behind_it = ops_[op + 1].literal;
    const std::size_t limit = limit_of(op, from);
    const std::size_t mark = captures_.count;
    std::size_t at = from + 1;
    for (int tries = 0; tries < Template::kLazyTries || of_shapes_; ++tries, ++at) {
      at = next_candidate(behind_it[0], at, limit);
      if (at == kNone) return saw(limit + 1), false;
      const std::size_t behind = literal(behind_it, at);
      if (behind == kNone) continue;
      captures_.add({now.field, trim_right(text_.substr(from, at - from)), 0});
      if (run(op + 2, behind)) return true;
      captures_.count = mark;
    }
    return false;
  }

  // A text at the very start is a name or a phrase: it ends before any body does begin.
  std::size_t limit_of(std::size_t op, std::size_t from) {
    if (ops_[op].type == HoleType::text && op != 0) return holes_.line_end(from);
    std::size_t end = from;
    if (ops_[op].type == HoleType::text) {
      end = std::min(text_.size(), Template::kLeadBytes);
      for (const char stop : {'{', '\n'}) {
        const void* found = from < end ? std::memchr(text_.data() + from, stop, end - from) : nullptr;
        if (found != nullptr) end = static_cast<std::size_t>(static_cast<const char*>(found) - text_.data());
      }
    } else {
      end = holes_.word_end(from);
    }
    saw(end + 1);
    return end;
  }

  std::size_t next_candidate(char first, std::size_t at, std::size_t limit) const {
    if (first != ' ') {
      if (at >= limit) return kNone;
      const void* found = std::memchr(text_.data() + at, first, limit - at);
      return found == nullptr ? kNone : static_cast<std::size_t>(static_cast<const char*>(found) - text_.data());
    }
    while (at < limit && !is_blank(text_[at])) ++at;
    return at < text_.size() && at <= limit ? at : kNone;
  }

  std::size_t take(const Template::Op& op, std::size_t at) {
    if (at > text_.size()) return kNone;
    Capture capture{op.field, {}, 0};
    const std::size_t length = holes_.length(op, at, capture);
    saw(holes_.seen(op.type, at, length));
    if (op.type == HoleType::rest) open_end_ = true;
    if (length == 0 && op.type != HoleType::rest) return kNone;
    if (capture.text.data() == nullptr) capture.text = text_.substr(at, length);
    if (op.field != Field::ignore) captures_.add(capture);
    return at + length;
  }

  const std::vector<Template::Op>& ops_;
  std::string_view text_;
  HoleReader holes_;
  Captures& captures_;
  int budget_ = Template::kBudget;
  std::size_t seen_ = 0;
  bool of_shapes_ = false;  // what no bound lets decide may match
  bool open_end_ = false;   // a hole took everything to the end without looking at it
};

bool Template::match(std::string_view text, TimeReader& times, Captures& captures) const {
  TemplateMatch attempt(*this, text, times, captures);
  const bool matched = attempt.run(0, 0);
  captures.saw(text.data() + attempt.seen());
  return matched;
}

}  // namespace mcpscan::ingest
