#include <catch2/catch.hpp>

#include "unit/net/packets.h"

using namespace mcpscan;
using namespace mcpscan::tests;

namespace {

std::string file_header(std::uint32_t link = 1, std::uint32_t magic = 0xa1b2c3d4) {
  return little32(magic) + little16(2) + little16(4) + little32(0) + little32(0) + little32(65535) + little32(link);
}

std::string record(std::uint32_t seconds, std::uint32_t fraction, std::string_view bytes, std::uint32_t original = 0) {
  const auto size = static_cast<std::uint32_t>(bytes.size());
  return little32(seconds) + little32(fraction) + little32(size) + little32(original != 0 ? original : size) + std::string(bytes);
}

struct Read {
  std::vector<std::string> packets;
  std::vector<net::Packet> headers;  // their views are dead
  model::Books books;
  model::AnomalyLog anomalies;
  std::string format;
};

Read read_all(const std::string& file, std::size_t step = 1 << 20, const char* filter = nullptr, const Limits& limits = {}) {
  Read result;
  Bytes bytes(file, step);
  auto reader = net::open_capture(bytes, 3, limits);
  REQUIRE(reader.ok());
  if (filter != nullptr) REQUIRE((*reader)->set_filter(filter).ok());
  net::Packet packet;
  while ((*reader)->next(packet)) {
    result.packets.emplace_back(reinterpret_cast<const char*>(packet.bytes.data()), packet.bytes.size());
    result.headers.push_back(packet);
  }
  result.books = (*reader)->books();
  result.anomalies = (*reader)->anomalies();
  result.format = (*reader)->format();
  return result;
}

}  // namespace

TEST_CASE("A pcap gives its packets with number, offset, time and both lengths") {
  const Read read = read_all(file_header(113) + record(1700000000, 5, "abc", 90) + record(1700000001, 999999, "de"));
  REQUIRE(read.packets == std::vector<std::string>{"abc", "de"});
  CHECK(read.format == "pcap");
  CHECK(read.headers[0].number == 1);
  CHECK(read.headers[0].offset == 24);
  CHECK(read.headers[0].original_length == 90);
  CHECK(read.headers[0].link_type == 113);
  CHECK(read.headers[0].at.us == 1700000000000005);
  CHECK(read.headers[1].number == 2);
  CHECK(read.headers[1].offset == 24 + 16 + 3);
  CHECK(read.headers[1].at.us == 1700000001999999);
  CHECK(read.anomalies.empty());
}

TEST_CASE("A pcap reads the same however the stream hands its bytes out") {
  std::string file = file_header();
  for (int i = 0; i < 40; ++i) file += record(1700000000, 0, std::string(static_cast<std::size_t>(i) * 37, 'p'));
  const Read whole = read_all(file);
  CHECK(whole.packets.size() == 40);
  CHECK(read_all(file, 1).packets == whole.packets);
  CHECK(read_all(file, 7).packets == whole.packets);
}

TEST_CASE("Big-endian and nanosecond files tell the same time") {
  const std::string big = big32(0xa1b2c3d4) + big16(2) + big16(4) + big32(0) + big32(0) + big32(65535) + big32(1) + big32(1700000000) + big32(7) +
                          big32(1) + big32(1) + "x";
  CHECK(read_all(big).headers.at(0).at.us == 1700000000000007);
  const std::string big_nano = big32(0xa1b23c4d) + big.substr(4, 24) + big32(7999) + big.substr(32);
  CHECK(read_all(big_nano).headers.at(0).at.us == 1700000000000007);
  CHECK(read_all(file_header(1, 0xa1b23c4d) + record(1700000000, 7999, "x")).headers.at(0).at.us == 1700000000000007);
}

TEST_CASE("A frame check sequence announced in the link type is not part of it") {
  CHECK(read_all(file_header(0x40000001) + record(1, 1, "x")).headers.at(0).link_type == 1);
}

TEST_CASE("A file cut anywhere gives its whole records, and the cut is an anomaly") {
  const std::string file = file_header() + record(1700000000, 0, "abcd") + record(1700000000, 1, "efgh");
  for (std::size_t size = 4; size < file.size(); ++size) {
    const Read read = read_all(file.substr(0, size));
    const std::size_t whole = size < 24 ? 0 : (size - 24) / 20;
    REQUIRE(read.packets.size() == whole);
    const bool clean = size == 24 || size == 44;
    REQUIRE(read.anomalies.entries().count("cut-file") == (clean ? 0 : 1));
    REQUIRE(read.books.total == (clean ? 0 : 1));
  }
}

TEST_CASE("A record that claims 4 GB is an anomaly with its offset, and reading goes on behind it") {
  const std::string good = record(1700000000, 0, std::string(60, 'a'));
  const std::string bad = little32(1700000000) + little32(1) + little32(0xfffffff0) + little32(0xfffffff0) + std::string(50, '\xee');
  const Read read = read_all(file_header() + good + bad + good + good);
  CHECK(read.packets.size() == 3);
  CHECK(read.books.malformed.at("impossible-record") == 1);
  const model::Anomaly& anomaly = read.anomalies.entries().at("impossible-record");
  CHECK(anomaly.source.offset == 24 + 76);
  CHECK(anomaly.source.input == 3);
  CHECK(anomaly.text.find("4294967280") != std::string::npos);
}

TEST_CASE("The record before damage is told as such: a hole in the file may have begun inside it") {
  const std::string good = record(1700000000, 0, std::string(60, 'a')), bad(50, '\xee');
  for (const std::size_t step : {std::size_t{1}, std::size_t{1} << 20}) {
    const Read read = read_all(file_header() + good + good + bad + good + good, step);
    REQUIRE(read.headers.size() == 4);
    CHECK_FALSE(read.headers[0].before_damage);
    CHECK(read.headers[1].before_damage);
    CHECK_FALSE(read.headers[2].before_damage);
    CHECK_FALSE(read.headers[3].before_damage);
  }
}

TEST_CASE("Nothing but zeros, or a record that the end of the file cuts, is damage behind the record before it; a whole file has none") {
  const std::string good = record(1700000000, 0, std::string(60, 'a'));
  const auto last_before_damage = [&](const std::string& rest) { return read_all(file_header() + good + rest).headers.at(0).before_damage; };
  CHECK(last_before_damage(std::string(16, '\0') + good));
  CHECK(last_before_damage(good.substr(0, 40)));
  CHECK_FALSE(last_before_damage(good));
  CHECK_FALSE(last_before_damage({}));
}

TEST_CASE("A record that claims 4 GB with nothing behind it ends the file") {
  const Read read = read_all(file_header() + record(1700000000, 0, "abc") + little32(1) + little32(1) + little32(0xffffffff) + little32(1) +
                             std::string(100, '\xff'));
  CHECK(read.packets.size() == 1);
  CHECK(read.anomalies.entries().count("impossible-record") == 1);
}

TEST_CASE("Limits::packet_bytes: a longer record is impossible") {
  Limits limits;
  limits.packet_bytes = 10;
  const std::string good = record(1700000000, 0, "abc");
  CHECK(read_all(file_header() + record(1700000000, 0, std::string(10, 'x')) + good, 1 << 20, nullptr, limits).packets.size() == 2);
  const Read read = read_all(file_header() + good + record(1700000000, 0, std::string(11, 'x')) + good, 1 << 20, nullptr, limits);
  CHECK(read.packets == std::vector<std::string>{"abc", "abc"});
  CHECK(read.books.malformed.at("impossible-record") == 1);
}

TEST_CASE("Limits::capture_resync_bytes: the search for the next record ends there") {
  Limits limits;
  limits.capture_resync_bytes = 100;
  const std::string good = record(1700000000, 0, "abc"), bad(200, '\xff');
  CHECK(read_all(file_header() + good + bad + good + good, 1 << 20, nullptr, limits).packets.size() == 1);
  limits.capture_resync_bytes = 300;
  CHECK(read_all(file_header() + good + bad + good + good, 1 << 20, nullptr, limits).packets.size() == 3);
}

TEST_CASE("What is no capture is refused, and a pcap dialect that is not read is named with a way out") {
  Bytes text("hello world");
  CHECK(net::open_capture(text, 0, {}).error().code == ErrorCode::malformed);
  Bytes nothing("");
  CHECK(net::open_capture(nothing, 0, {}).error().code == ErrorCode::malformed);
  Bytes modified(file_header(1, 0xa1b2cd34));
  const auto refused = net::open_capture(modified, 0, {});
  CHECK(refused.error().code == ErrorCode::unsupported);
  CHECK(refused.error().hint.find("editcap") != std::string::npos);
}

TEST_CASE("A capture is known by its first four bytes") {
  CHECK(net::looks_like_capture(file_header()));
  CHECK(net::looks_like_capture(big32(0xa1b23c4d)));
  CHECK(net::looks_like_capture(big32(0x0a0d0d0a)));
  CHECK(net::looks_like_capture(little32(0xa1b2cd34)));
  CHECK_FALSE(net::looks_like_capture("GET "));
  CHECK_FALSE(net::looks_like_capture("\xd4\xc3\xb2"));
}

TEST_CASE("A filter lets its packets through, numbered as in the file, and counts the others") {
  const std::string web = ethernet(ipv4_bytes(tcp_bytes({1, 1, kAck, "x", 40000, 8000})));
  const std::string other = ethernet(ipv4_bytes(tcp_bytes({1, 1, kAck, "x", 40000, 22})));
  const Read read = read_all(file_header() + record(1, 0, other) + record(1, 0, web), 1 << 20, "tcp port 8000");
  REQUIRE(read.packets.size() == 1);
  CHECK(read.headers[0].number == 2);
  CHECK(read.books.ignored.at("filtered") == 1);
  CHECK(read.books.total == 1);
}

TEST_CASE("A filter is applied to BSD loopback in either byte order, to raw IP and to cooked captures") {
  const std::string ip = ipv4_bytes(tcp_bytes({1, 1, kAck, "x", 40000, 8000}));
  const std::string cooked = std::string(14, '\0') + big16(0x0800) + ip;
  for (const auto& [link, bytes] : std::vector<std::pair<std::uint32_t, std::string>>{
           {0, little32(2) + ip}, {0, big32(2) + ip}, {108, big32(2) + ip}, {101, ip}, {113, cooked}}) {
    CHECK(read_all(file_header(link) + record(1, 0, bytes), 1 << 20, "tcp port 8000").packets.size() == 1);
    CHECK(read_all(file_header(link) + record(1, 0, bytes), 1 << 20, "tcp port 9000").packets.empty());
  }
}

TEST_CASE("A filter that asks what a link type lacks keeps nothing and says so") {
  const Read read = read_all(file_header(101) + record(1, 0, ipv4_bytes(tcp_bytes({}))), 1 << 20, "ether host 00:00:00:00:00:01");
  CHECK(read.packets.empty());
  CHECK(read.books.ignored.at("filter-not-applicable") == 1);
  CHECK(read.anomalies.entries().count("filter-not-applicable") == 1);
}

TEST_CASE("A filter that does not compile is refused with the reason") {
  Bytes bytes(file_header());
  auto reader = net::open_capture(bytes, 0, {});
  REQUIRE(reader.ok());
  const Status status = (*reader)->set_filter("tcp prt 80");
  REQUIRE_FALSE(status.ok());
  CHECK(status.error().code == ErrorCode::invalid_argument);
  CHECK(status.error().what.find("tcp prt 80") != std::string::npos);
}
