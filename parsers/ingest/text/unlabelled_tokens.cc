#include "ingest/text/unlabelled_tokens.h"

#include <algorithm>

#include "base/hash.h"
#include "ingest/text/char_class.h"
#include "ingest/text/json_scan.h"
#include "ingest/text/surroundings.h"

namespace mcpscan::ingest {

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
    if (!is_opaque(word)) continue;
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
  token.requests.insert(hash_bytes(id.text));
  token.begins = token.begins || method.text == "initialize";
}

bool UnlabelledTokens::are_sessions() const {
  constexpr std::uint64_t kFewest = 2;      // one alone parts nothing
  constexpr std::uint64_t kExceptions = 10;  // one in ten may be otherwise
  std::uint64_t asking = 0, several = 0, begun = 0;
  for (const auto& [hash, token] : tokens_) {
    asking += !token.requests.empty();
    several += token.requests.size() > 1;
    begun += token.begins;
  }
  const bool parted = asking >= kFewest && several >= kFewest && several * 2 >= asking && (begun == 0 || begun * 2 >= asking);
  return parted && without_ * kExceptions <= messages_ && strays_ * kExceptions <= answers_;
}

}  // namespace mcpscan::ingest
