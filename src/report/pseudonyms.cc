#include "report/pseudonyms.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

namespace mcpscan::report {
namespace {

constexpr std::size_t kShortestKnown = 4;    // shorter ones are ordinary words where they stand in a text
constexpr std::size_t kShortestHexId = 32;
constexpr std::size_t kShortestHexValue = 6;
constexpr std::size_t kWidestGap = 12;       // between a name and its value: ": ", "\": \"", "', b'", "=>"

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_alnum(char c) { return is_digit(c) || is_lower(c) || is_upper(c); }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_word(char c) { return is_alnum(c) || c == '-' || c == '_' || c == '.' || static_cast<unsigned char>(c) >= 0x80; }

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

template <std::size_t N>
bool is_one_of(std::string_view word, const std::string_view (&words)[N]) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

constexpr std::string_view kSessionNames[]{"mcp-session-id", "mcp_session_id", "mcpsessionid", "session_id", "session-id", "sessionid", "session", "sid"};
constexpr std::string_view kHostNames[]{"host", "hostname", "server_name", "servername", "x-forwarded-host", "x-forwarded-server", "upstream", "upstream_addr", "authority", "pod", "node"};
constexpr std::string_view kNobody[]{"localhost", "null", "none", "true", "false", "undefined", "not", "unknown"};
// Last labels that make a dotted word a host where nothing else says so; "gateway.log" and "mcp.server" are none.
constexpr std::string_view kLastLabels[]{"com", "net", "org", "edu", "gov", "io", "ai", "dev", "app", "cloud", "internal", "intern", "local", "lan", "corp", "home",
                                         "test", "example", "invalid", "localdomain", "arpa", "de", "uk", "eu", "fr", "nl", "ch", "at", "jp", "cn", "us", "ca", "au"};

// --- forms ---

bool octets_of(std::string_view word, std::array<std::string_view, 4>& octets) {
  for (std::size_t i = 0; i < 4; ++i) {
    const std::size_t end = i == 3 ? word.size() : word.find('.');
    if (end == std::string_view::npos) return false;
    octets[i] = word.substr(0, end);
    word.remove_prefix(std::min(word.size(), end + 1));
    if (octets[i].empty() || octets[i].size() > 3 || !std::all_of(octets[i].begin(), octets[i].end(), is_digit)) return false;
    if (octets[i].size() == 3 && octets[i] > "255") return false;
  }
  return true;
}

bool is_ipv4(std::string_view word) {
  std::array<std::string_view, 4> octets;
  return octets_of(word, octets);
}

// 8-4-4-4-12 (RFC 9562 section 4).
bool is_uuid(std::string_view word) {
  if (word.size() != 36) return false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const bool hyphen = i == 8 || i == 13 || i == 18 || i == 23;
    if (hyphen ? word[i] != '-' : !is_hex(word[i])) return false;
  }
  return true;
}

bool is_hex_id(std::string_view word) { return word.size() >= kShortestHexId && std::all_of(word.begin(), word.end(), is_hex); }

bool is_host(std::string_view word) {
  const std::size_t dot = word.rfind('.');
  return dot != std::string_view::npos && dot > 0 && is_one_of(lower(word.substr(dot + 1)), kLastLabels);
}

bool is_mac(std::string_view run) {
  if (run.size() != 17) return false;
  for (std::size_t i = 0; i < run.size(); ++i) {
    if (i % 3 == 2 ? run[i] != ':' : !is_hex(run[i])) return false;
  }
  return true;
}

bool is_ipv6(std::string_view run) {
  if (run.size() > INET6_ADDRSTRLEN || std::count(run.begin(), run.end(), ':') < 2) return false;
  in6_addr parsed;
  return inet_pton(AF_INET6, std::string(run).c_str(), &parsed) == 1;
}

// --- stand-ins ---

struct Digit {
  unsigned symbols = 0;  // 0: the character stays
  char first = '0';
};

// Positions that count, by alphabet; a value all of whose letters are hex digits counts in hex.
std::vector<Digit> digits_of(std::string_view value) {
  const auto letters_hex = [&](char c) { return !is_alnum(c) || is_hex(c); };
  const auto alnum = static_cast<std::size_t>(std::count_if(value.begin(), value.end(), is_alnum));
  const bool some_digit = std::any_of(value.begin(), value.end(), is_digit);
  const bool some_letter = std::any_of(value.begin(), value.end(), [](char c) { return is_lower(c) || is_upper(c); });
  const bool colons = value.find(':') != std::string_view::npos;
  const bool hex = some_digit && (some_letter || colons) && (colons || alnum >= kShortestHexValue) && std::all_of(value.begin(), value.end(), letters_hex);
  const bool upper = hex && std::any_of(value.begin(), value.end(), is_upper);
  std::vector<Digit> digits;
  for (const char c : value) {
    if (!is_alnum(c)) digits.push_back({});
    else if (hex) digits.push_back({16, upper ? 'X' : 'x'});
    else if (is_digit(c)) digits.push_back({10, '0'});
    else digits.push_back({26, is_lower(c) ? 'a' : 'A'});
  }
  return digits;
}

std::string shape_of(std::string_view value, const std::vector<Digit>& digits) {
  std::string shape;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (digits[i].symbols > 0) shape += {'\x01', digits[i].first};
    else shape += static_cast<unsigned char>(value[i]) >= 0x80 ? 'z' : value[i];
  }
  return shape;
}

char symbol(const Digit& digit, unsigned value) {
  if (digit.symbols != 16) return static_cast<char>(digit.first + static_cast<char>(value));
  return (digit.first == 'X' ? "0123456789ABCDEF" : "0123456789abcdef")[value];
}

// The ordinal in the value's own digits, the last one counting fastest; what does not fit any more stands behind it.
std::string counted_in(std::string_view value, const std::vector<Digit>& digits, std::uint64_t ordinal) {
  std::string result(value);
  for (std::size_t i = digits.size(); i-- > 0;) {
    if (digits[i].symbols == 0) {
      if (static_cast<unsigned char>(result[i]) >= 0x80) result[i] = 'z';
      continue;
    }
    result[i] = symbol(digits[i], static_cast<unsigned>(ordinal % digits[i].symbols));
    ordinal /= digits[i].symbols;
  }
  return ordinal == 0 ? result : result + std::to_string(ordinal);
}

// Octets keep their width, so that the result is an address again: 0 to 9, 10 to 99, 100 to 255.
std::string counted_in_octets(const std::array<std::string_view, 4>& octets, std::uint64_t ordinal) {
  constexpr std::array<unsigned, 4> kLeast{0, 0, 10, 100}, kValues{0, 10, 90, 156};
  std::string result;
  for (std::size_t i = octets.size(); i-- > 0;) {
    const std::size_t width = octets[i].size();
    const std::string octet = std::to_string(kLeast[width] + ordinal % kValues[width]);
    result = result.empty() ? octet : octet + '.' + result;
    ordinal /= kValues[width];
  }
  return ordinal == 0 ? result : result + '.' + std::to_string(ordinal);
}

bool is_name_gap(std::string_view gap) {
  return gap.size() <= kWidestGap && gap.find_first_of(":=,") != std::string_view::npos && gap.find_first_not_of(" \t\\\"'=:,>([{b") == std::string_view::npos;
}

}  // namespace

std::string Pseudonyms::fresh(std::string_view value) {
  std::array<std::string_view, 4> octets;
  const bool address = octets_of(value, octets);
  const std::vector<Digit> digits = address ? std::vector<Digit>() : digits_of(value);
  std::string shape = "4";
  if (address) for (const std::string_view octet : octets) shape += static_cast<char>('0' + octet.size());
  else shape = shape_of(value, digits);
  std::uint64_t& next = next_of_shape_[shape];
  std::string stand_in;
  do {
    ++next;
    stand_in = address ? counted_in_octets(octets, next) : counted_in(value, digits, next);
  } while (known_.contains(stand_in) || stand_ins_.contains(stand_in));
  return stand_in;
}

std::string Pseudonyms::of(std::string_view value) {
  if (value.empty()) return {};
  const auto found = stand_ins_.find(value);
  if (found != stand_ins_.end()) return found->second;
  known_.emplace(value);
  return stand_ins_.emplace(value, fresh(value)).first->second;
}

void Pseudonyms::know(std::string_view value) {
  if (value.size() < kShortestKnown || is_one_of(lower(value), kNobody)) return;
  known_.emplace(value);
  if (!std::all_of(value.begin(), value.end(), is_word)) odd_.emplace(value);
}

namespace {

// One pass over a text, word by word; it remembers the last word, since a name tells what its value is.
class Replacer {
 public:
  Replacer(std::string_view text, Pseudonyms& names, FunctionRef<bool(std::string_view)> known, FunctionRef<std::size_t(std::string_view)> odd,
           Pseudonyms::OtherWord other)
      : text_(text), names_(names), known_(known), odd_(odd), other_(other) {
    out_.reserve(text.size());
  }

  std::string run() {
    while (at_ < text_.size()) {
      if (const std::size_t length = odd_(text_.substr(at_)); length > 0) {
        replace(length);
      } else if (starts_word() && colon_run() > 0) {
        replace(colon_run());
      } else if (is_word(text_[at_])) {
        take_word();
      } else {
        copy(1);
      }
    }
    return std::move(out_);
  }

 private:
  bool starts_word() const { return at_ == 0 || !is_word(text_[at_ - 1]) || after_escape(); }
  // \n10.0.0.1: the letter of an escape in quoted text is no part of the word behind it.
  bool after_escape() const { return at_ >= 2 && text_[at_ - 2] == '\\' && std::string_view("nrt").find(text_[at_ - 1]) != std::string_view::npos; }

  void copy(std::size_t bytes) {
    out_ += text_.substr(at_, bytes);
    at_ += bytes;
  }

  void replace(std::size_t bytes) {
    out_ += names_.of(text_.substr(at_, bytes));
    at_ += bytes;
  }

  void take_other(std::size_t bytes) {
    out_ += other_(at_, bytes);
    at_ += bytes;
  }

  // Length of an IPv6 or MAC address that begins here.
  std::size_t colon_run() const {
    std::size_t end = at_;
    while (end < text_.size() && end - at_ <= INET6_ADDRSTRLEN && (is_hex(text_[end]) || text_[end] == ':' || text_[end] == '.')) ++end;
    if (end < text_.size() && is_word(text_[end])) return 0;
    for (; end > at_ && !is_hex(text_[end - 1]) && !text_.substr(at_, end - at_).ends_with("::"); --end) continue;
    const std::string_view run = text_.substr(at_, end - at_);
    return is_ipv6(run) || is_mac(run) ? run.size() : 0;
  }

  // {"name":"Mcp-Session-Id","value":"..."}: what is followed by a colon behind its quote is a name itself.
  bool is_member(std::size_t end) const {
    const std::size_t quote = text_.find_first_not_of('\\', end);
    return quote != std::string_view::npos && text_[quote] == '"' && quote + 1 < text_.size() && text_[quote + 1] == ':';
  }

  void take_word() {
    if (at_ > 0 && text_[at_ - 1] == '\\' && std::string_view("nrt").find(text_[at_]) != std::string_view::npos) return copy(1);
    std::size_t end = at_;
    while (end < text_.size() && is_word(text_[end])) ++end;
    while (end > at_ + 1 && text_[end - 1] == '.') --end;  // the sentence's
    const std::string_view word = text_.substr(at_, end - at_), gap = text_.substr(name_end_, at_ - name_end_);
    const bool mail = (end < text_.size() && text_[end] == '@') || (at_ > 0 && text_[at_ - 1] == '@');
    const bool value = is_name_gap(gap) && !is_one_of(lower(word), kNobody) && !is_member(end);
    const bool named = value && (is_one_of(name_, kSessionNames) || is_one_of(name_, kHostNames)) && word.size() >= kShortestKnown;
    const bool of_url = text_.substr(0, at_).ends_with("://") && !is_one_of(lower(word), kNobody);
    name_ = word.size() <= 32 ? lower(word) : std::string();
    if (named || of_url) names_.know(word);
    const bool form = is_ipv4(word) || is_uuid(word) || is_hex_id(word) || is_host(word);
    if (named || of_url || mail || form || known_(word)) replace(word.size());
    else take_other(word.size());
    name_end_ = at_;
  }

  std::string_view text_;
  Pseudonyms& names_;
  FunctionRef<bool(std::string_view)> known_;
  FunctionRef<std::size_t(std::string_view)> odd_;
  Pseudonyms::OtherWord other_;
  std::string out_, name_;
  std::size_t at_ = 0, name_end_ = 0;
};

}  // namespace

void Pseudonyms::leave_out(std::string_view folder) {
  if (folder.size() > 1) folders_.emplace(folder);
}

std::string Pseudonyms::without_folders(std::string_view raw) const {
  std::string text(raw);
  for (auto folder = folders_.rbegin(); folder != folders_.rend(); ++folder) {  // what lies within another comes first
    for (std::size_t at = text.find(*folder); at != std::string::npos; at = text.find(*folder, at)) {
      const bool inside = at > 0 && (is_word(text[at - 1]) || text[at - 1] == '/');
      if (inside) at += folder->size();
      else text.erase(at, folder->size());
    }
  }
  return text;
}

std::string Pseudonyms::text(std::string_view told) {
  const std::string raw = without_folders(told);
  return text(raw, [&raw](std::size_t at, std::size_t bytes) { return raw.substr(at, bytes); });
}

std::vector<std::string> Pseudonyms::replaced() const {
  std::vector<std::string> values;
  for (const auto& [value, stand_in] : stand_ins_) values.push_back(value);
  return values;
}

std::string Pseudonyms::text(std::string_view raw, OtherWord other) {
  const auto known = [this](std::string_view word) { return word.size() >= kShortestKnown && known_.contains(word); };
  const auto odd = [this](std::string_view rest) {
    const std::string_view head = rest.substr(0, kShortestKnown);
    for (auto value = odd_.lower_bound(head); value != odd_.end() && value->starts_with(head); ++value) {
      if (rest.starts_with(*value)) return value->size();
    }
    return std::size_t{0};
  };
  return Replacer(raw, *this, known, odd, other).run();
}

}  // namespace mcpscan::report
