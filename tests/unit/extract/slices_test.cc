// Cutting records, entries and key lines out of their files: what is kept stands as it stood.
#include <catch2/catch.hpp>

#include "base/text_bytes.h"
#include "extract/har_slice.h"
#include "extract/key_slice.h"
#include "extract/text_slice.h"

using namespace mcpscan;
using namespace mcpscan::extract;

namespace {

constexpr std::size_t kStep = 7;  // bytes a read

class Kept : public PartSink {
 public:
  void write(std::string_view bytes) override { text += bytes; }
  std::string text;
};

PlaceSet places(std::initializer_list<std::uint64_t> numbers) {
  PlaceSet set;
  for (const std::uint64_t number : numbers) set.add(number);
  set.settle();
  return set;
}

// Records begin at lines without a blank in front.
std::vector<std::uint64_t> unindented(const ingest::TextBlock& block) {
  std::vector<std::uint64_t> starts;
  std::uint64_t number = block.first_line;
  const std::string_view text = block.bytes;
  for (std::size_t at = 0; at < text.size(); ++number) {
    if (text[at] != ' ') starts.push_back(number);
    at = std::min(text.find('\n', at), text.size() - 1) + 1;
  }
  return starts;
}

std::string slice_of(std::string_view text, const PlaceSet& kept, std::size_t context, std::vector<bool> told, Slice* slice = nullptr) {
  TextBytes bytes(std::string(text), kStep);
  Kept out;
  const auto border = [](std::string_view, std::string_view line) { return !line.starts_with(' '); };
  const TextSliceOptions options{ingest::RecordBorder(border), unindented, &kept, &told, context};
  Slice done = slice_text(bytes, {}, options, Limits(), out);
  if (slice) *slice = std::move(done);
  return out.text;
}

constexpr std::string_view kHar = "{ \"log\": {\"version\": \"1.2\", \"entries\": [ {\"startedDateTime\": \"a\", \"n\": 1},\n {\"startedDateTime\": \"b\", \"n\": 2}, "
                                  "{\"startedDateTime\": \"c\", \"n\": 3} ], \"comment\": \"end\"}}\n";

}  // namespace

TEST_CASE("A record is kept with all its lines, and line ends stay as they are") {
  Slice slice;
  CHECK(slice_of("one\r\n more\r\ntwo\r\nthree\r\n", places({2}), 0, {}, &slice) == "one\r\n more\r\n");
  CHECK(slice.kept == 1);
  CHECK(slice.total == 3);
  CHECK(slice.ranges.text() == "1-2");
}

TEST_CASE("Neighbours that tell nothing of MCP go along; one that tells something does not") {
  const std::string_view text = "a\nb\nc\nd\ne\nf\n";
  CHECK(slice_of(text, places({3}), 1, {}) == "b\nc\nd\n");
  std::vector<bool> told(7);
  told[2] = true;
  CHECK(slice_of(text, places({3}), 2, told) == "a\nc\nd\ne\n");
}

TEST_CASE("A last line without its end gets one only when something follows it") {
  CHECK(slice_of("a\nb", places({2}), 0, {}) == "b");
  CHECK(slice_of("a\nb", places({1, 2}), 0, {}) == "a\nb");
}

TEST_CASE("The set of all places keeps everything") { CHECK(slice_of("a\nb\nc\n", PlaceSet::all(), 0, {}) == "a\nb\nc\n"); }

TEST_CASE("Entries of a HAR stand between the document's own beginning and end") {
  TextBytes bytes(std::string(kHar), kStep);
  Kept out;
  const HarSlice har = slice_har(bytes, {}, places({1, 3}), Limits(), out);
  CHECK(out.text == "{ \"log\": {\"version\": \"1.2\", \"entries\": [ {\"startedDateTime\": \"a\", \"n\": 1},\n{\"startedDateTime\": \"c\", \"n\": 3}], \"comment\": \"end\"}}\n");
  CHECK(har.slice.kept == 2);
  CHECK(har.slice.total == 3);
}

TEST_CASE("A HAR that is cut gets an end that makes it one") {
  TextBytes bytes(std::string(kHar.substr(0, kHar.find("\"c\""))), kStep);
  Kept out;
  slice_har(bytes, {}, places({2}), Limits(), out);
  CHECK(out.text.ends_with("\"n\": 2}]}}\n"));
}

TEST_CASE("Of a key log only the lines of connections that were kept are left, each once") {
  const std::string log = "# made up\nCLIENT_RANDOM AAbb 11\nCLIENT_RANDOM ccdd 22\r\nSERVER_HANDSHAKE_TRAFFIC_SECRET aabb 33\nCLIENT_RANDOM AAbb 11\nbroken\n";
  CHECK(slice_keys(log, {"aabb"}) == "CLIENT_RANDOM AAbb 11\nSERVER_HANDSHAKE_TRAFFIC_SECRET aabb 33\n");
  CHECK(slice_keys(log, {}).empty());
}

TEST_CASE("Ranges of kept numbers are told in runs") {
  KeptRanges ranges;
  ranges.add(4, 5);
  ranges.add(6, 9);
  ranges.add(12, 12);
  CHECK(ranges.text() == "4-9, 12");
  for (std::uint64_t number = 100; number < 4000; number += 2) ranges.add(number, number);
  CHECK(ranges.text().ends_with(" and 952 more"));
}
