#include "report/redact.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace mcpscan::report {
namespace {

constexpr std::string_view kMask = "***";
constexpr std::string_view kBearer = "bearer";
constexpr std::size_t kLongestName = 64;

// A name that ends like this holds a secret, whatever stands before it (x-api-key, OPENAI_API_KEY, clientSecret).
constexpr std::string_view kSecretNames[]{
    "authorization",  "cookie",        "api_key",       "api-key",      "apikey",         "password",       "passwd",
    "secret",         "access_token",  "accesstoken",   "access-token", "refresh_token",  "refreshtoken",   "refresh-token",
    "id_token",       "idtoken",       "auth_token",    "authtoken",    "auth-token",     "bearer_token",   "api_token",
    "api-token",      "apitoken",      "session_token", "security-token", "security_token", "csrf-token",     "csrf_token",
    "secret_key",     "secret-key",    "secretkey",     "private_key",  "private-key",    "privatekey",     "subscription-key",
    "functions-key"};

// Secrets only as a URL parameter; as plain words they are everyday English.
constexpr std::string_view kSecretParameters[]{"token", "key", "auth", "sig", "jwt", "signature", "x-amz-signature", "code"};

// Their values are shown even where they look like a token.
constexpr std::string_view kSessionNames[]{"mcp-session-id", "session_id", "sessionid", "session-id", "mcp_session_id", "session"};

// Words that follow "Bearer" in a sentence or a challenge (RFC 6750 section 3), not tokens.
constexpr std::string_view kAfterBearer[]{"realm", "error", "error_description", "scope", "resource_metadata", "token", "tokens", "auth",
                                                        "authentication", "authorization", "scheme", "header", "is", "was", "missing", "required"};

constexpr std::string_view kNoValues[]{"null", "none", "true", "false", "undefined", "nil"};

struct VendorPrefix {
  std::string_view prefix;
  std::size_t shortest;  // characters of the whole key, below which it is an ordinary word
};
constexpr VendorPrefix kVendorPrefixes[]{{"sk-", 20}, {"sk_live_", 16}, {"rk_live_", 16}, {"whsec_", 20}, {"ghp_", 20},
                                                        {"gho_", 20}, {"ghs_", 20}, {"ghu_", 20}, {"github_pat_", 24}, {"glpat-", 16},
                                                        {"xoxb-", 16}, {"xoxp-", 16}, {"AKIA", 20}, {"AIza", 30}, {"npm_", 30}};

// Two letters, whatever their case, that words of a list begin or end with: few other words do, and need not be compared.
class LetterPairs {
 public:
  constexpr void add(char first, char second) { known_[place(first, second)] = true; }
  constexpr bool has(char first, char second) const { return known_[place(first, second)]; }

 private:
  static constexpr std::size_t place(char first, char second) { return (static_cast<unsigned char>(first) & 31u) << 5 | (static_cast<unsigned char>(second) & 31u); }
  std::array<bool, 1024> known_{};
};

constexpr LetterPairs kSecretEnds = [] {
  LetterPairs pairs;
  for (const std::string_view name : kSecretNames) pairs.add(name[name.size() - 2], name.back());
  return pairs;
}();
// Names after which anything is looked at.
constexpr LetterPairs kNameEnds = [] {
  LetterPairs pairs = kSecretEnds;
  for (const std::string_view name : kSessionNames) pairs.add(name[name.size() - 2], name.back());
  pairs.add(kBearer[kBearer.size() - 2], kBearer.back());
  return pairs;
}();
constexpr LetterPairs kVendorStarts = [] {
  LetterPairs pairs;
  for (const VendorPrefix& vendor : kVendorPrefixes) pairs.add(vendor.prefix[0], vendor.prefix[1]);
  return pairs;
}();

// ASCII only: what is a letter must not depend on the locale.
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr std::array<bool, 256> kWord = [] {
  std::array<bool, 256> word{};
  for (int c = 0; c < 256; ++c) word[static_cast<std::size_t>(c)] = is_letter(static_cast<char>(c)) || (c >= '0' && c <= '9') || c == '-' || c == '_';
  return word;
}();
bool is_word(char c) { return kWord[static_cast<unsigned char>(c)]; }
bool is_space(char c) { return c == ' ' || c == '\t'; }
bool is_quote(char c) { return c == '"' || c == '\''; }
bool is_line_end(char c) { return c == '\n' || c == '\r'; }
bool is_token_char(char c) { return is_word(c) || c == '.' || c == '~' || c == '+' || c == '/' || c == '='; }

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

template <std::size_t N>
bool is_one_of(std::string_view word, const std::string_view (&words)[N]) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

// One pass over the text; at_ stands behind what has been kept or masked, and what is kept is copied where a mask ends it.
class Masker {
 public:
  explicit Masker(std::string_view text) : text_(text) {}

  std::string run() {
    while (at_ < text_.size()) {
      if (is_word(text_[at_])) {
        take_word();
      } else if (text_[at_] == ':' && starts_with("://")) {
        take_user_info();
      } else {
        ++at_;
      }
    }
    out_ += text_.substr(copied_);
    return std::move(out_);
  }

 private:
  bool starts_with(std::string_view what) const { return text_.substr(at_).starts_with(what); }
  bool more() const { return at_ < text_.size(); }
  char peek() const { return text_[at_]; }

  void keep(std::size_t bytes) { at_ += std::min(bytes, text_.size() - at_); }

  template <typename Predicate>
  std::size_t run_length(Predicate wanted) const {
    std::size_t end = at_;
    while (end < text_.size() && wanted(text_[end])) ++end;
    return end - at_;
  }

  void mask(std::size_t bytes) {
    if (bytes == 0) return;
    out_ += text_.substr(copied_, at_ - copied_);
    out_ += kMask;
    drop(bytes);
  }

  void drop(std::size_t bytes) {
    at_ += bytes;
    copied_ = at_;
  }

  void take_word() {
    const char before = at_ == 0 ? ' ' : text_[at_ - 1];
    const std::string_view word = text_.substr(at_, run_length(is_word));
    if (looks_like_key(word)) return mask_token(word);
    keep(word.size());
    if (word.size() < 2 || word.size() > kLongestName || !more()) return;
    const bool quoted = is_quote(before) && (is_quote(peek()) || peek() == '\\');
    const bool parameter = before == '?' || before == '&';
    if (!quoted && !parameter && !kNameEnds.has(word[word.size() - 2], word.back())) return;
    const std::string name = lower(word);
    if (name == kBearer) return take_bearer();
    if (is_one_of(name, kSessionNames)) return take_session_value(quoted);
    if (is_secret_name(name, parameter, quoted) && take_separator(quoted)) take_value(name);
  }

  static bool is_secret_name(std::string_view name, bool parameter, bool quoted) {
    if (parameter && is_one_of(name, kSecretParameters)) return true;
    if (quoted && (name == "token" || name == "jwt")) return true;
    if (!kSecretEnds.has(name[name.size() - 2], name.back())) return false;
    return std::any_of(std::begin(kSecretNames), std::end(kSecretNames), [&](std::string_view end) { return name.ends_with(end); });
  }

  // A JWT, also one that the text's end cuts; a key that says by its prefix whose it is.
  bool looks_like_key(std::string_view word) const {
    const bool cut = at_ + word.size() == text_.size();
    if (word.starts_with("eyJ") && word.size() >= (cut ? 6 : 13)) return true;
    if (word.size() < 2 || !kVendorStarts.has(word[0], word[1])) return false;
    return std::any_of(std::begin(kVendorPrefixes), std::end(kVendorPrefixes), [&](const VendorPrefix& vendor) {
      return word.starts_with(vendor.prefix) && word.size() >= (cut ? vendor.prefix.size() + 4 : vendor.shortest);
    });
  }

  // The dots of a JWT (RFC 7515, 7516) belong to it.
  void mask_token(std::string_view word) {
    mask(word.size());
    while (at_ + 1 < text_.size() && peek() == '.' && is_word(text_[at_ + 1])) {
      drop(1);
      drop(run_length(is_word));
    }
  }

  void take_bearer() {
    const std::size_t spaces = run_length([](char c) { return is_space(c); });
    if (spaces == 0) return;
    keep(spaces);
    const std::size_t length = run_length(is_token_char);
    std::string_view word = text_.substr(at_, length);
    if (is_one_of(lower(word.substr(0, word.find_first_of("=.")).substr(0, kLongestName)), kAfterBearer)) return;
    mask(length);
  }

  // What stands between a name and its value: `: `, `=`, `": "`, `\": \"`, `', b'`, `%3D`. False: no value follows, and
  // nothing was taken that the main loop would not keep anyway.
  bool take_separator(bool quoted) {
    while (more() && (is_quote(peek()) || peek() == '\\')) keep(1);
    keep(run_length(is_space));
    if (starts_with("%3D") || starts_with("%3d")) return keep(3), more();
    if (!more() || !(peek() == ':' || peek() == '=' || (quoted && peek() == ','))) return false;
    keep(1);
    if (more() && peek() == '>') keep(1);
    keep(run_length(is_space));
    return more();
  }

  void take_value(std::string_view name) {
    const bool list = peek() == '[' || peek() == '(';
    if (list) keep(1);
    take_one_value(name);
    while (list && more() && peek() == ',') {
      keep(1);
      keep(run_length(is_space));
      take_one_value(name);
    }
  }

  void take_one_value(std::string_view name) {
    if (starts_with("b'") || starts_with("b\"")) keep(1);
    std::string quote;
    while (starts_with("\\")) quote += '\\', keep(1);
    if (!more() || !is_quote(peek())) return mask_bare(name);
    quote += peek();
    keep(1);
    mask_quoted(quote, name);
  }

  // Up to the same quote, escaped as deep as the opening one; a cut text ends the value too.
  void mask_quoted(std::string_view quote, std::string_view name) {
    std::size_t end = at_;
    while (end < text_.size() && !text_.substr(end).starts_with(quote)) end += text_[end] == '\\' && quote.size() == 1 ? 2 : 1;
    end = std::min(end, text_.size());
    if (name.ends_with("authorization")) keep_scheme(end);
    mask(end - at_);
    keep(quote.size());
  }

  void mask_bare(std::string_view name) {
    if (name.ends_with("cookie")) return mask(run_length([](char c) { return !is_line_end(c); }));
    if (name.ends_with("authorization")) keep_scheme(at_ + run_length([](char c) { return !is_line_end(c); }));
    const std::size_t length = bare_length();
    // Digest and its kin go on with name="value" pairs.
    if (name.ends_with("authorization") && at_ + length < text_.size() && is_quote(text_[at_ + length])) {
      return mask(run_length([](char c) { return !is_line_end(c); }));
    }
    if (!is_one_of(lower(text_.substr(at_, std::min(length, kLongestName))), kNoValues)) mask(length);
  }

  // "Bearer", "Basic", "Digest": which scheme it was is worth knowing and no secret.
  void keep_scheme(std::size_t end) {
    const std::size_t letters = run_length(is_letter);
    if (letters == 0 || letters > 16 || at_ + letters + 1 >= end || text_[at_ + letters] != ' ') return;
    keep(letters + 1);
  }

  std::size_t bare_length() const {
    std::size_t end = at_;
    while (end < text_.size() && !ends_bare(end)) ++end;
    return end - at_;
  }

  // Punctuation ends a bare value only where it is the sentence's: a password may hold it.
  bool ends_bare(std::size_t at) const {
    const char c = text_[at];
    if (is_space(c) || is_line_end(c) || is_quote(c) || c == '&' || c == ';') return true;
    if (c != ',' && c != ')' && c != ']' && c != '}' && c != '>') return false;
    return at + 1 == text_.size() || is_space(text_[at + 1]) || is_line_end(text_[at + 1]) || is_quote(text_[at + 1]) || is_closing(text_[at + 1]);
  }
  static bool is_closing(char c) { return c == ')' || c == ']' || c == '}' || c == '>' || c == ','; }

  void take_session_value(bool quoted) {
    if (!take_separator(quoted)) return;
    keep(run_length([](char c) { return c == '[' || c == '\\' || is_quote(c); }));
    keep(run_length([](char c) { return is_word(c) || c == '.'; }));
  }

  // https://user:password@host (RFC 3986 section 3.2.1).
  void take_user_info() {
    keep(3);
    const std::size_t length = run_length([](char c) { return static_cast<unsigned char>(c) > ' ' && c != '/' && c != '?' && c != '#' && !is_quote(c); });
    const std::string_view authority = text_.substr(at_, length);
    const std::size_t host = authority.rfind('@');
    const std::size_t colon = authority.find(':');
    if (host == std::string_view::npos || colon == std::string_view::npos || colon > host) return;
    keep(colon + 1);
    mask(host - colon - 1);
  }

  std::string_view text_;
  std::size_t at_ = 0, copied_ = 0;
  std::string out_;
};

}  // namespace

std::string mask_secrets(std::string_view text) { return Masker(text).run(); }

}  // namespace mcpscan::report
