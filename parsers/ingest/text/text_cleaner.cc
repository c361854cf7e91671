#include "ingest/text/text_cleaner.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "ingest/text/text_scan.h"

namespace mcpscan::ingest {
namespace {

constexpr std::size_t kRemovals = 4096;
constexpr std::uint64_t kCutSpacing = 4096;  // bytes between two cuts at least, so that hostile text does not shred into blocks

std::size_t run_of_nuls(std::string_view text, std::size_t from) {
  const std::size_t end = text.find_first_not_of('\0', from);
  return (end == std::string_view::npos ? text.size() : end) - from;
}

}  // namespace

// The next byte run to take out, looked for lazily: text has hardly ever one.
struct TextCleaner::Special {
  std::string_view text;
  std::size_t nul, mark;

  Special(std::string_view in, std::size_t from) : text(in), nul(in.find('\0', from)), mark(find_mark(from)) {}
  std::size_t at() const { return std::min(nul, mark); }
  bool is_nul() const { return nul < mark; }
  std::size_t length() const { return is_nul() ? run_of_nuls(text, nul) : kUtf8Mark.size(); }
  void pass(std::size_t to) {
    if (nul != std::string_view::npos && nul < to) nul = text.find('\0', to);
    if (mark != std::string_view::npos && mark < to) mark = find_mark(to);
  }
  std::size_t find_mark(std::size_t from) const {
    for (std::size_t at = from; (at = text.find(kUtf8Mark[0], at)) != std::string_view::npos; ++at) {
      if (text.compare(at, kUtf8Mark.size(), kUtf8Mark) == 0) return at;
    }
    return std::string_view::npos;
  }
};

TextCleaner::Outcome TextCleaner::clean(TextBuffer& buffer, std::size_t from, std::uint64_t offset) {
  Outcome outcome;
  const std::string_view text = buffer;
  std::size_t read = from, write = from;
  const bool continues_run = std::exchange(after_nul_, false);  // a run is one hole however the reads split it
  const bool ends_in_nul = text.ends_with('\0');
  const auto keep = [&](std::size_t until) {
    if (write != read) std::memmove(buffer.data() + write, buffer.data() + read, until - read);
    write += until - read;
    read = until;
  };
  for (Special special(text, from); special.at() != std::string_view::npos; special.pass(read)) {
    const std::size_t at = special.at(), length = special.length();
    const bool is_nul = special.is_nul();
    keep(at);
    const bool line_start = write == 0 || buffer.data()[write - 1] == '\n';
    if (!is_nul && !line_start) {
      keep(at + length);
      continue;
    }
    if (is_nul && outcome.nuls == 0) outcome.first_nul = offset + (at - from), outcome.first_nul_at = write;
    if (is_nul) outcome.nuls += length;
    read = at + length;
    if (write == 0) {
      outcome.skipped += length;
    } else if (line_start && !(continues_run && at == from) && may_cut(offset + (at - from))) {
      outcome.cut = true;
      outcome.rest = text.substr(read);
      outcome.size = write;
      return outcome;
    } else {
      note_removal(write, length);
    }
  }
  keep(buffer.size());
  outcome.size = write;
  after_nul_ = ends_in_nul;
  return outcome;
}

// Told by the place in the input alone, so that block sizes change nothing.
bool TextCleaner::may_cut(std::uint64_t offset) {
  if (offset < next_cut_) return false;
  next_cut_ = offset + kCutSpacing;
  return true;
}

void TextCleaner::note_removal(std::size_t at, std::size_t bytes) {
  if (!removals_.empty() && (removals_.back().at == at || removals_.size() >= kRemovals)) {
    removals_.back().bytes += bytes;
  } else {
    removals_.push_back({at, bytes});
  }
}

std::uint64_t TextCleaner::removed_before(std::size_t position) const {
  std::uint64_t bytes = 0;
  for (const Removal& removal : removals_) {
    if (removal.at <= position) bytes += removal.bytes;
  }
  return bytes;
}

void TextCleaner::drop_before(std::size_t position) {
  std::erase_if(removals_, [position](const Removal& removal) { return removal.at <= position; });
  for (Removal& removal : removals_) removal.at -= position;
}

}  // namespace mcpscan::ingest
