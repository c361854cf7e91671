#include "ingest/text/unlabelled_tokens.h"

#include <algorithm>

#include "base/hash.h"
#include "ingest/text/char_class.h"
#include "ingest/text/json_scan.h"
#include "ingest/text/surroundings.h"

namespace mcpscan::ingest {

namespace {

// What other ids than sessions' are called by where no sign stands between name and id.
constexpr std::string_view kOtherNouns[]{"trace", "span", "request", "req", "correlation", "client", "user", "tenant", "account", "org", "pod", "worker", "thread", "task", "job", "run", "id"};

// Whether what stands before an id says what it is: `name=`, or one of those nouns. Any other word before a colon may be the logger.
bool is_named(std::string_view before) {
  constexpr std::string_view kOpening = " \t([{<\"'#";
  before = before.substr(0, before.find_last_not_of(kOpening) + 1);
  if (before.ends_with('=')) return true;
  if (before.ends_with(':')) before.remove_suffix(1);
  const auto is_noun = [&](std::string_view noun) {
    const std::size_t begin = before.size() - std::min(noun.size(), before.size());
    return equal_ignoring_case(before.substr(begin), noun) && (begin == 0 || !is_a(before[begin - 1], kDigit | kLetter));
  };
  return std::any_of(std::begin(kOtherNouns), std::end(kOtherNouns), is_noun);
}

}  // namespace

std::string_view opaque_word_in(std::string_view text) {
  if (text.size() > kNearBytes) text.remove_prefix(text.size() - kNearBytes);
  const auto is_part = [](char c) { return is_a(c, kDigit | kLetter) || c == '-' || c == '_' || c == '.' || c == ':'; };
  std::string_view found;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_part(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_part(text[end])) ++end;
    std::string_view word = text.substr(at, end - at);
    at = end;
    while (!word.empty() && word.back() == ':') word.remove_suffix(1);
    if (!is_opaque(word) || is_named(text.substr(0, static_cast<std::size_t>(word.data() - text.data())))) continue;
    if (!found.empty() && found != word) return {};
    found = word;
  }
  return found;
}

std::string_view token_of(std::string_view before_body, std::string_view logger) {
  const std::string_view word = opaque_word_in(before_body);
  return word.empty() && is_opaque(logger) ? logger : word;
}

void UnlabelledTokens::take(std::string_view text, std::string_view logger) {
  const std::size_t brace = text.find('{');
  JsonMembers members;
  if (brace == std::string_view::npos || !members.read(text.substr(brace))) return;
  const JsonValue id = members.find("id"), method = members.find("method");
  if (!id.present()) return;
  ++messages_;
  const std::string_view word = token_of(text.substr(0, brace), logger);
  if (word.empty()) return void(++without_);
  Token& token = tokens_[hash_bytes(word)];
  if (!method.present()) return void(token.requests.contains(hash_bytes(id.text)) ? ++answers_ : ++strays_);
  if (!token.requests.insert(hash_bytes(id.text)).second) ++token.repeated;
  token.begun += method.text == "initialize";
}

bool UnlabelledTokens::are_sessions() const {
  constexpr std::uint64_t kFewest = 2;      // one alone parts nothing
  constexpr std::uint64_t kExceptions = 10;  // one in ten may be otherwise
  std::uint64_t asking = 0, several = 0, begun = 0, again = 0;
  for (const auto& [hash, token] : tokens_) {
    asking += !token.requests.empty();
    several += token.requests.size() > 1;
    begun += token.begun > 0;
    again += token.begun > 1 || (token.begun == 0 && token.repeated > 0);
  }
  const bool parted = asking >= kFewest && several >= kFewest && several * 2 >= asking && (begun == 0 || begun * 2 >= asking);
  return parted && without_ * kExceptions <= messages_ && strays_ * kExceptions <= answers_ && again * kExceptions <= asking;
}

}  // namespace mcpscan::ingest
