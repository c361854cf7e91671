// JsonArrayLines: a log that is one JSON array, spread over lines (Claude Code's MCP logs up to 1.x, gcloud --format=json), as JSON lines:
// one element a line, so that every reader of JSON lines reads it. Line N is element N; offsets are those of the array, less what stood
// before its first element. Broken elements stay what they are: a line break inside a string ends the element, and the next is found.
// Ownership: `bytes` outlives it. Threads: one. Memory: one chunk.
// Source: RFC 8259.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/byte_reader.h"

namespace mcpscan::ingest {

// The text begins with an array whose first element is an object on a line of its own. An array on one line is a JSON-RPC batch.
bool is_array_over_lines(std::string_view head);

class JsonArrayLines : public ByteReader {
 public:
  explicit JsonArrayLines(ByteReader& bytes) : bytes_(bytes) {}
  std::size_t read(std::span<char> to) override;

 private:
  void take(char c);
  void take_between(char c);
  void take_in_string(char c);
  void take_in_element(char c);
  void begin_element(char c);
  void end_element();

  ByteReader& bytes_;
  std::string out_;
  std::size_t out_at_ = 0;
  std::size_t depth_ = 0;      // brackets open inside the element
  bool in_element_ = false, in_string_ = false, escaped_ = false;
  bool any_ = false;           // an element was begun
  bool gap_ = false;           // a byte between elements is held back: it becomes the line end
};

}  // namespace mcpscan::ingest
