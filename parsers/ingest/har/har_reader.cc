#include "ingest/har/har_reader.h"

#include <fmt/format.h>

#include <utility>

namespace mcpscan::ingest {
namespace {

TimeContext context_of(const Zone& zone) {
  TimeContext context;
  context.zone = zone;
  return context;
}

}  // namespace

HarReader::HarReader(ByteReader& bytes, std::string head, std::uint32_t input, const Zone& zone, const Limits& limits, model::Books& books,
                     model::AnomalyLog& anomalies)
    : input_(bytes, std::move(head)),
      splitter_(input_, limits),
      times_(context_of(zone)),
      parser_(times_, limits, anomalies),
      number_(input),
      books_(books),
      anomalies_(anomalies) {}

bool HarReader::next(HarEntry& entry) {
  for (EntryPiece piece; splitter_.next(piece);) {
    ++entries_;
    switch (piece.kind) {
      case PieceKind::other: tell(piece, "har-no-object", "an element of log.entries is no object", 0); continue;
      case PieceKind::unfinished: tell(piece, "har-broken-json", "another entry begins before this one ends", piece.text.size()); continue;
      case PieceKind::cut: tell(piece, "har-cut-entry", "the file ends inside the entry", piece.text.size()); continue;
      case PieceKind::too_long: tell(piece, "har-entry-too-long", "the entry is longer than har_entry_bytes and is skipped", 0); continue;
      case PieceKind::object: break;
    }
    arena_.reset();
    entry.source = {number_, model::PlaceKind::entry, piece.number, piece.offset};
    if (const auto fault = parser_.parse(piece.text, arena_, entry)) {
      tell(piece, fault->is_json ? "har-no-request" : "har-broken-json", fault->what, fault->at);
      splitter_.reject();
      continue;
    }
    note_time(entry);
    return true;
  }
  return false;
}

void HarReader::tell(const EntryPiece& piece, const char* reason, std::string_view what, std::size_t at) {
  const TextPlace place = splitter_.place_of(at);
  const model::SourceRef source{number_, model::PlaceKind::entry, piece.number, piece.offset};
  anomalies_.add({reason, fmt::format("{} (offset {}, line {}, column {})", what, piece.offset + at, place.line, place.column), source, 1});
  books_.malform(reason);
}

void HarReader::note_time(const HarEntry& entry) {
  if (!entry.started.known()) {
    anomalies_.add({"har-no-start", "the entry tells no time; it is taken to be as old as the one before", entry.source, 1});
  } else if (!entry.has_zone) {
    anomalies_.add({"har-no-zone", "the entry tells its time without a zone; it is read in the zone of --tz (UTC)", entry.source, 1});
  }
}

}  // namespace mcpscan::ingest
