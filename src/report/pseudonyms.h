// Pseudonyms: what stands in a shared report or bundle for session ids, addresses, hosts and other names of somebody's
// machines: ordinals of first appearance, written in the length and alphabet of what they replace (a hash of an address
// could be guessed back; an ordinal cannot, and columns, parsers and patterns still fit). One object serves one report or
// bundle, so that a value has the same stand-in in each of its parts.
// Not masking of secrets: mask_secrets (redact.h) runs before. Ownership: keeps copies. Threads: one.
// Bound: one entry a value that is shown, and what is shown is bounded. In doubt it replaces.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/function_ref.h"

namespace mcpscan::report {

class Pseudonyms {
 public:
  // The stand-in of a whole value (an id, an address, a host, an argument). The same value always gives the same one; different
  // values give different ones; an empty value stays empty.
  std::string of(std::string_view value);

  // This value is replaced wherever text() meets it, and nobody's stand-in will look like it. For what text() cannot know
  // by its form: session ids, names of hosts.
  void know(std::string_view value);

  // Left out by text() wherever it stands before a file's name; `folder` ends with its slash. What leads to a file tells of who has it.
  void leave_out(std::string_view folder);

  // The text with all known values and everything that has the form of an address (IPv4, IPv6, MAC, mail), a host, a
  // UUID or a hex id replaced, and what follows a session's or host's name as its value ("Mcp-Session-Id: ...",
  // "https://host/"). Loopback names stay.
  std::string text(std::string_view raw);

  // Every other word goes through `other`: where it stands in `raw`, and how long it is. A word is a run of letters, digits, '-', '_', '.' and
  // bytes beyond ASCII.
  using OtherWord = FunctionRef<std::string(std::size_t, std::size_t)>;
  std::string text(std::string_view raw, OtherWord other);

  bool is_known(std::string_view value) const { return known_.contains(value); }
  // What has a stand-in so far.
  std::vector<std::string> replaced() const;
  std::size_t size() const { return stand_ins_.size(); }

 private:
  std::string fresh(std::string_view value);
  std::string without_folders(std::string_view raw) const;

  std::map<std::string, std::string, std::less<>> stand_ins_;
  std::map<std::string, std::uint64_t, std::less<>> next_of_shape_;
  std::set<std::string, std::less<>> known_, odd_;  // odd: known values that are no single word
  std::set<std::string, std::less<>> folders_;
};

}  // namespace mcpscan::report
