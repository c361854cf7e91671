#include "extract/share_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "app/message_reader.h"
#include "extract/share_words.h"
#include "ingest/transcript/client_words.h"
#include "report/redact.h"

namespace mcpscan::extract {
namespace {

constexpr std::string_view kToolOfClient = "mcp__";  // mcp__SERVER__TOOL: a tool as clients name it
constexpr std::size_t kShortestWord = 3, kShortestNumber = 5, kShortestToken = 8;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_alnum(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_token(char c) { return is_alnum(c) || std::string_view("-._~+/=").find(c) != std::string_view::npos; }
bool all_digits(std::string_view text) { return std::all_of(text.begin(), text.end(), is_digit); }

// 28T08, 104123Z: pieces of a time (RFC 3339).
bool is_of_time(std::string_view piece) {
  if (piece.ends_with('Z')) piece.remove_suffix(1);
  const std::size_t t = std::min(piece.find('T'), piece.size());
  return !piece.empty() && t > 0 && all_digits(piece.substr(0, t)) && all_digits(piece.substr(std::min(t + 1, piece.size())));
}

std::size_t sequence_bytes(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  return byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
}

std::uint32_t code_point(std::string_view utf8) {
  std::uint32_t code = static_cast<unsigned char>(utf8[0]) & (0xffu >> (utf8.size() + 1));
  for (const char c : utf8.substr(1)) code = code << 6 | (static_cast<unsigned char>(c) & 0x3fu);
  return code;
}

std::string utf8_of(std::uint32_t code) {
  std::string text;
  if (code < 0x800) return text += static_cast<char>(0xc0 | code >> 6), text += static_cast<char>(0x80 | (code & 0x3f)), text;
  if (code < 0x10000) {
    text += static_cast<char>(0xe0 | code >> 12);
  } else {
    text += static_cast<char>(0xf0 | code >> 18);
    text += static_cast<char>(0x80 | (code >> 12 & 0x3f));
  }
  text += static_cast<char>(0x80 | (code >> 6 & 0x3f));
  text += static_cast<char>(0x80 | (code & 0x3f));
  return text;
}

// Where the JSON value that begins at `from` ends; the end of the text where its brackets do not close.
std::size_t end_of_value(std::string_view text, std::size_t from) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t at = from; at < text.size(); ++at) {
    const char c = text[at];
    if (in_string) {
      if (c == '\\') ++at;
      else if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && --depth == 0) {
      return at + 1;
    }
  }
  return text.size();
}

}  // namespace

// The words of one text, as Pseudonyms finds them.
class WordShare {
 public:
  enum class Mode : std::uint8_t { prose, payload, document };
  WordShare(ShareText& of, std::string_view text, Mode mode) : of_(of), text_(text), mode_(mode) {
    for (const std::string_view phrase : ingest::client_phrases()) {
      for (std::size_t at = text.find(phrase); at != std::string_view::npos; at = text.find(phrase, at + phrase.size())) phrases_.emplace_back(at, at + phrase.size());
    }
  }

  std::string run() {
    return of_.names_.text(text_, [this](std::size_t at, std::size_t bytes) { return take(at, bytes); });
  }

 private:
  std::string take(std::size_t at, std::size_t bytes) {
    const std::string_view word = text_.substr(at, bytes);
    if (of_.kept_.contains(word) || is_clients_own(at) || word.starts_with(kToolOfClient) || (mode_ == Mode::document && !in_string(at)) || (mode_ != Mode::prose && is_member(at + bytes))) return std::string(word);
    std::string out;
    std::size_t done = escape_bytes(at, word, out);
    while (done < word.size()) done += take_piece(at + done, word.substr(done), out);
    return out;
  }

  // What clients themselves say of a call: it tells the incident, and no reader would know other words.
  bool is_clients_own(std::size_t at) const {
    return std::any_of(phrases_.begin(), phrases_.end(), [at](const auto& phrase) { return phrase.first <= at && at < phrase.second; });
  }

  // A word behind a backslash may begin with the letters of the escape. Bytes taken.
  std::size_t escape_bytes(std::size_t at, std::string_view word, std::string& out) {
    if (at == 0 || text_[at - 1] != '\\') return 0;
    if (word[0] == 'u' && word.size() >= 5 && std::all_of(word.begin() + 1, word.begin() + 5, is_hex)) {
      out += 'u' + escaped(word.substr(1, 4));
      return 5;
    }
    if (std::string_view("bfx0").find(word[0]) == std::string_view::npos) return 0;
    const std::size_t bytes = word[0] == 'x' && word.size() >= 3 ? 3 : 1;
    out += word.substr(0, bytes);
    return bytes;
  }

  std::string escaped(std::string_view hex) {
    std::uint32_t code = 0;
    std::from_chars(hex.data(), hex.data() + hex.size(), code, 16);
    const bool surrogate = code >= 0xd800 && code < 0xe000;
    if (mode_ == Mode::prose || code < 0x80 || surrogate) return std::string(hex);
    return fmt::format("{:04x}", code_point(of_.letter(utf8_of(code))));
  }

  std::size_t take_piece(std::size_t at, std::string_view rest, std::string& out) {
    std::size_t bytes = 0;
    while (bytes < rest.size() && is_alnum(rest[bytes])) ++bytes;
    if (bytes > 0) {
      out += stand_in(at, rest.substr(0, bytes));
      return bytes;
    }
    bytes = static_cast<unsigned char>(rest[0]) < 0x80 ? 1 : std::min(sequence_bytes(rest[0]), rest.size());
    out += bytes == 1 || mode_ == Mode::prose ? std::string(rest.substr(0, bytes)) : of_.letter(rest.substr(0, bytes));
    return bytes;
  }

  std::string stand_in(std::size_t at, std::string_view piece) {
    if (of_.names_.is_known(piece)) return of_.names_.of(piece);
    if (of_.kept_.contains(piece) || is_protocol_word(piece) || is_harmless(at, piece)) return std::string(piece);
    if (mode_ == Mode::prose && (!of_.words_.is_known(piece) || of_.prose_.contains(piece))) return std::string(piece);
    // The first digit stays: a number of JSON must not begin with a zero.
    if (all_digits(piece)) return std::string(piece.substr(0, 1)) + of_.words_.of(piece.substr(1));
    return of_.words_.of(piece);
  }

  bool is_harmless(std::size_t at, std::string_view piece) const {
    if (all_digits(piece)) return piece.size() < kShortestNumber || is_fraction(at) || is_error_code(at, piece) || is_measure(at);
    return piece.size() < kShortestWord || is_of_time(piece);
  }

  // The digits behind a decimal point are a measure or a time.
  bool is_fraction(std::size_t at) const { return at >= 2 && text_[at - 1] == '.' && is_digit(text_[at - 2]); }
  // JSON-RPC 2.0 section 5.1.
  bool is_error_code(std::size_t at, std::string_view piece) const { return at > 0 && text_[at - 1] == '-' && piece.size() == 5 && piece.starts_with("32"); }

  // "durationMs": 61234 and its kin: what the evidence itself measured.
  bool is_measure(std::size_t at) const {
    constexpr std::string_view kEndings[]{"Ms", "ms", "time", "Time", "duration", "secs", "nanos"};
    const std::size_t colon = text_.find_last_not_of(" \t", at == 0 ? 0 : at - 1);
    if (at == 0 || colon == std::string_view::npos || text_[colon] != ':') return false;
    std::size_t end = colon;
    while (end > 0 && (text_[end - 1] == '"' || text_[end - 1] == '\'' || text_[end - 1] == '\\')) --end;
    return std::any_of(std::begin(kEndings), std::end(kEndings), [&](std::string_view ending) { return text_.substr(0, end).ends_with(ending); });
  }

  // "name": or name=, whatever quoted or escaped it.
  bool is_member(std::size_t end) const {
    if (end < text_.size() && text_[end] == '=') return true;
    std::size_t at = end;
    while (at < text_.size() && text_[at] == '\\') ++at;
    if (at >= text_.size() || (text_[at] != '"' && text_[at] != '\'')) return false;
    at = text_.find_first_not_of(" \t", at + 1);
    return at != std::string_view::npos && text_[at] == ':';
  }

  // Whether `at` lies inside one of the document's own strings; asked in rising order.
  bool in_string(std::size_t at) {
    for (; looked_at_ < at; ++looked_at_) {
      if (in_string_ && text_[looked_at_] == '\\') ++looked_at_;
      else if (text_[looked_at_] == '"') in_string_ = !in_string_;
    }
    return in_string_;
  }

  ShareText& of_;
  std::string_view text_;
  Mode mode_;
  std::vector<std::pair<std::size_t, std::size_t>> phrases_;  // from, to
  std::size_t looked_at_ = 0;
  bool in_string_ = false;
};

void ShareText::keep(std::string_view word) {
  if (!word.empty()) kept_.emplace(word);
}

void ShareText::keep_in_prose(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_alnum(text[end])) ++end;
    if (end - at >= kShortestWord) prose_.emplace(text.substr(at, end - at));
    at = end + 1;
  }
}

void ShareText::begin_second_pass() {
  report::Pseudonyms names;
  for (const std::string& value : names_.replaced()) names.know(value);
  names_ = std::move(names);
}

// What stands behind "Bearer": dots and slashes in it make it no single word.
void ShareText::learn_tokens(std::string_view text) {
  constexpr std::string_view kWord = "earer ";
  for (std::size_t at = text.find(kWord); at != std::string_view::npos; at = text.find(kWord, at)) {
    at += kWord.size();
    std::size_t end = at;
    while (end < text.size() && is_token(text[end])) ++end;
    if (end - at >= kShortestToken) names_.know(text.substr(at, end - at));
  }
}

std::string ShareText::prose(std::string_view text) {
  learn_tokens(text);
  const std::string masked = report::mask_secrets(text);
  return WordShare(*this, masked, WordShare::Mode::prose).run();
}

std::string ShareText::payload(std::string_view text) {
  learn_tokens(text);
  return WordShare(*this, text, WordShare::Mode::payload).run();
}

std::string ShareText::document(std::string_view text) {
  learn_tokens(text);
  return WordShare(*this, text, WordShare::Mode::document).run();
}

std::string ShareText::line(std::string_view text) {
  const app::FoundBody found = app::find_body(text);
  if (found.position == std::string_view::npos) return prose(text);
  const bool plain = found.codec == app::Codec::json && (text[found.position] == '{' || text[found.position] == '[');
  const std::size_t end = plain ? end_of_value(text, found.position) : text.size();
  return prose(text.substr(0, found.position)) + payload(text.substr(found.position, end - found.position)) + (end < text.size() ? prose(text.substr(end)) : std::string());
}

// A body may stand on one line of several, or over several.
std::string ShareText::record(std::string_view text) {
  std::string out;
  bool any = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    const std::string_view one = text.substr(at, end - at);
    any = any || app::find_body(one).position != std::string_view::npos;
    out += line(one);
    at = end;
  }
  return any ? out : line(text);
}

std::string ShareText::letter(std::string_view utf8) {
  if (utf8.size() < sequence_bytes(utf8[0]) || utf8.size() < 2) return std::string(utf8);  // no whole letter
  constexpr std::uint32_t kFirst[]{0, 0, 0xc0, 0x4e00, 0x1f300}, kMost[]{1, 1, 0x400, 0x5000, 0x400};
  const std::uint32_t code = code_point(utf8);
  const auto [entry, fresh] = letters_.try_emplace(code, 0);
  if (fresh) entry->second = kFirst[utf8.size()] + letters_of_size_[utf8.size()]++ % kMost[utf8.size()];
  return utf8_of(entry->second);
}

}  // namespace mcpscan::extract
