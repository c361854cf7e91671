#include "ingest/text/oldest_first.h"

#include <catch2/catch.hpp>

#include <string>

#include "unit/ingest/pieces_reader.h"

namespace mcpscan::ingest {
namespace {

std::string all_of(ByteReader& bytes) {
  std::string all;
  char room[7];
  for (std::size_t count = bytes.read(room); count != 0; count = bytes.read(room)) all.append(room, count);
  return all;
}

TEST_CASE("the last record comes first, its further lines stay behind it, and places lead back") {
  const std::string text = "\xEF\xBB\xBF" "3 c\n2 b\n  more of b\nTraceback\n\n1 a";
  tests::PiecesReader rest(std::string_view(text).substr(5), 4);
  OldestFirst turned(rest, text.substr(0, 5), 7, Limits{});
  CHECK(all_of(turned) == "1 a\n2 b\n  more of b\nTraceback\n\n3 c\n");
  CHECK(turned.anomalies().empty());
  CHECK(turned.original({7, model::PlaceKind::line, 1, 0}).number == 6);
  CHECK(turned.original({7, model::PlaceKind::line, 3, 8}).number == 3);
  CHECK(turned.original({7, model::PlaceKind::line, 3, 8}).offset == 8);
  CHECK(turned.original({7, model::PlaceKind::line, 6, 31}).number == 1);
}

TEST_CASE("an input beyond Limits::newest_first_bytes is passed on as it stands, and says so") {
  Limits limits;
  limits.newest_first_bytes = 8;
  const std::string text = "3 c\n2 b\n1 a\n";
  tests::PiecesReader rest(text, 3);
  OldestFirst turned(rest, {}, 0, limits);
  CHECK(all_of(turned) == text);
  CHECK(turned.anomalies().entries().count("newest-first-bound") == 1);
  CHECK(turned.original({0, model::PlaceKind::line, 2, 4}).number == 2);
}

TEST_CASE("nothing stays nothing") {
  tests::PiecesReader rest("");
  OldestFirst turned(rest, {}, 0, Limits{});
  CHECK(all_of(turned).empty());
}

}  // namespace
}  // namespace mcpscan::ingest
