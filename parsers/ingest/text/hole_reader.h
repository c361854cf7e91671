// HoleReader: how far the typed holes of a template reach in one text, and how far they had to look for that.
// FirstHoles: the same for holes at the start of the text, each measured once. Dozens of templates begin with the same few holes, and the
// bytes behind the hole rule most of them out.
// Both refer to the text, the times and the captures they were made with. Not thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "ingest/text/template.h"

namespace mcpscan::ingest {

inline constexpr std::size_t kNowhere = std::string_view::npos;
// The position behind `literal`, whose blanks stand for runs of them, or kNowhere. `at` is within the text; `seen`: how far it had to look.
std::size_t literal_end(std::string_view literal, std::string_view text, std::size_t at, std::size_t& seen);

class HoleReader {
 public:
  HoleReader(std::string_view text, TimeReader& times) : text_(text), times_(times) {}

  // Bytes that the hole takes at `at`, 0 when it does not fit there. Fills the capture's number, and its text where that is not all of it.
  std::size_t length(const Template::Op& op, std::size_t at, Capture& capture);
  // How far a hole of `length` bytes at `at` looked. Never less than it did; exact for what prefixes are made of.
  std::size_t seen(Template::HoleType type, std::size_t at, std::size_t length) const;
  std::size_t line_end(std::size_t at) const;
  std::size_t word_end(std::size_t at) const;

 private:
  std::size_t text_to_line_end(std::size_t at, Capture& capture) const;
  std::size_t time(const Template::Op& op, std::string_view left, Capture& capture);
  std::size_t quoted(std::size_t at, Capture& capture) const;
  std::size_t seen_by_time(std::size_t at) const;

  std::string_view text_;
  TimeReader& times_;
};

class FirstHoles {
 public:
  FirstHoles(std::string_view text, TimeReader& times, Captures& captures) : text_(text), times_(times), captures_(captures) {}

  // False when no template with this opening can match the text.
  bool allow(const Template::Opening& opening) {
    if (opening.hole == Template::Opening::kAny) return true;
    Behind& behind = behind_[opening.hole];
    if (!behind.known) behind = measure(opening.hole);
    if (behind.first != opening.first || (opening.second != 0 && behind.second != opening.second)) return false;
    return opening.second == 0 || goes_on(behind, opening.literal);
  }

 private:
  struct Behind {
    char first = 0, second = 0;   // as in Template::Opening; 0: the hole does not fit, or the text ends
    bool known = false;
    std::uint32_t at = 0;
  };
  Behind measure(std::size_t hole);
  bool goes_on(const Behind& behind, std::string_view literal);

  std::string_view text_;
  TimeReader& times_;
  Captures& captures_;
  std::array<Behind, Template::kHoleTypes + kTimeForms> behind_{};   // what is behind each
};

}  // namespace mcpscan::ingest
