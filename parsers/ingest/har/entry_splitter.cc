#include "ingest/har/entry_splitter.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "ingest/text/json_scan.h"
#include "ingest/text/text_scan.h"

namespace mcpscan::ingest {
namespace {

constexpr std::string_view kStarted = "\"startedDateTime\"";
constexpr std::size_t kLookBack = 256;      // from startedDateTime to its object's bracket, over numbers and short strings
constexpr std::size_t kKeyBytes = 64;
constexpr std::size_t kKept = 2 * kLookBack;  // more than a beginning and its key; kept of skipped text, read beyond a bound
// Keys that begin objects inside an entry as well.
constexpr std::array<std::string_view, 6> kCommonKeys = {"\"time\"", "\"name\"", "\"type\"", "\"id\"", "\"url\"", "\"value\""};

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

std::size_t find_bytes(std::string_view text, std::string_view word, std::size_t from) {
  if (from >= text.size()) return std::string_view::npos;
  const void* at = memmem(text.data() + from, text.size() - from, word.data(), word.size());
  return at == nullptr ? std::string_view::npos : static_cast<std::size_t>(static_cast<const char*>(at) - text.data());
}

// The bracket of the object whose members before `key` are all plain; npos when there is none near.
std::size_t bracket_before(std::string_view text, std::size_t key, bool only_blanks) {
  const std::size_t end = key > kLookBack ? key - kLookBack : 0;
  for (std::size_t at = key; at > end;) {
    const char c = text[--at];
    if (c == '{') return at;
    if (c == '}' || c == '[' || c == ']' || c == '\\' || (only_blanks && !is_blank(c))) break;
  }
  return std::string_view::npos;
}

}  // namespace

EntrySplitter::EntrySplitter(TextInput& in, const Limits& limits) : in_(in), limits_(limits) {}

// --- bytes ---

// Reads on behind what is there; positions in view() stay. False at the end of the input.
bool EntrySplitter::more() {
  if (begin_ > 0) {
    const std::string_view dropped(buffer_.data(), begin_);
    const std::size_t newlines = scan_text(dropped).newlines;
    if (newlines > 0) line_start_ = base_ + dropped.rfind('\n') + 1;
    lines_ += newlines;
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    base_ += begin_;
    end_ -= begin_;
    begin_ = piece_ = 0;
  }
  const std::size_t wanted = limits_.block_bytes;
  if (end_ + wanted + kPadding > buffer_.size()) buffer_.resize(std::max(end_ + wanted + kPadding, end_ + end_ / 2));
  const std::size_t got = in_.read({buffer_.data() + end_, wanted});
  end_ += got;
  return got > 0;
}

// `at`: the first byte from `from` on that is no blank.
bool EntrySplitter::peek(std::size_t from, std::size_t& at) {
  for (at = from;; ++at) {
    if (at >= view().size() && !more()) return false;
    if (!is_blank(view()[at])) return true;
  }
}

// Consumes the string at the front and returns the beginning of its inside.
std::string EntrySplitter::skip_string() {
  std::string head;
  consume(1);
  for (std::size_t at = 0;;) {
    const std::string_view text = view();
    at = find_string_mark(text, at);
    const bool escape = at < text.size() && text[at] == '\\';
    if (at < text.size() && (!escape || at + 1 < text.size())) {
      at += escape ? 2 : 0;
      if (escape) continue;
      head.append(text.substr(0, std::min(at, kKeyBytes)));
      consume(at + 1);
      return head;
    }
    if (at > kKeyBytes) {
      if (head.empty()) head = text.substr(0, kKeyBytes);
      consume(at);
      at = 0;
    }
    if (!more()) return consume(view().size()), head;
  }
}

// --- the way to the entries ---

// From anywhere outside the array to behind its bracket. False at the end of the input.
bool EntrySplitter::find_entries() {
  std::string key;
  for (;;) {
    consume(find_structure(view(), 0));
    if (view().empty()) {
      if (more()) continue;
      cut_ = depth_ > 0;
      return false;
    }
    if (view().front() == '"') {
      key = skip_string();
      std::size_t at = 0;
      if (peek(0, at) && view()[at] != ':') key.clear();
      continue;
    }
    const char bracket = view().front();
    consume(1);
    open_bracket(bracket, key);
    if (in_array_) return true;
    key.clear();
  }
}

void EntrySplitter::open_bracket(char bracket, std::string_view key) {
  if (bracket == '[' && in_log_ && depth_ == 2 && key == "entries") {
    in_array_ = found_entries_ = true;
  } else if (bracket == '{' || bracket == '[') {
    if (bracket == '{' && depth_ == 1 && key == "log") in_log_ = true;
    ++depth_;
  } else if (depth_ > 0) {
    if (--depth_ < 2) in_log_ = false;
  }
}

// At a closing bracket: false when entries go on behind it all the same.
bool EntrySplitter::array_ends() {
  std::size_t at = 0;
  consume(1);
  return !peek(0, at) || view()[at] != ',' || !peek(at + 1, at) || view()[at] != '{';
}

// --- one entry ---

bool EntrySplitter::next(EntryPiece& piece) {
  unseal();
  if (is_skipping_) skip_rest();
  for (;;) {
    if (!in_array_ && !find_entries()) return false;
    std::size_t at = 0;
    while (peek(0, at) && view()[at] == ',') consume(at + 1);
    consume(at);
    if (view().empty()) {
      cut_ = true;
      return false;
    }
    if (view().front() == ']') {
      in_array_ = !array_ends();
      continue;
    }
    piece = {PieceKind::object, {}, ++number_, offset()};
    if (view().front() == '{') take_object(piece);
    else take_other(piece);
    return true;
  }
}

void EntrySplitter::take_object(EntryPiece& piece) {
  const std::size_t most = limits_.har_entry_bytes;
  Walk walk;
  bool complete = follow(walk);
  while (!complete && walk.limit == kNone && view().size() <= most + kKept && more()) complete = follow(walk);
  if (complete && walk.at <= most) {
    if (learned_from_ == 0) learn(view().substr(0, walk.at));
    return end_piece(piece, PieceKind::object, walk.at);
  }
  if (!careful_) walk.limit = next_beginning(view().substr(0, complete ? walk.at : kNone), 1);
  careful_ = true;
  if (walk.limit <= most) return end_piece(piece, PieceKind::unfinished, walk.limit);
  if (view().size() <= most) return cut_ = true, end_piece(piece, PieceKind::cut, view().size());
  is_skipping_ = !complete;
  skipping_ = walk;
  end_piece(piece, PieceKind::too_long, complete ? std::min(walk.at, walk.limit) : 0);
}

void EntrySplitter::end_piece(EntryPiece& piece, PieceKind kind, std::size_t length) {
  piece_ = begin_;
  piece.kind = kind;
  piece.text = view().substr(0, length);
  consume(length);
  if (buffer_.empty()) return;
  behind_ = buffer_[begin_];
  buffer_[begin_] = ' ';
  sealed_ = true;
}

void EntrySplitter::unseal() {
  if (sealed_) buffer_[begin_] = behind_;
  sealed_ = false;
}

void EntrySplitter::take_other(EntryPiece& piece) {
  const char c = view().front();
  if (c == '[') {
    take_object(piece);
    if (piece.kind == PieceKind::object) piece.kind = PieceKind::other;
    return;
  }
  piece.kind = PieceKind::other;
  if (c == '"') {
    skip_string();
  } else {
    consume(1);
    for (bool ends = false; !ends;) {
      const std::size_t end = view().find_first_of(",{}[]\"");
      ends = end != kNone;
      consume(ends ? end : view().size());
      if (!ends && !more()) break;
    }
  }
  piece_ = begin_;
}

// Goes on through the object; true when it is complete. In careful mode no further than the next beginning.
bool EntrySplitter::follow(Walk& walk) {
  if (careful_) look_ahead(walk);
  const std::string_view text = view().substr(0, walk.limit);
  while (walk.at < text.size()) {
    if (walk.in_string) {
      walk.at = find_string_mark(text, walk.at);
      if (walk.at >= text.size()) return false;
      const bool escape = text[walk.at] == '\\';
      if (escape && walk.at + 1 >= text.size()) return false;
      walk.in_string = escape;
      walk.at += escape ? 2 : 1;
      continue;
    }
    walk.at = find_structure(text, walk.at);
    if (walk.at >= text.size()) return false;
    const char c = text[walk.at++];
    if (c == '"') walk.in_string = true;
    else if (c == '{' || c == '[') ++walk.depth;
    else if (--walk.depth == 0) return true;
  }
  return false;
}

void EntrySplitter::look_ahead(Walk& walk) const {
  if (walk.limit != kNone) return;
  const std::string_view text = view();
  walk.limit = next_beginning(text, walk.searched);
  walk.searched = std::max<std::size_t>(1, text.size() > kKept ? text.size() - kKept : 0);
}

// Behind an entry that was too long to be kept.
void EntrySplitter::skip_rest() {
  is_skipping_ = false;
  while (!follow(skipping_)) {
    if (skipping_.limit != kNone) return consume(skipping_.limit);
    const std::size_t done = std::min(skipping_.at, view().size() > kKept ? view().size() - kKept : 0);
    consume(done);
    skipping_.at -= done;
    skipping_.searched = std::max<std::size_t>(1, skipping_.searched - std::min(done, skipping_.searched));
    if (!more()) return cut_ = true, consume(view().size());
  }
  consume(skipping_.at);
}

// --- after damage ---

void EntrySplitter::reject() {
  unseal();
  careful_ = true;
  if (learned_from_ == number_) first_key_.clear(), learned_from_ = 0;
  const std::string_view text(buffer_.data() + piece_, begin_ - piece_);
  const std::size_t beginning = next_beginning(text, 1);
  if (beginning != kNone) begin_ = piece_ + beginning;
}

// The next place at or behind 1 where an entry may begin, for keys that stand at or behind `from`.
std::size_t EntrySplitter::next_beginning(std::string_view text, std::size_t from) const {
  std::size_t best = kNone;
  for (const std::string_view key : {kStarted, std::string_view(first_key_)}) {
    if (key.empty()) continue;
    for (std::size_t at = find_bytes(text, key, from); at != kNone; at = find_bytes(text, key, at + 1)) {
      const std::size_t bracket = bracket_before(text, at, key != kStarted);
      if (bracket == kNone || bracket == 0) continue;
      best = std::min(best, bracket);
      break;
    }
  }
  return best;
}

// Browsers and proxies write the members of all entries in one order.
void EntrySplitter::learn(std::string_view entry) {
  learned_from_ = number_;
  const std::size_t quote = entry.find_first_not_of(" \t\r\n", 1);
  if (quote == kNone || entry[quote] != '"') return;
  const std::size_t end = entry.find('"', quote + 1);
  const std::string_view key = entry.substr(quote, end - quote + 1);
  const bool common = std::find(kCommonKeys.begin(), kCommonKeys.end(), key) != kCommonKeys.end();
  if (!common && key != kStarted && key.size() <= kKeyBytes) first_key_ = key;
}

TextPlace EntrySplitter::place_of(std::size_t at) const {
  const std::string_view before(buffer_.data(), std::min(piece_ + at, end_));
  const std::size_t newline = before.rfind('\n');
  const std::uint64_t line_start = newline == kNone ? line_start_ : base_ + newline + 1;
  return {1 + lines_ + scan_text(before).newlines, base_ + before.size() - line_start + 1};
}

}  // namespace mcpscan::ingest
