// BlockReader: blocks at record borders, the same records for every split and block size, hostile text.
#include "ingest/text/block_reader.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <random>

#include "support/split.h"
#include "unit/ingest/pieces_reader.h"

using namespace mcpscan;
using namespace mcpscan::ingest;
using tests::PiecesReader;
using namespace std::string_literals;

namespace {

// Records of these tests begin with a '2', as lines with a date do.
struct DatedLines {
  bool starts_record(std::string_view, std::string_view line) const { return line.starts_with('2'); }
};
const DatedLines kDated;

Limits small_limits(std::size_t block, std::size_t line = 1000, std::size_t record = 4000) {
  Limits limits;
  limits.block_bytes = block;
  limits.line_bytes = line;
  limits.record_bytes = record;
  return limits;
}

struct Reading {
  std::vector<TextBlock> blocks;
  model::AnomalyLog anomalies;
  std::uint64_t decoded = 0;
  std::string encoding;

  std::string text() const {
    std::string all;
    for (const TextBlock& block : blocks) all += block.bytes;
    return all;
  }
  std::uint64_t count(const std::string& kind) const {
    const auto entry = anomalies.entries().find(kind);
    return entry == anomalies.entries().end() ? 0 : entry->second.count;
  }
  const model::Anomaly& anomaly(const std::string& kind) const { return anomalies.entries().at(kind); }
};

Reading read_pieces(std::vector<std::string_view> pieces, const Limits& limits, std::string head = {}) {
  PiecesReader bytes(std::move(pieces));
  BlockReader reader(bytes, std::move(head), 7, kDated, limits);
  Reading reading;
  TextBlock block;
  while (reader.next(block)) reading.blocks.push_back(block);
  REQUIRE_FALSE(reader.next(block));
  reading.anomalies = reader.anomalies();
  reading.decoded = reader.decoded_bytes();
  reading.encoding = reader.encoding();
  return reading;
}

Reading read_text(std::string_view text, const Limits& limits) { return read_pieces({text}, limits); }

// Each record as "line: text", cut within its block as a parser would; skipped bytes shown with the block's last record.
std::vector<std::string> records_of(const Reading& reading) {
  std::vector<std::string> records;
  for (const TextBlock& block : reading.blocks) {
    std::uint64_t line = block.first_line;
    bool first = true;
    for (std::size_t at = 0; at < block.bytes.size();) {
      const std::size_t end = std::min(block.bytes.view().find('\n', at), block.bytes.size() - 1) + 1;
      const std::string_view text = block.bytes.view().substr(at, end - at);
      if (first || kDated.starts_record({}, text)) records.push_back(fmt::format("{}: ", line));
      records.back() += text;
      first = false;
      ++line;
      at = end;
    }
    if (block.skipped_bytes > 0) records.back() += fmt::format("[{} skipped]", block.skipped_bytes);
  }
  return records;
}

const std::string kLog =
    "21 first\n  more of it\n22 second\r\n23 with \r progress \r bars\n\n  Traceback\n   at x\n24 fourth\n25 \xE2\x86\x92 fifth\n26 no line end";

}  // namespace

TEST_CASE("the blocks put together are the input, for every split and block size", "[block_reader]") {
  const std::vector<std::string> expected = records_of(read_text(kLog, small_limits(4000)));
  REQUIRE(expected.size() == 6);
  for (const std::size_t block : {1, 2, 7, 16, 31, 64, 200}) {
    for (const auto& pieces : tests::all_cuttings(kLog)) {
      const Reading reading = read_pieces(pieces, small_limits(block));
      REQUIRE(reading.text() == kLog);
      REQUIRE(records_of(reading) == expected);
    }
  }
}

TEST_CASE("each block begins where the numbers say and at a record start", "[block_reader]") {
  for (const std::size_t block_bytes : {8, 20, 50}) {
    const Reading reading = read_text(kLog, small_limits(block_bytes));
    std::uint64_t sequence = 0, offset = 0, line = 1;
    for (const TextBlock& block : reading.blocks) {
      REQUIRE(block.sequence == sequence++);
      REQUIRE(block.offset == offset);
      REQUIRE(block.first_line == line);
      REQUIRE(block.bytes.view().starts_with('2'));
      offset += block.bytes.size();
      line += static_cast<std::uint64_t>(std::count(block.bytes.view().begin(), block.bytes.view().end(), '\n'));
    }
    REQUIRE(offset == reading.decoded);
    REQUIRE(reading.anomalies.empty());
  }
}

TEST_CASE("what the probe has read already comes first", "[block_reader]") {
  for (const std::size_t cut : {0, 1, 10, 60}) {
    const Reading reading = read_pieces({std::string_view(kLog).substr(cut)}, small_limits(32), kLog.substr(0, cut));
    REQUIRE(reading.text() == kLog);
    REQUIRE(reading.decoded == kLog.size());
  }
}

TEST_CASE("an empty input has no block", "[block_reader]") {
  const Reading reading = read_text("", small_limits(32));
  REQUIRE(reading.blocks.empty());
  REQUIRE(reading.decoded == 0);
}

TEST_CASE("a record over the bound is cut at a line end and told", "[block_reader]") {
  std::string log = "2 begins\n";
  for (int i = 0; i < 100; ++i) log += " continued\n";
  log += "2 next\n";
  const std::vector<std::string> expected = records_of(read_text(log, small_limits(400, 50, 300)));
  REQUIRE(expected.size() > 3);
  for (const std::size_t block : {1, 13, 64, 300, 1000}) {
    const Reading reading = read_text(log, small_limits(block, 50, 300));
    REQUIRE(reading.text() == log);
    REQUIRE(records_of(reading) == expected);
    REQUIRE(reading.anomaly("record-too-long").source.number == 1);
    for (const TextBlock& one : reading.blocks) REQUIRE(one.bytes.view().ends_with('\n'));
  }
}

TEST_CASE("an over-long line keeps its head, the rest is counted, and reading goes on", "[block_reader]") {
  const std::string log = "21 a\n22 " + std::string(500, 'x') + "\n  continues\n23 b\n";
  for (const std::size_t block : {1, 5, 16, 100, 1000}) {
    for (const auto& pieces : tests::all_cuttings(log)) {
      const Reading reading = read_pieces(pieces, small_limits(block, 20, 200));
      REQUIRE(records_of(reading) ==
              std::vector<std::string>{"1: 21 a\n", "2: 22 " + std::string(17, 'x') + "\n[483 skipped]", "3:   continues\n", "4: 23 b\n"});
    }
  }
  const Reading reading = read_text(log, small_limits(100, 20, 200));
  REQUIRE(reading.anomaly("line-too-long").source.number == 2);
  REQUIRE(reading.anomaly("line-too-long").source.offset == 5);
  REQUIRE(reading.anomaly("line-too-long").source.input == 7);
  REQUIRE(reading.anomaly("line-too-long").text.find("503 bytes") != std::string::npos);
  REQUIRE(reading.blocks.back().offset + reading.blocks.back().bytes.size() == log.size());
}

TEST_CASE("an over-long last line without line end is cut too", "[block_reader]") {
  const Reading reading = read_text("2 a\n2 " + std::string(100, 'y'), small_limits(16, 10, 50));
  REQUIRE(reading.text() == "2 a\n2 yyyyyyyy");
  REQUIRE(reading.blocks.back().skipped_bytes == 92);
}

TEST_CASE("a line just at the bound is whole, one byte more is cut", "[block_reader]") {
  for (const std::size_t block : {1, 9, 10, 11, 64}) {
    REQUIRE(read_text("2345678901\n2\n", small_limits(block, 10, 50)).count("line-too-long") == 0);
    REQUIRE(read_text("23456789012\n2\n", small_limits(block, 10, 50)).count("line-too-long") == 1);
  }
}

TEST_CASE("a very long line costs one buffer, not two", "[block_reader]") {
  class LongLine : public ByteReader {
   public:
    std::size_t read(std::span<char> to) override {
      const std::size_t count = std::min<std::size_t>(to.size(), 200'000'000 - given_);
      std::fill_n(to.begin(), count, 'z');
      given_ += count;
      return count;
    }
    std::size_t given_ = 0;
  } bytes;
  const Limits limits;
  BlockReader reader(bytes, "", 0, kDated, limits);
  TextBlock block;
  REQUIRE(reader.next(block));
  REQUIRE(block.bytes.size() == limits.line_bytes);
  REQUIRE(block.bytes.capacity() <= limits.line_bytes + 2 * limits.block_bytes);
  REQUIRE(block.skipped_bytes == 200'000'000 - limits.line_bytes);
  REQUIRE_FALSE(reader.next(block));
}

TEST_CASE("the hole that copytruncate leaves is taken out, and offsets behind it are right", "[block_reader]") {
  const std::string hole(10000, '\0');
  const std::string log = "21 before\n" + hole + "22 after\n";
  for (const std::size_t block : {8, 100, 4000}) {
    const Reading reading = read_text(log, small_limits(block));
    REQUIRE(reading.text() == "21 before\n22 after\n");
    REQUIRE(reading.count("nul-bytes") == hole.size());
    REQUIRE(reading.anomaly("nul-bytes").source.number == 2);
    REQUIRE(reading.anomaly("nul-bytes").source.offset == 10);
    REQUIRE(reading.blocks.back().offset == 10010);
    REQUIRE(reading.blocks.back().first_line == 2);
    REQUIRE(reading.decoded == log.size());
  }
}

TEST_CASE("a hole at the very beginning moves the first offset", "[block_reader]") {
  const Reading reading = read_text(std::string(9000, '\0') + "21 text\n", small_limits(64));
  REQUIRE(reading.blocks.size() == 1);
  REQUIRE(reading.blocks[0].offset == 9000);
}

TEST_CASE("NULs inside a line are taken out and counted", "[block_reader]") {
  const Reading reading = read_text("2 a\0b\0\0c\n2 d\n"s, small_limits(64));
  REQUIRE(reading.text() == "2 abc\n2 d\n");
  REQUIRE(reading.count("nul-bytes") == 3);
}

TEST_CASE("an input of NULs only is an anomaly and no block", "[block_reader]") {
  const Reading reading = read_text(std::string(5000, '\0'), small_limits(64));
  REQUIRE(reading.blocks.empty());
  REQUIRE(reading.count("nul-bytes") == 5000);
}

TEST_CASE("a byte order mark goes at line starts, also where files were joined, and stays elsewhere", "[block_reader]") {
  const std::string log = "\xEF\xBB\xBF" "21 a\n22 x\xEF\xBB\xBFy\n" + std::string(5000, ' ') + "\n\xEF\xBB\xBF" "23 b\n\xEF\xBB";
  for (const std::size_t block : {1, 2, 3, 4, 5, 100, 8000}) {
    for (const auto& pieces : {std::vector<std::string_view>{log}, tests::cut(log, {1, 2, 3, 5, 12, 13, 14, 5018, 5019, 5020, 5021, 5022})}) {
      const Reading reading = read_pieces(pieces, small_limits(block, 6000, 20000));
      REQUIRE(reading.text() == "21 a\n22 x\xEF\xBB\xBFy\n" + std::string(5000, ' ') + "\n23 b\n\xEF\xBB");
      REQUIRE(reading.blocks.front().offset == 3);
      REQUIRE(reading.blocks.back().offset + reading.blocks.back().bytes.size() == log.size());
    }
  }
}

TEST_CASE("UTF-16 is read with a mark and by its NULs, in both byte orders", "[block_reader]") {
  const std::string text = "21 h\xC3\xA9llo\r\n22 \xE2\x86\x92 \xF0\x9F\x98\x80 world\r\n";
  std::u16string units = u"21 h\u00e9llo\r\n22 \u2192 \U0001F600 world\r\n";
  for (const bool big : {false, true}) {
    for (const bool mark : {false, true}) {
      std::string raw;
      for (const char16_t unit : (mark ? u"\uFEFF" : u"") + units) {
        const char bytes[2] = {static_cast<char>(unit & 0xFF), static_cast<char>(unit >> 8)};
        raw += big ? std::string{bytes[1], bytes[0]} : std::string{bytes[0], bytes[1]};
      }
      for (const auto& pieces : tests::all_cuttings(raw)) {
        const Reading reading = read_pieces(pieces, small_limits(16));
        REQUIRE(reading.text() == text);
        REQUIRE(reading.encoding == (big ? "utf-16be" : "utf-16le"));
        REQUIRE(reading.decoded == raw.size());
        REQUIRE(reading.anomalies.empty());
      }
    }
  }
}

TEST_CASE("broken UTF-16 is replaced and told", "[block_reader]") {
  const Reading reading = read_text("\xFF\xFE" "2\0\x3D\xD8x\0\x00\xDC\n\0" "2"s, small_limits(64));
  REQUIRE(reading.text() == "2\xEF\xBF\xBDx\xEF\xBF\xBD\n\xEF\xBF\xBD");
  REQUIRE(reading.count("unpaired-surrogate") == 2);
  REQUIRE(reading.count("truncated-utf16") == 1);
}

TEST_CASE("any bytes: the records are the same for every block size and split", "[block_reader]") {
  const std::vector<std::string> parts = {"2 start\n", " more\n", "\r\n", "\r", "\n", "\0"s, std::string(30, '\0'), "\xEF\xBB\xBF", "\xEF", "\xEF\xBB", "\xBF",
                                          "2", "2 longer line with words\n", std::string(60, 'q'), std::string(4200, 'w'), "\x80\xFE", "\n\xEF\xBB\xBF" "2", "\n" + std::string(9, '\0')};
  std::mt19937 random(42);
  for (int round = 0; round < 300; ++round) {
    std::string text;
    for (auto n = 1 + random() % 60; n > 0; --n) text += parts[random() % parts.size()];
    const Reading reference = read_text(text, small_limits(4000, 50, 300));
    for (const std::size_t block : {1, 3, 20, 77, 300}) {
      std::vector<std::size_t> at;
      for (int i = 0; i < 5; ++i) at.push_back(random() % (text.size() + 1));
      std::sort(at.begin(), at.end());
      const Reading reading = read_pieces(tests::cut(text, at), small_limits(block, 50, 300));
      REQUIRE(records_of(reading) == records_of(reference));
      REQUIRE(reading.count("nul-bytes") == reference.count("nul-bytes"));
      REQUIRE(reading.count("line-too-long") == reference.count("line-too-long"));
      REQUIRE(reading.count("record-too-long") == reference.count("record-too-long"));
      REQUIRE(reading.decoded == text.size());
    }
  }
}
