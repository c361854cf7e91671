// ShareText: texts of the evidence as they may be handed on. Session ids, addresses, hosts and tokens are replaced wherever they stand; in what a
// client sent and a server answered, every word and every long number too, each by the same stand-in wherever it comes again, in the same length
// and alphabet: so equal payloads stay equal, echoes stay echoes, and sizes stay. Left are: the protocol's own words, members' names, tools and
// methods, JSON-RPC ids, times, words of one or two letters, numbers of up to four digits, and a log's own prose.
// Two passes: what the first one met is known from the beginning of the second, so that a name is replaced also before the place that tells it.
// Ownership: keeps copies. Threads: one. Bound: Limits::share_values (full()); in doubt it replaces.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "report/pseudonyms.h"

namespace mcpscan::extract {

class ShareText {
 public:
  explicit ShareText(const Limits& limits) : limits_(limits) {}

  // Stays wherever it stands: a tool's name, a JSON-RPC id.
  void keep(std::string_view word);
  // Stays in a log's prose, as the words that its grammar is made of do.
  void keep_in_prose(std::string_view text);
  // A session id, a host: replaced wherever it stands.
  void know(std::string_view value) { names_.know(value); }
  // The first pass is over.
  void begin_second_pass();

  // A whole value.
  std::string name(std::string_view value) { return names_.of(value); }
  // What this program says about the evidence.
  std::string told(std::string_view text) { return names_.text(text); }
  // What a program says: of payloads only the words that were met in one.
  std::string prose(std::string_view text);
  // JSON-RPC in any of its disguises, or a piece of it.
  std::string payload(std::string_view text);
  // A JSON document that holds other people's texts in its strings: its own numbers stay.
  std::string document(std::string_view text);
  // A record of a log: prose, with payloads in it.
  std::string record(std::string_view text);

  bool full() const { return names_.size() + words_.size() > limits_.share_values; }
  // What was replaced as a whole, for a last look at the finished bundle.
  std::vector<std::string> replaced_names() const { return names_.replaced(); }

 private:
  friend class WordShare;
  void learn_tokens(std::string_view text);
  std::string line(std::string_view text);
  std::string letter(std::string_view utf8);

  const Limits& limits_;
  report::Pseudonyms names_, words_;
  std::set<std::string, std::less<>> kept_, prose_;
  std::map<std::uint32_t, std::uint32_t> letters_;  // beyond ASCII, one by one
  std::map<std::size_t, std::uint32_t> letters_of_size_;
};

}  // namespace mcpscan::extract
