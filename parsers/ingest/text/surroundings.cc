#include "ingest/text/surroundings.h"

#include <algorithm>
#include <array>

#include "ingest/text/char_class.h"
#include "ingest/text/record_builder.h"
#include "ingest/text/template.h"

namespace mcpscan::ingest {
namespace {

using model::Direction;
constexpr std::size_t kNone = std::string_view::npos;
constexpr std::size_t kLongestSession = 4096;  // a signed or sealed id, as gateways give, has hundreds of bytes

enum class Party : std::uint8_t { none, client, server };

struct PartyWord {
  std::string_view word;
  Party party;
};
constexpr std::array<PartyWord, 14> kParties{{{"client", Party::client}, {"editor", Party::client}, {"local", Party::client},
                                              {"host", Party::client}, {"agent", Party::client}, {"downstream", Party::client},
                                              {"server", Party::server}, {"remote", Party::server}, {"child", Party::server},
                                              {"upstream", Party::server}, {"backend", Party::server}, {"stdio", Party::server},
                                              {"streamablehttp", Party::client}, {"sse", Party::client}}};

Party party_of(std::string_view word) {
  for (const PartyWord& known : kParties) {
    if (known.word.size() == word.size() && equal_ignoring_case(known.word, word)) return known.party;
  }
  return Party::none;
}

struct Phrase {
  std::string_view words;
  Direction direction;
};
constexpr auto kIn = Direction::client_to_server;
constexpr auto kOut = Direction::server_to_client;
constexpr std::array<Phrase, 28> kWords{{
    {"stdin", kIn}, {"stdout", kOut}, {"in", kIn}, {"out", kOut}, {"inbound", kIn}, {"outbound", kOut}, {"incoming", kIn}, {"outgoing", kOut},
    {"request", kIn}, {"response", kOut}, {"req", kIn}, {"resp", kOut}, {"res", kOut}, {"reply", kOut}, {"recv", kIn}, {"received", kIn},
    {"receive", kIn}, {"receiving", kIn}, {"rx", kIn}, {"send", kOut}, {"sent", kOut}, {"sending", kOut}, {"tx", kOut}, {"write", kOut},
    {"wrote", kOut}, {"read", kIn}, {"c2s", kIn}, {"s2c", kOut},
}};

struct Arrow {
  std::string_view mark;
  bool to_right;
};
// Longer marks before the shorter ones they end or begin with. The fourth is a right arrow whose UTF-8 was read as cp1252.
constexpr std::array<Arrow, 12> kArrows{{{"-->", true}, {"<--", false}, {"\xe2\x86\x92", true}, {"\xc3\xa2\xe2\x80\xa0\xe2\x80\x99", true},
                                         {"\xe2\x86\x90", false}, {"->", true}, {"<-", false}, {"=>", true}, {"<=", false}, {">>", true},
                                         {"<<", false}, {">", true}}};

// The arrow whose last byte is at `last`.
const Arrow* arrow_ending_at(std::string_view text, std::size_t last) {
  const char c = text[last];
  if (c != '>' && c != '<' && c != '-' && c != '=' && static_cast<unsigned char>(c) < 0x80) return nullptr;
  for (const Arrow& arrow : kArrows) {
    if (last + 1 >= arrow.mark.size() && text.substr(last + 1 - arrow.mark.size(), arrow.mark.size()) == arrow.mark) return &arrow;
  }
  return nullptr;
}

bool letter_at(std::string_view text, std::size_t at) { return at < text.size() && is_a(text[at], kLetter); }

// The word that ends before, or begins behind, `at`; blanks between are skipped.
std::string_view word_before(std::string_view text, std::size_t at) {
  while (at > 0 && (is_blank(text[at - 1]) || text[at - 1] == '[' || text[at - 1] == '(')) --at;
  std::size_t from = at;
  while (from > 0 && is_a(text[from - 1], kLetter)) --from;
  return text.substr(from, at - from);
}

std::string_view word_behind(std::string_view text, std::size_t at) {
  while (at < text.size() && is_blank(text[at])) ++at;
  std::size_t end = at;
  while (letter_at(text, end)) ++end;
  return text.substr(at, end - at);
}

struct FoundArrow {
  Direction direction = Direction::unknown;
  bool named = false;  // a party stands at one of its ends
};

// C->S, S->C.
Direction by_letters(std::string_view left, std::string_view right, bool to_right) {
  if (left.size() != 1 || right.size() != 1) return Direction::unknown;
  const char from = lower(to_right ? left[0] : right[0]), to = lower(to_right ? right[0] : left[0]);
  if (from == 'c' && to == 's') return kIn;
  return from == 's' && to == 'c' ? kOut : Direction::unknown;
}

// client -> server names both ends; a bare arrow points into the server, as gateways draw it. The nearest named one wins.
FoundArrow by_arrow(std::string_view text) {
  FoundArrow found;
  for (std::size_t end = text.size(); end > 0; --end) {
    const Arrow* arrow = arrow_ending_at(text, end - 1);
    if (arrow == nullptr) continue;
    const std::size_t at = end - arrow->mark.size();
    const std::string_view before = word_before(text, at), behind = word_behind(text, end);
    if (const Direction letters = by_letters(before, behind, arrow->to_right); letters != Direction::unknown) return {letters, true};
    const Party left = party_of(before), right = party_of(behind);
    if (left != Party::none) return {(left == Party::client) == arrow->to_right ? kIn : kOut, true};
    if (right != Party::none) return {(right == Party::server) == arrow->to_right ? kIn : kOut, true};
    if (arrow->mark.size() > 1 && found.direction == Direction::unknown) found.direction = arrow->to_right ? kIn : kOut;
    end = at + 1;
  }
  return found;
}

// The words of a text, last one first.
template <typename Visit>
void each_word_backwards(std::string_view text, Visit visit) {
  for (std::size_t end = text.size(); end > 0;) {
    while (end > 0 && !is_a(text[end - 1], kLetter | kDigit)) --end;
    std::size_t from = end;
    while (from > 0 && is_a(text[from - 1], kLetter | kDigit)) --from;
    if (from == end || !visit(text.substr(from, end - from))) return;
    end = from;
  }
}

enum class Role : std::uint8_t { none, from, to, speaks };
Role role_of(std::string_view word) {
  if (word.size() == 4 && equal_ignoring_case(word, "from")) return Role::from;
  if (word.size() == 2 && equal_ignoring_case(word, "to")) return Role::to;
  for (const std::string_view verb : {std::string_view("says"), std::string_view("sent"), std::string_view("message"), std::string_view("request"), std::string_view("response")}) {
    if (equal_ignoring_case(verb, word)) return Role::speaks;
  }
  return Role::none;
}

Direction spoken_by(Party party) { return party == Party::client ? kIn : kOut; }

// "from client", "to server", "server says", "client request": a party and what it does, nearest to the body first.
Direction by_phrase(std::string_view text) {
  Direction found = Direction::unknown;
  std::string_view behind;
  Party party = Party::none;
  each_word_backwards(text, [&](std::string_view word) {
    if (party != Party::none) {
      const Role role = role_of(word);
      if (role == Role::from) found = spoken_by(party);
      if (role == Role::to) found = party == Party::server ? kIn : kOut;
      if (found != Direction::unknown) return false;
    }
    party = party_of(word);
    if (party != Party::none && role_of(behind) == Role::speaks) found = spoken_by(party);
    behind = word;
    return found == Direction::unknown;
  });
  return found;
}

// A single word: its sense depends on who wrote the log, so it comes last; the one nearest to the body decides.
Direction by_word(std::string_view text) {
  Direction found = Direction::unknown;
  each_word_backwards(text, [&found](std::string_view word) {
    if (word.size() > 9) return true;
    for (const Phrase& known : kWords) {
      if (known.words.size() == word.size() && lower(word[0]) == known.words[0] && equal_ignoring_case(known.words, word)) found = known.direction;
    }
    return found == Direction::unknown;
  });
  return found;
}

// "[client] {...}": who speaks, where nothing else tells.
Direction by_bracket(std::string_view text) {
  while (!text.empty() && (is_blank(text.back()) || text.back() == ':')) text.remove_suffix(1);
  if (!text.ends_with(']')) return Direction::unknown;
  const std::size_t open = text.rfind('[');
  const Party party = open == kNone ? Party::none : party_of(text.substr(open + 1, text.size() - open - 2));
  return party == Party::none ? Direction::unknown : spoken_by(party);
}

// Among the last words: what was asked failed, or the request is said to be in error.
bool tells_failure(std::string_view text) {
  constexpr int kLastWords = 8;
  int words = 0;
  bool failed = false, error = false;
  each_word_backwards(text, [&](std::string_view word) {
    failed = equal_ignoring_case(word, "failed") || equal_ignoring_case(word, "failure") || (error && equal_ignoring_case(word, "request"));
    error = equal_ignoring_case(word, "error");
    return !failed && ++words < kLastWords;
  });
  return failed;
}

bool is_session_char(char c) { return is_a(c, kLetter | kDigit) || c == '-' || c == '_' || c == '.' || c == ':' || c == '/' || c == '+' || c == '~'; }

// The length of a quote that begins here, as it is or as JSON escapes it; 0: none does.
std::size_t quote_length(std::string_view text) {
  if (text.starts_with('"') || text.starts_with('\'')) return 1;
  if (!text.starts_with('\\')) return 0;
  if (text.starts_with("\\u0027") || text.starts_with("\\u0022")) return 6;
  return text.starts_with("\\\"") ? 2 : 0;
}

// What stands behind a mark: = or : or a blank, perhaps quoted or in brackets.
std::string_view value_behind(std::string_view text, std::size_t at, bool blank_is_enough) {
  bool separated = false;
  while (at < text.size()) {
    if (const std::size_t quote = quote_length(text.substr(at)); quote > 0) {
      at += quote;
      continue;
    }
    if (!is_blank(text[at]) && text[at] != '=' && text[at] != ':') break;
    separated = separated || text[at] == '=' || text[at] == ':' || (blank_is_enough && is_blank(text[at]));
    ++at;
  }
  if (!separated) return {};
  std::size_t end = at;
  while (end < text.size() && is_session_char(text[end])) ++end;
  while (end > at && (text[end - 1] == ':' || text[end - 1] == '.')) --end;
  return text.substr(at, end - at);
}

// The word "session" at `at` with what belongs to its name: mcp-session-id, session_id, sessionId, session id.
struct SessionMark {
  std::size_t begin = 0, end = 0;
  int sureness = 0;  // 2: mcp-session-id, 1: session id, 0: session
};
SessionMark session_mark(std::string_view text, std::size_t at) {
  SessionMark mark{at, at + 7, 0};
  const bool separated = mark.end + 2 < text.size() && (text[mark.end] == '_' || text[mark.end] == '-' || text[mark.end] == '.' || text[mark.end] == ' ');
  const std::size_t id = mark.end + separated;
  if (equal_ignoring_case(text.substr(id, 2), "id") && !letter_at(text, id + 2)) mark.end = id + 2, mark.sureness = 1;
  if (at >= 4 && equal_ignoring_case(text.substr(at - 4, 3), "mcp")) mark.begin = at - 4, mark.sureness = 2;
  return mark;
}

// `session` as a plain word needs "=" or ":", or to stand in brackets as "(session X)". The surest name wins, then the first.
std::string_view session_in(std::string_view text) {
  std::string_view best;
  int sureness = -1;
  for (std::size_t at = text.find("ession"); at != kNone; at = text.find("ession", at + 6)) {
    if (at == 0 || lower(text[at - 1]) != 's') continue;
    const SessionMark mark = session_mark(text, at - 1);
    if (mark.sureness <= sureness || (mark.begin > 0 && letter_at(text, mark.begin - 1)) || letter_at(text, mark.end)) continue;
    const bool bracketed = mark.begin > 0 && (text[mark.begin - 1] == '(' || text[mark.begin - 1] == '[');
    const std::string_view value = session_or_nothing(value_behind(text, mark.end, bracketed));
    if (!value.empty() && value.size() <= kLongestSession) best = value, sureness = mark.sureness;
  }
  return best;
}

// The last bracketed token that is no level word, number, direction, time or id: a server's name.
std::string_view name_in_brackets(std::string_view text) {
  for (std::size_t close = text.rfind(']'); close != kNone && close > 0; close = text.rfind(']', close - 1)) {
    const std::size_t open = text.rfind('[', close);
    if (open == kNone) return {};
    const std::string_view name = text.substr(open + 1, close - open - 1);
    const bool plain = !name.empty() && is_a(name[0], kLetter) && name.size() <= 128 && level_length(name) != name.size() && !is_opaque(name);
    if (plain && party_of(name) == Party::none && direction_of(name) == Direction::unknown) return name;
    close = open == 0 ? 1 : open;
  }
  return {};
}

void take_peer(std::string_view address, Surroundings& result) {
  const std::size_t colon = address.rfind(':');
  const Decimal port = colon == kNone ? Decimal{} : read_decimal(address, colon + 1);
  if (port.digits != 0 && colon + 1 + port.digits == address.size() && port.value < 65536) {
    result.peer_port = static_cast<std::uint16_t>(port.value);
    address = address.substr(0, colon);
  }
  if (address.size() > 2 && address.front() == '[' && address.back() == ']') address = address.substr(1, address.size() - 2);
  result.peer = address;
}

// client=10.0.0.1:42530, peer=..., remote_addr=..., src.addr=...
void find_peer(std::string_view text, Surroundings& result) {
  for (std::size_t equal = text.find('='); equal != kNone; equal = text.find('=', equal + 1)) {
    for (const std::string_view mark : {std::string_view("client"), std::string_view("peer"), std::string_view("remote_addr"), std::string_view("src.addr")}) {
      if (equal < mark.size() || text.substr(equal - mark.size(), mark.size()) != mark) continue;
      if (equal > mark.size() && letter_at(text, equal - mark.size() - 1)) continue;
      return take_peer(text.substr(equal + 1, run_of(text, equal + 1, kDigit | kLetter | kPeerMark)), result);
    }
  }
}

}  // namespace

// A UUID or digest: of a session, request or trace, which is not told, but no name whatever it begins with.
bool is_opaque(std::string_view text) {
  constexpr std::ptrdiff_t kFewestDigits = 16;
  const auto is_hex = [](char c) { return is_a(c, kDigit | kHexLetter); };
  const bool only_hex = std::all_of(text.begin(), text.end(), [&](char c) { return is_hex(c) || c == '-'; });
  return only_hex && std::count_if(text.begin(), text.end(), is_hex) >= kFewestDigits;
}

Direction direction_of(std::string_view words) {
  const FoundArrow arrow = by_arrow(words);
  if (arrow.named) return arrow.direction;
  Direction direction = by_phrase(words);
  if (direction == Direction::unknown) direction = arrow.direction;
  if (direction == Direction::unknown) direction = by_word(words);
  if (direction == Direction::unknown) direction = by_bracket(words);
  return direction;
}

Surroundings describe_surroundings(std::string_view before_body, std::string_view after) {
  const std::string_view far = before_body.substr(before_body.size() - std::min(before_body.size(), kLongestSession));
  if (before_body.size() > kNearBytes) before_body.remove_prefix(before_body.size() - kNearBytes);
  after = after.substr(0, kNearBytes);
  Surroundings result;
  result.direction = direction_of(before_body);
  result.of_failure = result.direction != Direction::unknown && tells_failure(before_body);
  result.session = session_in(before_body);
  if (result.session.empty()) result.session = session_in(after);
  if (result.session.empty() && far.size() > before_body.size()) result.session = session_in(far);
  if (!result.session.empty()) {
    result.keying = model::SessionKeying::mcp_session_id;
  } else {
    result.session = name_in_brackets(before_body);
    if (!result.session.empty()) result.keying = model::SessionKeying::process;
  }
  find_peer(before_body, result);
  return result;
}

}  // namespace mcpscan::ingest
