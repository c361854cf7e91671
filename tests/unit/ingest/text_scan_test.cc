// scan_text and TextCleaner's neighbours: the vector code agrees with counting by hand.
#include "ingest/text/text_scan.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

using namespace mcpscan::ingest;

TEST_CASE("scan_text counts line ends of every length and alignment", "[text_scan]") {
  std::string text;
  for (std::size_t i = 0; i < 9000; ++i) text += i % 7 == 0 || i % 11 == 3 ? '\n' : 'a';
  for (const std::size_t from : {0, 1, 5, 15, 16, 17}) {
    for (const std::size_t size : {0, 1, 15, 16, 17, 255, 4080, 4081, 4096, 8500}) {
      const std::string_view part = std::string_view(text).substr(from, size);
      REQUIRE(scan_text(part).newlines == static_cast<std::size_t>(std::count(part.begin(), part.end(), '\n')));
    }
  }
  REQUIRE(scan_text(std::string(5000, '\n')).newlines == 5000);
}

TEST_CASE("scan_text sees a NUL and the lead of a mark wherever they stand", "[text_scan]") {
  for (std::size_t at = 0; at < 70; ++at) {
    std::string text(70, 'a');
    REQUIRE_FALSE(scan_text(text).has_nul);
    REQUIRE_FALSE(scan_text(text).has_mark_lead);
    text[at] = '\0';
    REQUIRE(scan_text(text).has_nul);
    text[at] = '\xEF';
    REQUIRE_FALSE(scan_text(text).has_nul);
    REQUIRE(scan_text(text).has_mark_lead);
  }
}
