#include "extract/har_slice.h"

#include <algorithm>
#include <utility>

#include "extract/recorded_bytes.h"
#include "ingest/har/entry_splitter.h"
#include "ingest/text/text_input.h"

namespace mcpscan::extract {
namespace {

constexpr std::string_view kPlainEnd = "]}}\n";
constexpr std::size_t kLongestEnd = 1 << 20;  // what stands behind the entries is a few keys, or the rubble of a damaged file

// UTF-8 without a mark at its beginning, so that offsets of the two readers agree.
class PlainText : public ByteReader {
 public:
  PlainText(ByteReader& bytes, std::string head) : text_(bytes, std::move(head)) {}
  std::size_t read(std::span<char> to) override { return text_.read(to); }

 private:
  ingest::TextInput text_;
};

// The values of "_file" keys, which Playwright gives to bodies it wrote beside the HAR.
void note_attached(std::string_view entry, std::vector<std::string>& attached) {
  constexpr std::string_view kKey = "\"_file\"";
  for (std::size_t at = entry.find(kKey); at != std::string_view::npos; at = entry.find(kKey, at + 1)) {
    const std::size_t open = entry.find_first_not_of(" \t\r\n:", at + kKey.size());
    if (open == std::string_view::npos || entry[open] != '"') continue;
    const std::size_t close = entry.find('"', open + 1);
    if (close == std::string_view::npos) continue;
    std::string name(entry.substr(open + 1, close - open - 1));
    if (std::find(attached.begin(), attached.end(), name) == attached.end()) attached.push_back(std::move(name));
  }
}

bool is_document_end(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n,");
  return first != std::string_view::npos && text[first] == ']' && text.size() <= kLongestEnd;
}

}  // namespace

HarSlice slice_har(ByteReader& bytes, std::string head, const PlaceSet& kept, const Limits& limits, PartSink& sink) {
  HarSlice result;
  PlainText plain(bytes, std::move(head));
  RecordedBytes recorded(plain);
  ingest::TextInput input(recorded, {});
  ingest::EntrySplitter splitter(input, limits);
  std::uint64_t behind = 0;
  for (ingest::EntryPiece piece; splitter.next(piece);) {
    if (result.slice.total++ == 0) sink.write(recorded.between(0, piece.offset));
    behind = piece.offset + piece.text.size();
    if (piece.kind == ingest::PieceKind::object && kept.holds(piece.number)) {
      if (result.slice.kept++ > 0) sink.write(",\n");
      sink.write(piece.text);
      result.slice.ranges.add(piece.number, piece.number);
      note_attached(piece.text, result.attached);
    }
    recorded.drop_before(behind);
  }
  const std::string_view end = recorded.between(behind, recorded.end());
  const std::string_view rest = end.substr(std::min(end.find_first_not_of(" \t\r\n,"), end.size()));
  sink.write(is_document_end(rest) ? rest : kPlainEnd);
  return result;
}

}  // namespace mcpscan::extract
