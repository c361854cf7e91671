// open_input: plain and compressed bytes, damaged streams, members of archives, bombs, what cannot be opened.
#include <catch2/catch.hpp>

#include <unistd.h>

#include "ingest/input_set.h"
#include "unit/ingest/scratch_folder.h"

using namespace mcpscan;
using namespace mcpscan::ingest;
using namespace mcpscan::tests;
using namespace std::string_literals;

namespace {

std::string lines(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += "2026-11-28 10:00:00 line " + std::to_string(i) + " " + std::to_string(i * 7919 % 10007) + "\n";
  return text;
}

struct Opened {
  std::string bytes;
  model::AnomalyLog anomalies;
  std::uint64_t on_disk = 0;
  bool compressed = false;

  bool has(const std::string& kind) const { return anomalies.entries().contains(kind); }
  std::string text(const std::string& kind) const { return has(kind) ? anomalies.entries().at(kind).text : ""; }
};

Opened read_all(const InputFile& file, const Limits& limits = {}, std::size_t step = 5000) {
  auto source = open_input(file, 3, limits);
  REQUIRE(source.ok());
  Opened opened;
  std::string buffer(step, '\0');
  while (const std::size_t got = (*source)->read(buffer)) opened.bytes.append(buffer, 0, got);
  REQUIRE((*source)->read(buffer) == 0);
  opened.anomalies = (*source)->anomalies();
  opened.on_disk = (*source)->bytes_on_disk();
  opened.compressed = (*source)->compressed();
  return opened;
}

Opened read_bytes(std::string_view bytes, const Limits& limits = {}, std::size_t step = 5000) {
  const ScratchFolder folder;
  InputFile file;
  file.display = file.path = folder.write("input", bytes);
  return read_all(file, limits, step);
}

std::string from_hex(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  return bytes;
}

// "2026-11-28 hello\n" as xz and bzip2 write it.
const std::string kXz = from_hex("fd377a585a000004e6d6b446020021010c0000008f98419c010010323032362d31312d32382068656c6c6f0a00000000436aabcb350ac6f400012911320a700e1fb6f37d010000000004595a");
const std::string kBzip2 = from_hex("425a6839314159265359bbbd5066000003d9000010400271400244a000310340d020034d1c0606cb0f2874f278bb9229c28485ddea8330");

}  // namespace

TEST_CASE("plain bytes come as they are", "[open_input]") {
  const std::string text = lines(20000);
  for (const std::size_t step : {1000u, 300000u}) {
    const Opened opened = read_bytes(text, {}, step);
    REQUIRE(opened.bytes == text);
    REQUIRE(opened.on_disk == text.size());
    REQUIRE_FALSE(opened.compressed);
    REQUIRE(opened.anomalies.empty());
  }
  REQUIRE(read_bytes("").bytes.empty());
  REQUIRE(read_bytes("x").bytes == "x");
}

TEST_CASE("each compression is told by its bytes and read", "[open_input]") {
  const std::string text = lines(5000);
  for (const std::string& packed : {gzip(text), zstd(text)}) {
    const Opened opened = read_bytes(packed);
    REQUIRE(opened.bytes == text);
    REQUIRE(opened.compressed);
    REQUIRE(opened.on_disk == packed.size());
    REQUIRE(opened.anomalies.empty());
  }
  REQUIRE(read_bytes(kXz).bytes == "2026-11-28 hello\n");
  REQUIRE(read_bytes(kBzip2).bytes == "2026-11-28 hello\n");
}

TEST_CASE("members and frames one after the other are read as one", "[open_input]") {
  REQUIRE(read_bytes(gzip("a\n") + gzip("b\n") + gzip("") + gzip("c\n")).bytes == "a\nb\nc\n");
  REQUIRE(read_bytes(zstd("a\n") + "\x50\x2A\x4D\x18\3\0\0\0xyz"s + zstd("b\n")).bytes == "a\nb\n");
  REQUIRE(read_bytes(kXz + kXz).bytes == "2026-11-28 hello\n2026-11-28 hello\n");
  REQUIRE(read_bytes(gzip("a\n") + std::string(700, '\0')).anomalies.empty());
}

TEST_CASE("bytes behind the end of a stream are counted, not lost in silence", "[open_input]") {
  const Opened opened = read_bytes(gzip("a\n") + "plain text\n");
  REQUIRE(opened.bytes == "a\n");
  REQUIRE(opened.anomalies.entries().at("trailing-bytes").count == 11);
}

TEST_CASE("a cut stream gives all that could be decoded, and says where it is cut", "[open_input]") {
  const std::string text = lines(5000);
  const std::string packed = gzip(text);
  for (const std::size_t size : {packed.size() / 2, packed.size() - 1, packed.size() - 8, std::size_t{20}}) {
    const Opened opened = read_bytes(std::string_view(packed).substr(0, size));
    REQUIRE(text.starts_with(opened.bytes));
    REQUIRE(opened.bytes.size() >= text.size() * (size > 20 ? size - 20 : 0) / packed.size() * 9 / 10);
    REQUIRE(opened.text("truncated-gzip").find("byte " + std::to_string(size)) != std::string::npos);
    REQUIRE(opened.text("truncated-gzip").find(std::to_string(opened.bytes.size()) + " decoded") != std::string::npos);
    REQUIRE(opened.anomalies.entries().at("truncated-gzip").source.input == 3);
    REQUIRE(opened.anomalies.entries().at("truncated-gzip").source.offset == opened.bytes.size());
  }
  const std::string big = lines(50000), frame = zstd(big);
  const Opened opened = read_bytes(std::string_view(frame).substr(0, frame.size() / 2));
  REQUIRE(opened.bytes.size() > big.size() / 5);
  REQUIRE(big.starts_with(opened.bytes));
  REQUIRE(opened.has("truncated-zstd"));
}

TEST_CASE("damage is found, also by the sum alone", "[open_input]") {
  const std::string text = lines(5000);
  std::string packed = gzip(text);
  packed[packed.size() - 6] = static_cast<char>(packed[packed.size() - 6] ^ 0x55);
  const Opened opened = read_bytes(packed);
  REQUIRE(opened.bytes == text);
  REQUIRE(opened.has("corrupt-gzip"));
  std::string frame = zstd(lines(50000));
  for (std::size_t i = frame.size() / 2; i < frame.size() / 2 + 64; ++i) frame[i] = static_cast<char>(frame[i] ^ 0xFF);
  REQUIRE(read_bytes(frame).has("corrupt-zstd"));
}

TEST_CASE("cut xz and bzip2 are anomalies, not errors", "[open_input]") {
  REQUIRE(read_bytes(std::string_view(kXz).substr(0, kXz.size() - 20)).has("truncated-xz"));
  REQUIRE(read_bytes(std::string_view(kBzip2).substr(0, kBzip2.size() - 10)).has("truncated-bzip2"));
}

TEST_CASE("an expansion without measure is stopped: expansion_ratio, expansion_floor_bytes", "[open_input]") {
  Limits limits;
  limits.expansion_floor_bytes = 1u << 20;
  limits.expansion_ratio = 20;
  const Opened opened = read_bytes(gzip(std::string(30u << 20, 'a')), limits);
  REQUIRE(opened.has("decompression-bomb"));
  REQUIRE(opened.bytes.size() > limits.expansion_floor_bytes);
  REQUIRE(opened.bytes.size() < 5u << 20);
  REQUIRE(read_bytes(gzip(std::string(900u << 10, 'a')), limits).anomalies.empty());
}

TEST_CASE("what cannot be opened says what, where and what to do", "[open_input]") {
  const ScratchFolder folder;
  InputFile file;
  file.display = file.path = folder.path("none.log");
  const auto missing = open_input(file, 0, {});
  REQUIRE(missing.error().code == ErrorCode::not_found);
  REQUIRE(missing.error().where == file.path);
  REQUIRE_FALSE(missing.error().hint.empty());
  file.path = folder.path();
  REQUIRE(open_input(file, 0, {}).error().what.find("folder") != std::string::npos);
}

TEST_CASE("a pipe is read like a file, compressed or not, and an archive in it member by member", "[open_input]") {
  for (const std::string& bytes : {"a\nb\n"s, gzip("a\nb\n"), tar({{"x", "a\n"}, {"y", "b\n"}}), gzip(tar({{"x", "a\n"}, {"y", "b\n"}})), zip({{"x", "a\n"}, {"y", "b\n"}})}) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    REQUIRE(write(ends[1], bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
    close(ends[1]);
    InputFile file;
    file.display = file.path = "/dev/fd/" + std::to_string(ends[0]);
    REQUIRE(read_all(file).bytes == "a\nb\n");
    close(ends[0]);
  }
}

TEST_CASE("members are read in any order, several at a time, through their own compression", "[open_input]") {
  const ScratchFolder folder;
  const Members members = {{"c.log", lines(3000)}, {"a.log.gz", gzip("packed\n")}, {"b.log", "b\n"}};
  for (const std::string& bytes : {tar(members), gzip(tar(members)), zstd(tar(members)), zip(members)}) {
    InputSet set = expand_inputs({folder.write("set", bytes)}, {});
    REQUIRE(set.files.size() == 3);
    for (const int round : {0, 1}) {
      std::vector<std::string> read;
      for (const InputFile& file : set.files) read.push_back(read_all(file).bytes);
      REQUIRE(read == (round == 0 ? std::vector<std::string>{lines(3000), "packed\n", "b\n"} : std::vector<std::string>{"b\n", "packed\n", lines(3000)}));
      std::reverse(set.files.begin(), set.files.end());
    }
    auto first = open_input(set.files[0], 0, {}), second = open_input(set.files[2], 0, {});
    REQUIRE((first.ok() && second.ok()));
    std::string buffer(10, '\0');
    REQUIRE((*first)->read(buffer) == 10);
    REQUIRE((*second)->read(buffer) == 2);
  }
}

TEST_CASE("a member named without its number is found; one that is not there is an error", "[open_input]") {
  const ScratchFolder folder;
  InputFile file;
  file.path = folder.write("a.tar", tar({{"x", "1\n"}, {"y", "2\n"}}));
  file.member = "y";
  REQUIRE(read_all(file).bytes == "2\n");
  file.member = "z";
  REQUIRE(open_input(file, 0, {}).error().code == ErrorCode::not_found);
}

TEST_CASE("a cut archive gives the members before the cut and an anomaly in the cut one", "[open_input]") {
  const ScratchFolder folder;
  const std::string whole = tar({{"x.log", "whole\n"}, {"y.log", lines(2000)}});
  const InputSet set = expand_inputs({folder.write("a.tar", std::string_view(whole).substr(0, 20000))}, {});
  REQUIRE(set.files.size() == 2);
  REQUIRE(read_all(set.files[0]).anomalies.empty());
  const Opened cut = read_all(set.files[1]);
  REQUIRE(lines(2000).starts_with(cut.bytes));
  REQUIRE(cut.bytes.size() > 15000);
  REQUIRE(cut.has("truncated-archive"));
  const std::string packed = gzip(whole);
  const InputSet gz = expand_inputs({folder.write("b.tgz", std::string_view(packed).substr(0, packed.size() / 2))}, {});
  REQUIRE(gz.files.size() == 2);
  REQUIRE(read_all(gz.files[1]).has("truncated-gzip"));
}

TEST_CASE("sha256 is the standard's", "[sha256]") {
  const ScratchFolder folder;
  REQUIRE(sha256_of_file(folder.write("abc", "abc")).value() == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  REQUIRE(sha256_of_file(folder.write("none", "")).value() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  REQUIRE(sha256_of_file("").value().empty());
  REQUIRE_FALSE(sha256_of_file(folder.path("missing")).ok());
}

TEST_CASE("text in UTF-16 comes as UTF-8, also out of a compression; a capture's bytes stay what they are", "[open_input]") {
  const std::string text = lines(400);
  REQUIRE(read_bytes(utf16(text)).bytes == text);
  REQUIRE(read_bytes(gzip(utf16(text))).bytes == text);
  const Opened broken = read_bytes(utf16("2026 x") + "\x3D\xD8x\0\n"s);
  REQUIRE(broken.bytes == "2026 x\xEF\xBF\xBDx\xEF\xBF\xBD");
  REQUIRE(broken.has("unpaired-surrogate"));
  REQUIRE(broken.has("truncated-utf16"));
  std::string capture = "\xD4\xC3\xB2\xA1\2\0\4\0"s;
  for (int i = 0; i < 3000; ++i) capture += "a\0"s;
  REQUIRE(read_bytes(capture).bytes == capture);
}
