// TextCleaner: takes NULs and byte order marks out of the text at the end of a buffer, and keeps account of where, so that the
// offset of a later place in the buffer can still be told. A hole or a mark at a line start is where another file was joined or
// the log was cut while being written: there the buffer should end, and clean() says so.
// Not here: reading, lines, records. Threads: one. Bound: kRemovals places a buffer; past it, offsets within that block blur.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/text_buffer.h"

namespace mcpscan::ingest {

class TextCleaner {
 public:
  struct Outcome {
    bool cut = false;           // the buffer ends before a hole or a mark
    std::string_view rest;      // after a cut: the bytes behind it, untouched; valid until the buffer changes
    std::size_t size = 0;       // clean bytes of the buffer; the caller shrinks it after `rest` is saved
    std::size_t skipped = 0;    // bytes taken out before the buffer's first byte
    std::size_t nuls = 0;       // NULs taken out
    std::uint64_t first_nul = 0;   // offset of the first one in the input
    std::size_t first_nul_at = 0;  // and where in the clean buffer
  };
  // Cleans buffer[from...], which was just read from `offset` of the input and does not end within a mark.
  Outcome clean(TextBuffer& buffer, std::size_t from, std::uint64_t offset);

  // The text that follows does not continue what clean() saw last.
  void forget_run() { after_nul_ = false; }

  // Bytes taken out before or at `position` of the buffer.
  std::uint64_t removed_before(std::size_t position) const;
  // The buffer now begins at what was `position`.
  void drop_before(std::size_t position);

 private:
  struct Removal {
    std::size_t at;
    std::uint64_t bytes;
  };
  struct Special;
  bool may_cut(std::uint64_t offset);
  void note_removal(std::size_t at, std::size_t bytes);

  std::vector<Removal> removals_;
  std::uint64_t next_cut_ = 0;
  bool after_nul_ = false;  // the text before ended in a NUL
};

}  // namespace mcpscan::ingest
