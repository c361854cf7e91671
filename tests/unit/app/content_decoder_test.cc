#include <zlib.h>
#include <zstd.h>
#include <catch2/catch.hpp>

#include "app/content_decoder.h"
#include "support/split.h"

using namespace mcpscan;
using namespace mcpscan::tests;
using app::Coding;
using app::ContentDecoder;

namespace {

std::string zlib_packed(std::string_view text, int window_bits) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string packed(std::string_view text, Coding coding) {
  if (coding == Coding::gzip) return zlib_packed(text, 15 + 16);
  if (coding == Coding::deflate) return zlib_packed(text, 15);
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

// Forty lines as brotli wrote them (quality 11), and "two layers".
constexpr std::string_view kBrotliLines{
    "\x1b\x99\x01\xf8\x1d\x09\x36\x4e\xf2\xb9\xef\x15\xcb\xb2\x34\x36\x77\xb0\xef\x2d\x49\x52\x81\xb8\xc1\x06\x9c\x49"
    "\xf8\xa0\x36\x6e\x13\xeb\x99\xc0\x00\x57\xec\xa5\x4b\x1c\x44\xa1\xe7\xa7\xa1\x65\x13\xe7\x23\x8a\x8e\x61\x2d\x6c\x0d",
    57};
constexpr std::string_view kBrotliTwoLayers{"\x8b\x04\x80\x74\x77\x6f\x20\x6c\x61\x79\x65\x72\x73\x03", 14};

std::string forty_lines() {
  std::string text;
  for (int i = 0; i < 40; ++i) text += "line " + std::to_string(i % 7 * 7919) + "\n";
  return text;
}

struct Decoded {
  std::string text;
  ContentDecoder::State state = ContentDecoder::State::good;
};

Decoded decode(const std::vector<std::string_view>& pieces, std::initializer_list<Coding> codings, const Limits& limits = {}) {
  app::CodingList list;
  for (const Coding coding : codings) list.codings[list.count++] = coding;
  ContentDecoder decoder(limits, list);
  Decoded decoded;
  for (const std::string_view piece : pieces) {
    decoded.state = decoder.feed(piece, [&](std::string_view out) { decoded.text += out; });
  }
  return decoded;
}

}  // namespace

TEST_CASE("each content coding gives back its text for every cutting") {
  const std::string text = forty_lines();
  for (const Coding coding : {Coding::gzip, Coding::deflate, Coding::br, Coding::zstd}) {
    const std::string bytes = coding == Coding::br ? std::string(kBrotliLines) : packed(text, coding);
    for (const auto& pieces : all_cuttings(bytes)) REQUIRE(decode(pieces, {coding}).text == text);
  }
}

TEST_CASE("deflate without its zlib wrapper is told by its first bytes") {
  const std::string bytes = zlib_packed("raw deflate", -15);
  CHECK(decode({bytes}, {Coding::deflate}).text == "raw deflate");
}

TEST_CASE("stacked codings are undone in reverse order") {
  const std::string bytes = packed(kBrotliTwoLayers, Coding::gzip);
  CHECK(decode({bytes}, {Coding::br, Coding::gzip}).text == "two layers");
}

TEST_CASE("gzip members one after the other are one text") {
  const std::string bytes = packed("one ", Coding::gzip) + packed("two", Coding::gzip);
  CHECK(decode({bytes}, {Coding::gzip}).text == "one two");
}

TEST_CASE("damaged data keeps what came before the damage") {
  std::string bytes = packed(std::string(100000, 'a') + "end", Coding::gzip);
  bytes[bytes.size() - 20] = static_cast<char>(bytes[bytes.size() - 20] ^ 0x55);
  bytes[2] = 8;
  const Decoded decoded = decode({bytes, "more"}, {Coding::gzip});
  CHECK(decoded.state == ContentDecoder::State::damaged);
  CHECK(decoded.text.substr(0, 10) == "aaaaaaaaaa");
}

TEST_CASE("a decompression bomb is stopped at the ratio") {
  Limits limits;
  limits.expansion_floor_bytes = 100000;
  limits.expansion_ratio = 50;
  const std::string bytes = packed(std::string(20u << 20, '\0'), Coding::gzip);
  const Decoded decoded = decode({bytes}, {Coding::gzip}, limits);
  CHECK(decoded.state == ContentDecoder::State::bomb);
  CHECK(decoded.text.size() < 2u << 20);
}

TEST_CASE("an unknown coding yields nothing and says so") {
  CHECK(decode({"abc"}, {Coding::unknown}).state == ContentDecoder::State::unknown_coding);
}
