#include "app/json_skipper.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "app/json_blocks.h"
#include "base/hex_digit.h"

namespace mcpscan::app {

namespace {

constexpr std::array<bool, 256> kEscapable = [] {
  std::array<bool, 256> table{};
  for (const char c : {'"', '\\', '/', 'b', 'f', 'n', 'r', 't', 'u'}) table[static_cast<unsigned char>(c)] = true;
  return table;
}();

constexpr std::size_t kShortestMarked = 26;  // a string with a cut marker and its quotes

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// True when the backslash at `at` begins an escape: an even number of backslashes stands before it.
bool begins_escape(const char* at, const char* begin) {
  const char* run = at;
  while (run > begin && run[-1] == '\\') --run;
  return (at - run) % 2 == 0;
}

// The masks of up to 64 bytes at `at`; bits behind the end are clear. The last bytes are looked at together with those before
// them: a copy would stall the loads.
template <BlockPart kPart>
JsonBlock block_at(const char* at, const char* begin, const char* end) {
  constexpr std::ptrdiff_t kBytes = JsonBlock::kBytes;
  char spare[kBytes];
  int before = 0;
  if (end - at < kBytes) {
    if (end - begin >= kBytes) {
      before = static_cast<int>(kBytes - (end - at));
      at = end - kBytes;
    } else {
      std::memset(spare, ' ', sizeof spare);
      std::memcpy(spare, at, static_cast<std::size_t>(end - at));
      at = spare;
    }
  }
  return classify<kPart>(at).shifted(before);
}

// Brackets still open, with their kinds for the innermost 64.
struct Nesting {
  std::size_t depth = 0, deepest = 0;
  std::uint64_t kinds = 0;
  std::uint64_t mismatch = 0;

  // `byte` is a bracket; in ASCII bit 5 tells {} from [].
  void step(char byte, bool closes) {
    const std::uint64_t kind = static_cast<std::uint64_t>(byte >> 5) & 1;
    if (closes) {
      if (depth <= 64) mismatch |= (kinds & 1) ^ kind;
      kinds >>= 1;
      --depth;
      return;
    }
    kinds = kinds << 1 | kind;
    deepest = std::max(deepest, ++depth);
  }
};

}  // namespace

void JsonSkipper::check_unicode(const char* escaped) {
  const int value = hex4(left(escaped + 1));
  if (value < 0) {
    faults_ |= kBadEscape;
  } else if (value >= 0xd800 && value <= 0xdbff) {
    const bool followed = end_ - escaped >= 11 && escaped[5] == '\\' && escaped[6] == 'u';
    const int low = followed ? hex4(left(escaped + 7)) : -1;
    if (low < 0xdc00 || low > 0xdfff) faults_ |= kLoneSurrogate;
  } else if (value >= 0xdc00 && value <= 0xdfff) {
    const bool preceded = escaped - begin_ >= 7 && escaped[-7] == '\\' && escaped[-6] == 'u' && begins_escape(escaped - 7, begin_);
    const int high = preceded ? hex4(left(escaped - 5)) : -1;
    if (high < 0xd800 || high > 0xdbff) faults_ |= kLoneSurrogate;
  }
}

void JsonSkipper::check_escape(const char* escaped) {
  if (escaped >= end_) return;
  if (!kEscapable[static_cast<unsigned char>(*escaped)]) faults_ |= kBadEscape;
  if (*escaped == 'u') check_unicode(escaped);
}

void JsonSkipper::check_escapes(const char* block, std::uint64_t escaped) {
  for (; escaped != 0; escaped &= escaped - 1) check_escape(block + __builtin_ctzll(escaped));
}

// "...[18778 chars truncated]..." stands in the middle of what a logger cut; `bracket` is a [.
void JsonSkipper::check_cut_marker(const char* bracket) {
  if (bracket - begin_ < 3 || bracket[-1] != '.' || bracket[-2] != '.') return;
  const char* word = bracket + 1;
  while (word < end_ && is_digit(*word)) ++word;
  constexpr std::string_view kWords = " chars truncated]...";
  if (word != bracket + 1 && left(word).substr(0, kWords.size()) == kWords) faults_ |= kCutMarker;
}

void JsonSkipper::check_cut_markers(const char* block, std::uint64_t brackets) {
  for (; brackets != 0; brackets &= brackets - 1) {
    const char* at = block + __builtin_ctzll(brackets);
    if (*at == '[') check_cut_marker(at);
  }
}

JsonToken JsonSkipper::container(JsonType type) {
  const char* start = at_;
  Nesting nesting;
  std::uint64_t string_carry = 0, escape_carry = 0, loose = 0;
  while (at_ < end_) {
    const JsonBlock block = block_at<BlockPart::structure>(at_, begin_, end_);
    const std::uint64_t escaped = escaped_bytes(block.backslash, escape_carry);
    const std::uint64_t quotes = block.quote & ~escaped;
    const std::uint64_t strings = (quotes != 0 ? prefix_xor(quotes) : 0) ^ string_carry;
    string_carry = 0 - (strings >> 63);

    std::uint64_t inside = ~std::uint64_t{0};  // the bytes of this block that belong to the container
    for (std::uint64_t brackets = (block.open | block.close) & ~strings; brackets != 0; brackets &= brackets - 1) {
      const int index = __builtin_ctzll(brackets);
      nesting.step(at_[index], (block.close >> index & 1) != 0);
      if (nesting.depth == 0) {
        inside >>= 63 - index;
        break;
      }
    }
    const std::uint64_t text = strings & inside;
    high_ |= block.high & inside;
    loose |= (((block.blank | block.control) & ~strings) | block.backslash) & inside;
    if ((block.control & text) != 0) faults_ |= kControlByte;
    if (((block.odd | block.backslash) & ~strings & inside) != 0) faults_ |= kSuspectByte;
    if ((escaped & text) != 0) check_escapes(at_, escaped & text);
    if ((block.open & inside) != 0) check_cut_markers(at_, block.open & inside);
    if (nesting.depth == 0) {
      at_ += 64 - __builtin_clzll(inside);
      break;
    }
    at_ += std::min<std::size_t>(JsonBlock::kBytes, static_cast<std::size_t>(end_ - at_));
  }
  if (depth_ + nesting.deepest > depth_limit_) faults_ |= kDeep;
  if (nesting.depth != 0) return fail(), JsonToken{};
  if (nesting.mismatch != 0) return faults_ |= kBroken, JsonToken{};
  return {type, false, since(start), loose == 0};
}

// The first quote, backslash or control byte at or after `from`.
const char* JsonSkipper::find_string_stop(const char* from) {
#if defined(__SSE2__)
  for (; end_ - from >= 16; from += 16) {
    const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
    const __m128i quote = _mm_cmpeq_epi8(v, _mm_set1_epi8('"'));
    const __m128i backslash = _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'));
    const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(0x1f)), v);
    const auto stops = static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, backslash), control)));
    const auto high = static_cast<unsigned>(_mm_movemask_epi8(v));
    if (stops != 0) {
      high_ |= high & (stops - 1) & ~stops;
      return from + __builtin_ctz(stops);
    }
    high_ |= high;
  }
#endif
  for (; from < end_; ++from) {
    const auto c = static_cast<unsigned char>(*from);
    if (c == '"' || c == '\\' || c < 0x20) break;
    high_ |= c >> 7;
  }
  return from;
}

// The same of what follows a backslash or a control byte: a text that has one has many, and to stop at each costs more than to look at
// all of a block at once. Stands at the closing quote, or at the end of the text; true when there was a backslash.
bool JsonSkipper::skip_escaped() {
  std::uint64_t carry = 0, backslashes = 0;
  while (at_ < end_) {
    const JsonBlock block = block_at<BlockPart::string>(at_, begin_, end_);
    const std::uint64_t escaped = escaped_bytes(block.backslash, carry);
    const std::uint64_t quotes = block.quote & ~escaped;
    const std::uint64_t inside = quotes != 0 ? (quotes & (0 - quotes)) - 1 : ~std::uint64_t{0};
    high_ |= block.high & inside;
    if ((block.control & ~escaped & inside) != 0) faults_ |= kControlByte;
    check_escapes(at_, escaped & inside);
    backslashes |= block.backslash & inside;
    if (quotes != 0) {
      at_ += __builtin_ctzll(quotes);
      break;
    }
    at_ += std::min<std::size_t>(JsonBlock::kBytes, static_cast<std::size_t>(end_ - at_));
  }
  return backslashes != 0;
}

JsonToken JsonSkipper::string() {
  const char* start = at_++;
  at_ = find_string_stop(at_);
  const bool escaped = at_ < end_ && *at_ != '"' && skip_escaped();
  if (at_ == end_) return fail(), JsonToken{};
  ++at_;
  const std::string_view raw = since(start);
  if (raw.size() > kShortestMarked) {
    const std::size_t marker = raw.find("...[");
    if (marker != std::string_view::npos) check_cut_marker(start + marker + 3);
  }
  return {JsonType::string, escaped, raw};
}

JsonToken JsonSkipper::number() {
  const char* start = at_;
  const auto digits = [this] {
    const char* from = at_;
    while (at_ < end_ && is_digit(*at_)) ++at_;
    return at_ != from;
  };
  take('-');
  if (!take('0') && !digits()) return fail(), JsonToken{};
  JsonType type = JsonType::integer;
  if (take('.')) {
    type = JsonType::fraction;
    if (!digits()) return fail(), JsonToken{};
  }
  if (take('e') || take('E')) {
    type = JsonType::fraction;
    if (!take('-')) take('+');
    if (!digits()) return fail(), JsonToken{};
  }
  // At the end of the text nobody knows whether more digits followed.
  if (at_ == end_ && depth_ > 0) return fail(), JsonToken{};
  return {type, false, since(start)};
}

JsonToken JsonSkipper::literal(std::string_view word, JsonType type) {
  const char* start = at_;
  const std::string_view text = left(at_);
  if (text.substr(0, word.size()) != word) {
    if (word.substr(0, text.size()) == text) at_ = end_;
    return fail(), JsonToken{};
  }
  at_ += word.size();
  return {type, false, since(start)};
}

JsonToken JsonSkipper::value() {
  switch (peek()) {
    case '"': return string();
    case '{': return container(JsonType::object);
    case '[': return container(JsonType::array);
    case 't': return literal("true", JsonType::boolean);
    case 'f': return literal("false", JsonType::boolean);
    case 'n': return literal("null", JsonType::null);
    default: return number();
  }
}

}  // namespace mcpscan::app
