// module: ingest
// YAML of any bytes: a tree or an error, never both, with places inside the text; and log entries as documents give the same lines however
// the bytes come.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/yaml.h"
#include "fuzz/pieces.h"
#include "ingest/text/yaml_records.h"

namespace {

using namespace mcpscan;

void check(const YamlNode& node, std::size_t lines) {
  if (!node.is_defined() || node.place().line > lines) std::abort();
  for (const YamlNode& item : node.items()) check(item, lines);
  for (const YamlEntry& entry : node.entries()) check(entry.key, lines), check(entry.value, lines);
}

std::string as_lines(std::string_view text, std::size_t piece) {
  Limits limits;
  limits.block_bytes = 4096;
  limits.line_bytes = 65536;
  tests::Pieces pieces(text, piece);
  ingest::YamlRecordLines lines(pieces, limits);
  std::string all, room(4096, '\0');
  while (const std::size_t count = lines.read(room)) all.append(room, 0, count);
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const YamlText yaml = read_yaml(text);
  if (yaml.root.is_defined()) {
    if (!yaml.error.empty()) std::abort();
    check(yaml.root, static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r' || static_cast<unsigned char>(c) >= 0x80; })) + 1);
  }
  if (as_lines(text, 1 << 20) != as_lines(text, 7)) std::abort();
  return 0;
}
