#include "model/lost_session.h"

#include <algorithm>
#include <iterator>
#include <string>

namespace mcpscan::model {
namespace {

constexpr std::size_t kHeadBytes = 2048;
constexpr std::size_t kBehindBytes = 112;  // an id of 64 characters may stand between the two words, in quotes as JSON escapes them
constexpr std::size_t kWordsBefore = 6;

using Words = std::string_view;

template <std::size_t N>
bool is_one_of(const Words (&words)[N], std::string_view word) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

bool is_letter(char c) { return c >= 'a' && c <= 'z'; }
bool is_of_word(char c) { return is_letter(c) || c == '-' || c == '\''; }

// What may stand between "invalid", "unknown" and the like, and the session that is meant.
constexpr Words kFillers[] = {"or", "and", "the", "a", "an", "any", "for", "mcp", "mcp-", "http", "sse", "transport", "upstream", "backend", "missing", "active", "existing", "this", "that"};
constexpr Words kBadBefore[] = {"invalid", "unknown", "expired", "unrecognized", "unrecognised", "stale"};
constexpr Words kBadBehind[] = {"not found", "not be found", "n't be found", "not exist", "n't exist", "not seem to exist", "n't seem to exist", "not appear to exist", "no longer", "expired", "terminated", "invalid", "unknown", "not valid", "not known", "not recognized", "not recognised", "not initialized", "not active", "was lost", "is gone"};

constexpr Words kPhrases[] = {"no transport found for session", "no transport for session", "no active transport for session", "no active sse connection for session"};

// What else may stand right before the session of a transport.
constexpr Words kVerdicts[] = {"no", "valid", "find", "such", "recognize", "recognise", "know"};
constexpr std::string_view kSession = "session";

std::string lower_head(std::string_view told) {
  const std::string_view head = told.substr(0, kHeadBytes);
  std::string text;
  text.reserve(head.size());
  for (const char c : head) text += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return text;
}

// The word that ends at `end`, without what separates words.
std::string_view word_before(std::string_view text, std::size_t end) {
  std::size_t from = end;
  while (from > 0 && is_of_word(text[from - 1])) --from;
  return text.substr(from, end - from);
}

// "no valid session", "could not find mcp session", "invalid or expired session".
bool bad_before(std::string_view text, std::size_t at) {
  bool valid = false;
  for (std::size_t i = 0; i < kWordsBefore; ++i) {
    std::string_view word = word_before(text, at);
    at -= word.size();
    if (!word.empty() && is_one_of(kBadBefore, word)) return true;
    if (valid && (word == "no" || word == "not" || word == "cannot" || word == "couldn't" || word == "without")) return true;
    valid = word == "valid" || word == "find" || word == "such" || word == "recognize" || word == "recognise" || word == "know";
    if (!word.empty() && !valid && !is_one_of(kFillers, word)) return false;
    if (at == 0 || text[at - 1] != ' ') return false;
    while (at > 0 && text[at - 1] == ' ') --at;
  }
  return false;
}

// Up to the end of the clause; a colon behind "id" only says which.
std::string_view clause_behind(std::string_view text, std::size_t from) {
  text = text.substr(from, kBehindBytes);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool names_id = text[i] == ':' && (word_before(text, i) == "id" || word_before(text, i) == "-id");
    if (text[i] == ';' || text[i] == '\n' || text[i] == '{' || (text[i] == ':' && !names_id) || (text[i] == '.' && i + 1 < text.size() && text[i + 1] == ' ')) return text.substr(0, i);
  }
  return text;
}

// The word itself, or the name of its id; not a part of a tool's or member's name.
bool is_the_session(std::string_view text, std::size_t at, std::size_t end) {
  if (at > 0 && is_letter(text[at - 1])) return false;
  const std::string_view behind = text.substr(end);
  const bool id = behind.substr(0, 2) == "id" || behind.substr(0, 3) == "_id" || behind.substr(0, 3) == "-id";
  if (at > 0 && text[at - 1] == '_') return id;
  return id || behind.empty() || (!is_letter(behind[0]) && behind[0] != '_' && behind[0] != '-' && behind[0] != '(');
}

}  // namespace

bool tells_lost_transport_session(std::string_view told) {
  if (!tells_lost_session(told)) return false;
  const std::string text = lower_head(told);
  for (std::size_t at = text.find(kSession); at != std::string::npos; at = text.find(kSession, at + 1)) {
    std::size_t end = at;
    while (end > 0 && (text[end - 1] == ' ' || text[end - 1] == '_')) --end;
    const std::string_view word = word_before(text, end);
    const bool plain = word.empty() || is_one_of(kFillers, word) || is_one_of(kBadBefore, word) || is_one_of(kVerdicts, word);
    if (!plain) return false;
  }
  return true;
}

bool is_transport_error(const RpcMessage& message) {
  if (message.kind != MessageKind::error) return false;
  if (message.id.type == IdType::string) return message.id.value.empty() || message.id.value == "server-error";
  return message.id.type == IdType::null || message.id.type == IdType::absent;
}

bool tells_lost_session(std::string_view told) {
  const std::string text = lower_head(told);
  if (std::any_of(std::begin(kPhrases), std::end(kPhrases), [&](std::string_view phrase) { return text.find(phrase) != std::string::npos; })) return true;
  for (std::size_t at = text.find(kSession); at != std::string::npos; at = text.find(kSession, at + 1)) {
    const std::size_t end = at + kSession.size();
    if (!is_the_session(text, at, end)) continue;
    if (bad_before(text, at >= 4 && text.compare(at - 4, 4, "mcp-") == 0 ? at - 4 : at)) return true;
    const std::string_view clause = clause_behind(text, end);
    if (std::any_of(std::begin(kBadBehind), std::end(kBadBehind), [&](std::string_view words) { return clause.find(words) != std::string_view::npos; })) return true;
  }
  return false;
}

bool tells_lost_upstream_session(std::string_view text) {
  if (!tells_lost_session(text)) return false;
  for (const std::string_view word : {"upstream", "Upstream", "backend", "Backend"}) {
    if (text.substr(0, kHeadBytes).find(word) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace mcpscan::model
