// Entries found in a HAR, whatever stands around them, and found again after damage.
#include <catch2/catch.hpp>

#include <random>

#include "support/split.h"
#include "unit/ingest/har_kit.h"

using namespace mcpscan;
using namespace mcpscan::tests;

TEST_CASE("Entries are found whatever keys stand before and behind them", "[har]") {
  const std::string before = R"({"other":{"entries":[1]},"log":{"pages":[{"entries":[{"a":1}]}],"comment":"\"entries\":[{","entries":[)";
  const ReadHar read = read_har(before + entry_of(1) + "," + entry_of(2) + R"(],"creator":{"name":"x"},"pages":[]}})");
  CHECK(read.entries.size() == 2);
  CHECK(read.entries[1] == "2 POST http://h/2 [{\"id\":2}] 200 [ok]");
  CHECK(read.found);
  CHECK_FALSE(read.cut);
  CHECK(read.anomalies.empty());
}

TEST_CASE("A byte order mark, line ends of Windows and UTF-16 do not matter", "[har]") {
  CHECK(read_har("\xEF\xBB\xBF" + har_of("\r\n " + entry_of(1) + " ,\r\n" + entry_of(2))).entries.size() == 2);
  std::string wide = "\xFF\xFE";
  for (const char c : har_of(entry_of(7))) wide += c, wide += '\0';
  CHECK(read_har(wide).entries == std::vector<std::string>{"1 POST http://h/7 [{\"id\":7}] 200 [ok]"});
}

TEST_CASE("Two documents in a row are both read", "[har]") {
  const ReadHar read = read_har(har_of(entry_of(1)) + "\n" + har_of(entry_of(2)));
  CHECK(read.entries.size() == 2);
}

TEST_CASE("No entries at all is told apart from an empty list", "[har]") {
  CHECK(read_har(har_of("")).found);
  CHECK_FALSE(read_har(R"({"log":{"version":"1.2"}})").found);
  CHECK_FALSE(read_har("").found);
  CHECK_FALSE(read_har(R"({"entries":[{"request":{}}]})").found);
}

TEST_CASE("Broken JSON inside one entry costs that entry, and its place is told", "[har]") {
  const std::string broken = "{\"startedDateTime\":\"2026-11-29T17:26:02.000Z\",\n \"time\" 5,\"request\":{}}";
  const ReadHar read = read_har(har_of(entry_of(1) + ",\n" + broken + "," + entry_of(3)));
  CHECK(read.entries.size() == 2);
  CHECK(read.entries[1].substr(0, 2) == "3 ");
  CHECK(read.books.malformed.at("har-broken-json") == 1);
  CHECK(read.anomalies.entries().at("har-broken-json").source.number == 2);
  CHECK(read.anomaly("har-broken-json").find("line 3, column ") != std::string::npos);
}

TEST_CASE("An entry that loses its end costs no other entry", "[har]") {
  std::string cut = entry_of(2);
  cut.resize(cut.size() - 60);
  const ReadHar read = read_har(har_of(entry_of(1) + "," + cut + "," + entry_of(3) + "," + entry_of(4)));
  CHECK(read.entries.size() == 3);
  CHECK(read.entries[1] == "3 POST http://h/3 [{\"id\":3}] 200 [ok]");
  CHECK(read.books.malformed.at("har-broken-json") == 1);
}

TEST_CASE("A quote too many swallows entries until the next beginning only", "[har]") {
  std::string odd = entry_of(2);
  odd.insert(odd.find("POST"), "\"");
  const ReadHar read = read_har(har_of(entry_of(1) + "," + odd + "," + entry_of(3) + "," + entry_of(4) + "," + entry_of(5)));
  CHECK(read.entries.size() == 4);
  CHECK(read.entries.back() == "5 POST http://h/5 [{\"id\":5}] 200 [ok]");
}

TEST_CASE("A beginning inside a body is none", "[har]") {
  const std::string fake = R"({"startedDateTime":"2026-11-29T17:26:02.000Z","request":{"method":"POST","url":"u","postData":{"text":"{\"startedDateTime\":\"x\",\"request\":{}}"}}})";
  const ReadHar read = read_har(har_of("{\"a\" 1}," + fake + "," + entry_of(3)));
  CHECK(read.entries.size() == 2);
  CHECK(read.entries[0].find("u [{\"startedDateTime\":\"x\",\"request\":{}}]") != std::string::npos);
}

TEST_CASE("Entries that begin with another key are found after damage by that key", "[har]") {
  const auto chrome = [](int n) { return "{\"_connectionId\":\"9\",\"_initiator\":{\"type\":\"x\"}," + entry_of(n).substr(1); };
  std::string cut = chrome(2);
  cut.resize(cut.size() - 60);
  const ReadHar read = read_har(har_of(chrome(1) + "," + cut + "," + chrome(3)));
  CHECK(read.entries.size() == 2);
  CHECK(read.entries[1].find("http://h/3") != std::string::npos);
}

TEST_CASE("What is no object among the entries is booked and passed over", "[har]") {
  const ReadHar read = read_har(har_of("null, 17, \"te,xt\", [1,{\"a\":2}], }, " + entry_of(1)));
  CHECK(read.entries.size() == 1);
  CHECK(read.books.malformed.at("har-no-object") == 5);
}

TEST_CASE("A bracket too many does not end the entries", "[har]") {
  CHECK(read_har(har_of(entry_of(1) + "]," + entry_of(2))).entries.size() == 2);
}

TEST_CASE("A file that ends inside an entry keeps those before it", "[har]") {
  const std::string whole = har_of(entry_of(1) + "," + entry_of(2));
  const ReadHar read = read_har(std::string_view(whole).substr(0, whole.size() - 40));
  CHECK(read.entries.size() == 1);
  CHECK(read.cut);
  CHECK(read.books.malformed.at("har-cut-entry") == 1);
}

TEST_CASE("An entry longer than har_entry_bytes is skipped, the next one is read", "[har][limits]") {
  Limits limits;
  limits.har_entry_bytes = 2000;
  limits.block_bytes = 512;
  const std::string longer = "{\"startedDateTime\":\"2026-11-29T17:26:02Z\",\"x\":\"" + std::string(9000, 'y') + "\",\"request\":{\"a\":[{}]}}";
  const ReadHar read = read_har(har_of(entry_of(1) + "," + longer + "," + entry_of(3)), limits);
  CHECK(read.entries.size() == 2);
  CHECK(read.entries[1].find("http://h/3") != std::string::npos);
  CHECK(read.books.malformed.at("har-entry-too-long") == 1);
  CHECK(read.anomaly("har-entry-too-long").find("har_entry_bytes") != std::string::npos);
}

TEST_CASE("The entries do not depend on how the bytes arrive", "[har][split]") {
  std::string cut = entry_of(3);
  cut.resize(cut.size() - 50);
  const std::string text = har_of(entry_of(1) + ",{\"x\":\"\\\\\\\"}\"}," + cut + ",\n " + entry_of(4) + "," + entry_of(5) + ",[]," + entry_of(6)) + har_of(entry_of(7));
  Limits small;
  small.block_bytes = 64;
  const std::string expected = read_har(text).all();
  CHECK(expected.find("http://h/7") != std::string::npos);
  for (const auto& pieces : all_cuttings(text)) {
    REQUIRE(read_har(pieces).all() == expected);
    REQUIRE(read_har(pieces, small).all() == expected);
  }
}

TEST_CASE("An entry a little longer than har_entry_bytes is skipped however the blocks fall", "[har][limits][split]") {
  for (std::size_t length = 90; length < 110; ++length) {
    const std::string entry = "{\"request\":{\"a\":\"" + std::string(length - 20, 'y') + "\"}}";
    REQUIRE(entry.size() == length);
    Limits large, small;
    large.har_entry_bytes = small.har_entry_bytes = 100;
    small.block_bytes = 16;
    const std::string text = har_of(entry + "," + entry + R"(,{"request":{}},{"request":{"method":"GET"}})");
    CHECK(read_har(text, large).all() == read_har(text, small).all());
    CHECK(read_har(text, small).entries.size() == (length > 100 ? 1 : 3));
  }
}

TEST_CASE("Beginnings without ends cost no more than they are long", "[har][hostile]") {
  std::string entries;
  for (int i = 0; i < 50000; ++i) entries += "{\"startedDateTime\":\"";
  const ReadHar read = read_har(har_of(entries));
  CHECK(read.entries.empty());
  CHECK(read.books.malformed.at("har-broken-json") >= 49998);
}
