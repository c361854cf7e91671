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
    if (equal_ignoring_case(known.word, word)) return known.party;
  }
  return Party::none;
}

struct Phrase {
  std::string_view words;
  Direction direction;
};
constexpr auto kIn = Direction::client_to_server;
constexpr auto kOut = Direction::server_to_client;
// Phrases that name a party outrank bare verbs, whose sense depends on who wrote the log.
constexpr std::array<Phrase, 20> kPartyPhrases{{
    {"from client", kIn}, {"to server", kIn}, {"from server", kOut}, {"to client", kOut}, {"client says", kIn}, {"server says", kOut},
    {"client request", kIn}, {"client message", kIn}, {"server message", kOut}, {"server response", kOut}, {"client sent", kIn}, {"server sent", kOut},
    {"to upstream", kIn}, {"from upstream", kOut}, {"to remote", kIn}, {"from remote", kOut}, {"to child", kIn}, {"from child", kOut},
    {"to backend", kIn}, {"from backend", kOut},
}};
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
constexpr std::array<Arrow, 12> kArrows{{{"-->", true}, {"<--", false}, {"->", true}, {"<-", false}, {"=>", true}, {"<=", false},
                                         {"\xe2\x86\x92", true}, {"\xe2\x86\x90", false}, {">>", true}, {"<<", false},
                                         {"\xc3\xa2\xe2\x80\xa0\xe2\x80\x99", true}, {">", true}}};

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

// client -> server names both ends; a bare arrow points into the server, as gateways draw it.
Direction by_arrow(std::string_view text) {
  Direction bare = Direction::unknown;
  for (const Arrow& arrow : kArrows) {
    const std::size_t at = text.rfind(arrow.mark);
    if (at == kNone) continue;
    const Party left = party_of(word_before(text, at)), right = party_of(word_behind(text, at + arrow.mark.size()));
    const bool left_speaks = arrow.to_right;
    if (left != Party::none) return (left == Party::client) == left_speaks ? kIn : kOut;
    if (right != Party::none) return (right == Party::server) == left_speaks ? kIn : kOut;
    if (arrow.mark.size() > 1 && bare == Direction::unknown) bare = arrow.to_right ? kIn : kOut;
  }
  return bare;
}

std::size_t find_words(std::string_view text, std::string_view words) {
  for (std::size_t at = 0; at + words.size() <= text.size(); ++at) {
    if (lower(text[at]) != words[0] || (at > 0 && letter_at(text, at - 1)) || letter_at(text, at + words.size())) continue;
    if (equal_ignoring_case(text.substr(at, words.size()), words)) return at;
  }
  return kNone;
}

Direction by_phrase(std::string_view text) {
  for (const Phrase& phrase : kPartyPhrases) {
    if (find_words(text, phrase.words) != kNone) return phrase.direction;
  }
  return Direction::unknown;
}

// The word nearest to the body decides.
Direction by_word(std::string_view text) {
  std::size_t end = text.size();
  while (end > 0) {
    while (end > 0 && !is_a(text[end - 1], kLetter | kDigit)) --end;
    std::size_t from = end;
    while (from > 0 && is_a(text[from - 1], kLetter | kDigit)) --from;
    for (const Phrase& phrase : kWords) {
      if (equal_ignoring_case(phrase.words, text.substr(from, end - from))) return phrase.direction;
    }
    end = from;
  }
  return Direction::unknown;
}

constexpr std::array<std::string_view, 10> kSessionMarks{"mcp-session-id", "mcp_session_id", "session_id", "session-id", "sessionid", "session id",
                                                         "mcp.session.id", "session", "sid", "conn"};

bool is_session_char(char c) { return is_a(c, kLetter | kDigit) || c == '-' || c == '_' || c == '.' || c == ':' || c == '/' || c == '+' || c == '~'; }

// What stands behind a mark: = or : or a blank, perhaps quoted or in brackets.
std::string_view value_behind(std::string_view text, std::size_t at, bool blank_is_enough) {
  bool separated = false;
  while (at < text.size() && (text[at] == '"' || text[at] == '\'' || is_blank(text[at]) || text[at] == '=' || text[at] == ':')) {
    separated = separated || text[at] == '=' || text[at] == ':' || (blank_is_enough && is_blank(text[at]));
    ++at;
  }
  if (!separated) return {};
  std::size_t end = at;
  while (end < text.size() && is_session_char(text[end])) ++end;
  while (end > at && (text[end - 1] == ':' || text[end - 1] == '.')) --end;
  return text.substr(at, end - at);
}

// `session` as a plain word needs "=", ":" or to stand in brackets as "(session X)".
std::string_view session_in(std::string_view text) {
  for (const std::string_view mark : kSessionMarks) {
    const std::size_t at = find_words(text, mark);
    if (at == kNone) continue;
    const bool bracketed = at > 0 && (text[at - 1] == '(' || text[at - 1] == '[');
    const std::string_view value = session_or_nothing(value_behind(text, at + mark.size(), bracketed));
    if (!value.empty() && value.size() <= 256) return value;
  }
  return {};
}

// The last bracketed token that is no level word, number, direction or time: a server's name.
std::string_view name_in_brackets(std::string_view text) {
  for (std::size_t close = text.rfind(']'); close != kNone && close > 0; close = text.rfind(']', close - 1)) {
    const std::size_t open = text.rfind('[', close);
    if (open == kNone) return {};
    const std::string_view name = text.substr(open + 1, close - open - 1);
    const bool plain = !name.empty() && is_a(name[0], kLetter) && name.size() <= 128 && level_length(name) != name.size();
    if (plain && direction_of(name) == Direction::unknown) return name;
    close = open == 0 ? 1 : open;
  }
  return {};
}

void find_peer(std::string_view text, Surroundings& result) {
  for (const std::string_view mark : {std::string_view("client"), std::string_view("peer"), std::string_view("remote_addr"), std::string_view("src.addr")}) {
    const std::size_t at = find_words(text, mark);
    if (at == kNone || at + mark.size() >= text.size() || text[at + mark.size()] != '=') continue;
    std::size_t end = at + mark.size() + 1;
    const std::size_t from = end;
    end += run_of(text, from, kDigit | kLetter | kPeerMark);
    result.peer = text.substr(from, end - from);
    const std::size_t colon = result.peer.rfind(':');
    const Decimal port = colon == kNone ? Decimal{} : read_decimal(result.peer, colon + 1);
    if (port.digits != 0 && colon + 1 + port.digits == result.peer.size() && port.value < 65536) {
      result.peer_port = static_cast<std::uint16_t>(port.value);
      result.peer = result.peer.substr(0, colon);
    }
    if (result.peer.size() > 2 && result.peer.front() == '[' && result.peer.back() == ']') result.peer = result.peer.substr(1, result.peer.size() - 2);
    return;
  }
}

}  // namespace

Direction direction_of(std::string_view words) {
  Direction direction = by_phrase(words);
  if (direction == Direction::unknown) direction = by_arrow(words);
  if (direction == Direction::unknown) direction = by_word(words);
  return direction;
}

Surroundings describe_surroundings(std::string_view before_body, std::string_view after) {
  if (before_body.size() > kNearBytes) before_body.remove_prefix(before_body.size() - kNearBytes);
  after = after.substr(0, kNearBytes);
  Surroundings result;
  result.direction = direction_of(before_body);
  result.session = session_in(before_body);
  if (result.session.empty()) result.session = session_in(after);
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
