// EntrySplitter: the entries of a HAR as pieces of text, one after the other, without ever holding the whole document. It counts
// brackets and strings and understands nothing else, so the order of keys is free, and several documents in a row are read too.
// After damage it looks for the next beginning of an entry: an object that begins as this file's entries do, outside any string
// (quotes inside strings are escaped, so a body cannot fake a beginning). From then on every entry is held against the next
// beginning, which keeps the work linear in the size of the file.
// Ownership: reads from `in`, owns its buffer; a piece's text is valid until the next call and may be read kPadding bytes beyond its
// end. Threads: one. Bounds: Limits::har_entry_bytes. Source: HAR 1.2, "log" and "entries"; RFC 8259.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/limits.h"
#include "ingest/text/text_input.h"

namespace mcpscan::ingest {

enum class PieceKind : std::uint8_t {
  object,      // balanced, most likely an entry
  other,       // an element that is no object
  unfinished,  // damaged: another entry begins before it ends
  cut,         // the input ends before it does
  too_long,    // longer than Limits::har_entry_bytes; the text is its beginning
};

struct EntryPiece {
  PieceKind kind = PieceKind::object;
  std::string_view text;
  std::uint64_t number = 0;  // from 1
  std::uint64_t offset = 0;  // in the decoded input
};

// From 1; the column counts bytes.
struct TextPlace {
  std::uint64_t line = 1, column = 1;
};

class EntrySplitter {
 public:
  static constexpr std::size_t kPadding = 64;

  EntrySplitter(TextInput& in, const Limits& limits);

  // False when there are no more.
  bool next(EntryPiece& piece);
  // The last piece was no JSON: the next one is the next beginning inside it, where there is one.
  void reject();
  // Where byte `at` of the last piece stands.
  TextPlace place_of(std::size_t at) const;

  bool found_entries() const { return found_entries_; }
  // The input ends before the document does, or inside the entries.
  bool cut() const { return cut_; }
  bool entries_cut() const { return cut_ && in_array_; }
  std::uint64_t offset() const { return base_ + begin_; }

 private:
  static constexpr std::size_t kNone = std::string_view::npos;
  // How far an object has been followed; positions in view().
  struct Walk {
    std::size_t at = 0, depth = 0, searched = 1, limit = kNone;
    bool in_string = false;
  };

  std::string_view view() const { return {buffer_.data() + begin_, end_ - begin_}; }
  void consume(std::size_t bytes) { begin_ += bytes; }
  bool more();
  bool peek(std::size_t from, std::size_t& at);
  bool find_entries();
  std::string skip_string();
  void open_bracket(char bracket, std::string_view key);
  bool array_ends();
  void take_object(EntryPiece& piece);
  void take_other(EntryPiece& piece);
  void end_piece(EntryPiece& piece, PieceKind kind, std::size_t length);
  void unseal();
  bool follow(Walk& walk);
  void look_ahead(Walk& walk) const;
  void skip_rest();
  std::size_t next_beginning(std::string_view text, std::size_t from) const;
  void learn(std::string_view entry);

  TextInput& in_;
  const Limits& limits_;
  std::string buffer_;               // allocated, with kPadding bytes behind end_
  std::size_t begin_ = 0, end_ = 0;  // what is not consumed yet
  std::size_t piece_ = 0;            // where the last piece begins, in buffer_
  std::uint64_t base_ = 0;           // offset of buffer_[0]
  std::uint64_t lines_ = 0;          // line ends before buffer_[0]
  std::uint64_t line_start_ = 0;     // offset of the line that buffer_[0] is in
  std::uint64_t number_ = 0;
  std::size_t depth_ = 0;            // open brackets outside the entries
  std::string first_key_;            // with its quotes: what this file's entries begin with
  std::uint64_t learned_from_ = 0;   // the entry that told it
  Walk skipping_;                    // through an entry that is too long
  char behind_ = ' ';                // what stands behind the last piece; a blank takes its place meanwhile, for simdjson looks at it
  bool in_log_ = false, in_array_ = false, found_entries_ = false, is_skipping_ = false;
  bool careful_ = false, cut_ = false, sealed_ = false;
};

}  // namespace mcpscan::ingest
