// HttpHead: what one message head says, as views into the bytes it was read from. The same struct is filled from HTTP/1 text
// and from HTTP/2 field lists; only fields that framing or MCP need are told apart, the rest is dropped at once.
// Not a parser of bodies, owns nothing, never fails loudly: what is odd about a head is a bit of `oddities`.
// Source: RFC 9110 section 5, RFC 9112 sections 2 to 6, RFC 9113 section 8.3.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace mcpscan::app {

enum class Coding : std::uint8_t { identity, gzip, deflate, br, zstd, unknown };

// Content codings in the order they were applied.
struct CodingList {
  static constexpr std::size_t kMost = 4;  // nobody stacks more than two; more is refused as unknown
  std::array<Coding, kMost> codings{};
  std::uint8_t count = 0;
};

enum HeadOddity : std::uint32_t {
  kBadField = 1u << 0,          // a line that is no field
  kFoldedField = 1u << 1,       // obs-fold
  kLengthsDiffer = 1u << 2,     // several Content-Length values that differ, or one that is no number
  kLengthAndChunked = 1u << 3,  // Content-Length beside Transfer-Encoding
  kUnknownTransfer = 1u << 4,   // a transfer coding that does not end in chunked
};

struct HttpHead {
  bool is_request = false;
  std::string_view method, target;  // request
  std::uint16_t status = 0;         // response
  std::uint8_t minor_version = 1;

  bool has_length = false, chunked = false, has_transfer = false;
  bool connection_close = false, upgrade_h2c = false, has_upgrade = false;
  bool accepts_event_stream = false;
  bool of_proxy = false;            // response: a proxy has written in it
  std::uint64_t content_length = 0;
  std::uint32_t oddities = 0;
  CodingList codings;

  std::string_view host, user_agent, content_type, accept, origin, forwarded_for;
  std::string_view session_id, protocol_version, last_event_id, mcp_method, mcp_name;
  std::string_view section;     // what all of these lie in; empty: not in one piece
  bool has_last_event_id = false;
  std::uint64_t principal = 0;  // digest of the Authorization value

  // One field; `name` in any case, `value` without surrounding white space.
  void add_field(std::string_view name, std::string_view value);
  bool speaks_mcp() const { return !session_id.empty() || !protocol_version.empty() || !mcp_method.empty(); }
};

// Offset behind the empty line that ends a header section, npos when it is not there yet. `from` is where the search may
// begin: everything before it is known to hold no end.
std::size_t find_head_end(std::string_view bytes, std::size_t from);

// Reads a whole header section: start line, fields, empty line. False when the start line is none or, with `strict`, any line
// is no field. `scratch` holds the unfolded text when a field is folded; the views then point into it.
bool parse_head(std::string_view section, bool request, bool strict, std::string& scratch, HttpHead& head);

// Whether `line` (without its line end) is a request line or a status line of HTTP/1.
bool is_request_line(std::string_view line);
bool is_status_line(std::string_view line);
bool is_field_line(std::string_view line);

// What the first bytes of a message can be: yes, no, or too few bytes to tell.
enum class Likeness : std::uint8_t { no, maybe, yes };
Likeness looks_like_request(std::string_view bytes);
Likeness looks_like_response(std::string_view bytes);
// The head of a chunk (RFC 9112 7.1, digits only) and behind it the first field of an event (WHATWG, Server-sent events).
Likeness looks_like_event_chunk(std::string_view bytes);
// Whether an event or comment begins here; six bytes tell.
Likeness looks_like_event(std::string_view bytes);

bool iequals(std::string_view a, std::string_view b);
std::string_view trim_space(std::string_view text);

}  // namespace mcpscan::app
