// Captures whose parts stand one behind the other.
#include <catch2/catch.hpp>

#include <utility>

#include "net/merged_capture.h"
#include "unit/net/packets.h"

using namespace mcpscan;
using namespace mcpscan::tests;

namespace {

std::string block(std::uint32_t type, const std::string& body) {
  const std::string length = little32(static_cast<std::uint32_t>(body.size() + 12));
  return little32(type) + length + body + length;
}
const std::string kSection = block(0x0a0d0d0a, little32(0x1a2b3c4d) + little16(1) + little16(0) + std::string(8, '\xff'));
const std::string kInterface = block(1, little16(101) + little16(0) + little32(0));

std::string packet(std::uint32_t interface, std::uint32_t at_us, const std::string& text) {
  return block(6, little32(interface) + little32(0) + little32(at_us) + little32(4) + little32(4) + text);
}

constexpr std::uint32_t kSeconds = 1000000;

// Two interfaces' packets, the second's wholly behind the first's.
const std::string kTwo = kSection + kInterface + kInterface + packet(0, 10 * kSeconds, "a1--") + packet(0, 20 * kSeconds, "a2--") + packet(0, 30 * kSeconds, "a3--") +
                         packet(1, 11 * kSeconds, "b1--") + packet(1, 20 * kSeconds, "b2--");

std::vector<std::uint64_t> runs_of(const std::string& file) {
  Bytes bytes(file);
  const Limits limits;
  return net::first_of_runs(**net::open_capture(bytes, 0, limits), net::interfaces_of(file));
}

net::MergedCapture merged(const std::string& file, const Limits& limits) {
  std::vector<net::MergedCapture::Part> parts;
  for (const std::uint64_t first : runs_of(file)) {
    net::MergedCapture::Part& part = parts.emplace_back();
    part.first = first;
    part.bytes = std::make_unique<Bytes>(file);
    part.capture = net::open_capture(*part.bytes, 0, limits).take();
  }
  return net::MergedCapture(std::move(parts));
}

std::string text_of(net::CaptureReader& capture) {
  std::string text;
  net::Packet packet;
  while (capture.next(packet)) text += std::string(packet.bytes.begin(), packet.bytes.begin() + 2) + ":" + std::to_string(packet.number) + " ";
  return text;
}

}  // namespace

TEST_CASE("Packets of two interfaces that stand one behind the other come in the order of their times, with the numbers of the file") {
  const Limits limits;
  CHECK(runs_of(kTwo) == std::vector<std::uint64_t>{1, 4});
  net::MergedCapture capture = merged(kTwo, limits);
  CHECK(text_of(capture) == "a1:1 b1:4 a2:2 b2:5 a3:3 ");
  CHECK(capture.format() == "pcapng");
  CHECK(capture.books().malformed.empty());
}

TEST_CASE("A clock that was set back in the middle, and packets that came a little late, make no parts") {
  const std::string head = kSection + kInterface + kInterface;
  CHECK(runs_of(head + packet(0, 10 * kSeconds, "a1--") + packet(1, 30 * kSeconds, "b1--") + packet(0, 25 * kSeconds, "a2--")).size() == 1);
  CHECK(runs_of(head + packet(0, 10 * kSeconds, "a1--") + packet(1, 10 * kSeconds - 400, "b1--")).size() == 1);
  CHECK(runs_of(head).size() == 1);
}

TEST_CASE("A clock that was set back far and early makes no parts either: the interfaces before it go on behind it") {
  const std::string both = kSection + kInterface + kInterface + packet(0, 900 * kSeconds, "a1--") + packet(1, 902 * kSeconds, "b1--");
  CHECK(runs_of(both + packet(0, 300 * kSeconds, "a2--") + packet(1, 301 * kSeconds, "b2--")).size() == 1);
  const std::string one = kSection + kInterface + kInterface + packet(0, 900 * kSeconds, "a1--") + packet(0, 902 * kSeconds, "a2--");
  CHECK(runs_of(one + packet(1, 300 * kSeconds, "b1--") + packet(0, 301 * kSeconds, "a3--")).size() == 1);
}

TEST_CASE("A capture of more parts than anyone merges is left as it stands") {
  const auto file_of = [](std::uint32_t parts) {
    std::string file = kSection;
    for (std::uint32_t i = 0; i < parts; ++i) file += kInterface;
    for (std::uint32_t i = 0; i < parts; ++i) file += packet(i, 10 * kSeconds, "p---") + packet(i, 20 * kSeconds, "q---");
    return file;
  };
  CHECK(runs_of(file_of(net::kMostRuns)).size() == net::kMostRuns);
  CHECK(runs_of(file_of(net::kMostRuns + 1)).size() == 1);
}

TEST_CASE("Only a pcapng with several interfaces is worth the look") {
  CHECK(net::interfaces_of(kTwo) == 2);
  CHECK(net::interfaces_of(kSection + kInterface + packet(0, 1, "a---")) == 1);
  CHECK(net::interfaces_of(little32(0xa1b2c3d4) + std::string(200, '\0')) == 0);
  for (std::size_t i = 0; i < kTwo.size(); ++i) CHECK(net::interfaces_of(std::string_view(kTwo).substr(0, i)) <= 2);
}
