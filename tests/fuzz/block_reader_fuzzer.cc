// module: ingest
// BlockReader: the first bytes choose block size and bounds, the rest is the input. The records must be the same as with one large block.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "fuzz/pieces.h"
#include "ingest/text/block_reader.h"

namespace {

using mcpscan::ingest::TextBlock;

bool starts(std::string_view, std::string_view line) { return line.starts_with('2'); }

// Records and their line numbers, one after the other.
std::string records_of(std::string_view input, std::size_t block_bytes, std::size_t read_bytes) {
  mcpscan::Limits limits;
  limits.block_bytes = block_bytes;
  limits.line_bytes = 64;
  limits.record_bytes = 400;
  mcpscan::tests::Pieces bytes(input, read_bytes);
  mcpscan::ingest::BlockReader reader(bytes, "", 0, mcpscan::ingest::RecordBorder(starts), limits);
  std::string records;
  TextBlock block;
  while (reader.next(block)) {
    std::uint64_t line = block.first_line;
    for (std::size_t at = 0; at < block.bytes.size(); ++line) {
      const std::size_t end = std::min(block.bytes.view().find('\n', at), block.bytes.size() - 1) + 1;
      const std::string_view text = block.bytes.view().substr(at, end - at);
      if (at == 0 || starts({}, text)) records += "|" + std::to_string(line) + ":";
      records += text;
      at = end;
    }
    if (block.skipped_bytes > 0) records += "[" + std::to_string(block.skipped_bytes) + "]";
  }
  if (reader.decoded_bytes() != input.size()) std::abort();
  return records;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::size_t block_bytes = 1 + data[0], read_bytes = 1 + data[1];
  const std::string_view input(reinterpret_cast<const char*>(data) + 2, size - 2);
  if (records_of(input, block_bytes, read_bytes) != records_of(input, 400, 1 << 20)) std::abort();
  return 0;
}
