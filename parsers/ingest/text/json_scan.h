// JsonMembers: the top-level members of one JSON object in a line of a log, as views of the raw text; nested values are
// skipped by counting brackets, not understood. Good enough to find where a shipper put the message; whoever interprets a body
// uses app::MessageReader. No recursion, no allocation.
// Bound: kMost members; the others are skipped and `more` is set.
// Source: RFC 8259.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/arena.h"
#include "base/function_ref.h"

namespace mcpscan::ingest {

enum class JsonType : std::uint8_t { none, string, number, object, array, literal };

struct JsonValue {
  JsonType type = JsonType::none;
  bool escaped = false;    // a string with a backslash in it
  std::string_view text;   // a string's inside, as it stood; any other value with its brackets

  bool present() const { return type != JsonType::none && !is_null(); }
  bool is_null() const { return type == JsonType::literal && text == "null"; }
  bool is_text() const { return type == JsonType::string; }
};

struct JsonMember {
  std::string_view key;  // as it stood
  JsonValue value;
};

class JsonMembers {
 public:
  static constexpr std::size_t kMost = 64;

  // Reads the object at the start of `text`; false when it is none or does not end. `consumed` is its length.
  bool read(std::string_view text);
  std::size_t consumed() const { return consumed_; }
  // After a failure: where the text stopped being an object, or its end where it was cut.
  std::size_t stopped_at() const { return stopped_at_; }
  std::size_t size() const { return count_; }
  const JsonMember& operator[](std::size_t i) const { return members_[i]; }
  const JsonMember* begin() const { return members_.data(); }
  const JsonMember* end() const { return members_.data() + count_; }
  // The first member of that name (RFC 8259 leaves duplicates open; a shipper does not write them).
  JsonValue find(std::string_view key) const;
  bool more() const { return more_; }

 private:
  std::array<JsonMember, kMost> members_;
  bool stop(std::size_t at) { return stopped_at_ = at, false; }

  std::size_t count_ = 0, consumed_ = 0, stopped_at_ = 0;
  bool more_ = false;
};

// The value at a dotted path of object keys and array indexes: request.headers.Mcp-Session-Id.0. Key parts compare without case
// (HTTP header names). A key that holds dots itself (mcp.session.id) is found when the whole rest of the path names it.
JsonValue find_path(const JsonMembers& members, std::string_view path);
// Bits of an object's names, and of those that must be there for a path to be found: where one of the latter is missing, it is not.
std::uint64_t name_bits(const JsonMembers& members);
std::uint64_t name_bits(std::string_view path);

// Shows each item of the array to `visit` until it says false; false when the text is no array, or breaks before its end.
bool for_each_item(std::string_view array, FunctionRef<bool(const JsonValue&)> visit);

// A string's inside with its escapes resolved, in the arena where there are any; a lone surrogate becomes U+FFFD.
std::string_view unescape_json(const JsonValue& value, Arena& arena);
// The other way: the text as it stands between the quotes of a JSON string.
void append_escaped(std::string& to, std::string_view text);

// The next `"`, `\` (in_string) or `"{}[]` at or behind `from`; text.size() when there is none.
std::size_t find_string_mark(std::string_view text, std::size_t from);
std::size_t find_structure(std::string_view text, std::size_t from);

}  // namespace mcpscan::ingest
