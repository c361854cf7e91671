// UnlabelledTokens: whether the ids that stand before a log's messages without a word for what they are ("[0b0e6f4e-...] <- {...}") are those of
// sessions. A request's or trace's id has one request to it; a session's has several, and its replies answer what was asked beside the same id; a
// client's or tenant's has several sessions, whose ids begin anew.
// Learned from the head of a log. Threads: one. Bound: the messages of a head (calibration.cc).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string_view>

namespace mcpscan::ingest {

// The UUID or digest in a text that nothing before it names; empty: none, or several.
std::string_view opaque_word_in(std::string_view text);
// Of a record: before its body, or where a prefix took it for its logger, since it began with a letter.
std::string_view token_of(std::string_view before_body, std::string_view logger);

class UnlabelledTokens {
 public:
  // `text` is a record's message with a JSON-RPC body.
  void take(std::string_view text, std::string_view logger = {});
  bool are_sessions() const;

 private:
  struct Token {
    std::set<std::uint64_t> requests;  // hashes of their ids
    std::uint64_t begun = 0;           // of them initialize
    std::uint64_t repeated = 0;        // of them with an id that one before had
  };

  std::map<std::uint64_t, Token> tokens_;  // by hash
  std::uint64_t without_ = 0, messages_ = 0, answers_ = 0, strays_ = 0;
};

}  // namespace mcpscan::ingest
