// module: ingest
// Transcripts, and documents and tables read as lines, on any bytes: no crash; every line is in the books; the lines do not depend on how bytes are cut.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "fuzz/pieces.h"
#include "ingest/text/csv_records.h"
#include "ingest/text/json_records.h"
#include "ingest/transcript/transcript_reader.h"

namespace {

using namespace mcpscan;

std::string all_of(ByteReader& lines) {
  std::string all, room(4096, '\0');
  while (const std::size_t count = lines.read(room)) all.append(room, 0, count);
  return all;
}

std::string lines_of(std::string_view text, std::size_t piece) {
  const Limits limits;
  const ingest::RecordForm* form = ingest::record_form(text);
  tests::Pieces pieces(text, piece), cells(text, piece);
  ingest::JsonRecordLines records(pieces, form != nullptr ? *form : *ingest::record_form("[\n{"), limits);
  ingest::CsvRecordLines rows(cells, limits);
  return all_of(records) + '\n' + all_of(rows);
}

std::uint64_t sum_of(const model::Books& books) {
  std::uint64_t sum = books.used;
  for (const auto& [reason, count] : books.ignored) sum += count;
  for (const auto& [reason, count] : books.malformed) sum += count;
  return sum;
}

void read_transcript(std::string_view text) {
  Limits limits;
  limits.transcript_calls = 8;
  limits.transcript_text_bytes = 32;
  ingest::TranscriptCalls calls(limits);
  ingest::TranscriptReader reader(limits, calls);
  Arena arena;
  std::uint64_t lines = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    reader.read_line(text.substr(at, end - at), false, {0, model::PlaceKind::line, ++lines, at}, arena, [](const ingest::TranscriptRecord& record) {
      if (record.outcome.call.empty() || record.outcome.text.size() > 32 || record.outcome.arguments.size() > 32) std::abort();
    });
    arena.reset();
    at = end + 1;
  }
  if (sum_of(reader.books()) != lines || reader.books().total != lines) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string lines = lines_of(text, 1u << 20);
  if (lines_of(text, 3) != lines) std::abort();
  read_transcript(text);
  read_transcript(lines);
  return 0;
}
