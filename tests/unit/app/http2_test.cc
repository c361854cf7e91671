#include <catch2/catch.hpp>

#include <nghttp2/nghttp2.h>
#include <algorithm>

#include "http_support.h"

using namespace mcpscan;
using namespace mcpscan::tests;

namespace {

constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
constexpr std::uint8_t kEndStream = 1, kEndHeaders = 4, kPadded = 8;

std::string frame(std::uint8_t type, std::uint8_t flags, std::uint32_t stream, std::string_view payload) {
  std::string bytes;
  for (int shift = 16; shift >= 0; shift -= 8) bytes.push_back(static_cast<char>(payload.size() >> shift & 0xff));
  bytes.push_back(static_cast<char>(type));
  bytes.push_back(static_cast<char>(flags));
  for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<char>(stream >> shift & 0xff));
  return bytes + std::string(payload);
}

// One direction's sender, with a dynamic table as real peers have.
class Sender {
 public:
  Sender() { nghttp2_hd_deflate_new(&deflater_, 4096); }
  ~Sender() { nghttp2_hd_deflate_del(deflater_); }
  Sender(const Sender&) = delete;
  Sender& operator=(const Sender&) = delete;

  std::string block(const std::vector<std::pair<std::string, std::string>>& fields) {
    std::vector<nghttp2_nv> list;
    for (const auto& [name, value] : fields) {
      list.push_back({reinterpret_cast<std::uint8_t*>(const_cast<char*>(name.data())),
                      reinterpret_cast<std::uint8_t*>(const_cast<char*>(value.data())), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE});
    }
    std::string out(nghttp2_hd_deflate_bound(deflater_, list.data(), list.size()), '\0');
    const auto size = nghttp2_hd_deflate_hd(deflater_, reinterpret_cast<std::uint8_t*>(out.data()), out.size(), list.data(), list.size());
    out.resize(static_cast<std::size_t>(size));
    return out;
  }
  std::string post_block() {
    return block({{":method", "POST"},
                  {":path", "/mcp"},
                  {":scheme", "http"},
                  {":authority", "h"},
                  {"content-type", "application/json"},
                  {"mcp-session-id", "s1"}});
  }
  std::string post_head(std::uint32_t stream) { return frame(1, kEndHeaders, stream, post_block()); }
  std::string reply_head(std::uint32_t stream, const std::string& type) {
    return frame(1, kEndHeaders, stream, block({{":status", "200"}, {"content-type", type}, {"mcp-session-id", "s1"}}));
  }
  void set_table(std::size_t size) { nghttp2_hd_deflate_change_table_size(deflater_, size); }

 private:
  nghttp2_hd_deflater* deflater_ = nullptr;
};

std::string data(std::uint32_t stream, std::string_view body, bool last = true) { return frame(0, last ? kEndStream : 0, stream, body); }
std::string settings() { return frame(4, 0, 0, ""); }

// In the order written: a compressed head depends on those before it.
std::string join(std::initializer_list<std::string> parts) {
  std::string all;
  for (const std::string& part : parts) all += part;
  return all;
}

struct Peers {
  Sender client, server;
};

}  // namespace

TEST_CASE("interleaved HTTP/2 streams keep their messages apart") {
  Peers peers;
  Wire wire;
  wire.client(
      join({std::string(kPreface), settings(), peers.client.post_head(1), data(1, call(1)), peers.client.post_head(3), data(3, call(2))}));
  const std::string one = event(result(1)), two = event(result(2));
  wire.server(join({settings(), peers.server.reply_head(1, "text/event-stream"), peers.server.reply_head(3, "text/event-stream")}));
  wire.server(
      join({data(3, two.substr(0, 30), false), data(1, one.substr(0, 20), false), data(3, two.substr(30)), data(1, one.substr(20))}));
  CHECK(wire.end() == Lines{"#1 POST /mcp [post s1]", "#1 > request 1 tools/call [post s1]", "#2 POST /mcp [post s1]",
                            "#2 > request 2 tools/call [post s1]", "#1 200 sse [post s1]", "#2 200 sse [post s1]",
                            "#2 < result 2 [post s1]", "#2 end complete 83/71", "#1 < result 1 [post s1]", "#1 end complete 83/71"});
}

TEST_CASE("HTTP/2 padding, priority, CONTINUATION and trailers are taken off") {
  Peers peers;
  Wire wire;
  const std::string block = peers.client.post_block();
  const std::string priority("\0\0\0\0\x10", 5);
  wire.client(
      join({std::string(kPreface), settings(), frame(1, kPadded | 0x20, 1, "\x03" + priority + block.substr(0, 4) + std::string(3, '\0')),
            frame(9, 0, 1, block.substr(4, 3)), frame(9, kEndHeaders, 1, block.substr(7)),
            frame(0, kPadded | kEndStream, 1, "\x05" + call(1) + std::string(5, '\0'))}));
  wire.server(join({settings(), peers.server.reply_head(1, "application/json"), data(1, result(1), false),
                    frame(1, kEndHeaders | kEndStream, 1, peers.server.block({{"grpc-status", "0"}}))}));
  CHECK(wire.end() == Lines{"#1 POST /mcp [post s1]", "#1 > request 1 tools/call [post s1]", "#1 200 [post s1]", "#1 < result 1 [post s1]",
                            "#1 end complete 83/48"});
}

TEST_CASE("RST_STREAM and GOAWAY end streams and say who did it") {
  Peers peers;
  Wire wire;
  wire.client(join({std::string(kPreface), settings(), peers.client.post_head(1), data(1, call(1)), peers.client.post_head(3),
                    data(3, call(2)), peers.client.post_head(5), data(5, call(3))}));
  wire.server(settings())
      .client(frame(3, 0, 1, std::string_view("\0\0\0\x08", 4)))
      .server(frame(3, 0, 3, std::string_view("\0\0\0\x02", 4)));
  wire.server(frame(7, 0, 0, std::string_view("\0\0\0\x03\0\0\0\0", 8)));
  const Lines lines = wire.end();
  REQUIRE(lines.size() == 9);
  CHECK(lines[6] == "#1 end reset_by_client 83/-1");
  CHECK(lines[7] == "#2 end reset_by_server 83/-1");
  CHECK(lines[8] == "#3 end closed_by_server 83/-1");
}

TEST_CASE("a header table size takes effect when it is acknowledged") {
  Peers peers;
  Wire wire;
  wire.client(
      join({std::string(kPreface), frame(4, 0, 0, std::string_view("\0\x01\0\0\0\0", 6)), peers.client.post_head(1), data(1, call(1))}));
  // Written before the server knew: with the old table.
  wire.server(join({settings(), peers.server.reply_head(1, "application/json"), data(1, result(1))}));
  wire.client(join({peers.client.post_head(3), data(3, call(2))}));
  peers.server.set_table(0);
  wire.server(join({frame(4, 1, 0, ""), peers.server.reply_head(3, "application/json"), data(3, result(2))}));
  CHECK(wire.end().back() == "#2 end complete 83/48");
  CHECK(wire.anomalies.empty());
}

TEST_CASE("a gap inside DATA cuts one body, a gap elsewhere gives the connection up and says so") {
  Peers peers;
  Wire wire;
  wire.client(
      join({std::string(kPreface), settings(), peers.client.post_head(1), data(1, call(1)), peers.client.post_head(3), data(3, call(2))}));
  const std::string body = data(1, result(1));
  wire.server(join({settings(), peers.server.reply_head(1, "application/json"), body.substr(0, body.size() - 10)})).gap(Side::server, 10);
  CHECK(wire.recorder.lines.back() == "#1 end evidence_gap 83/-1");
  CHECK(wire.analyzer->interested());
  wire.gap(Side::server, 30);
  CHECK_FALSE(wire.analyzer->interested());
  CHECK(wire.recorder.lines.back() == "#2 end evidence_gap 83/-1");
  CHECK(wire.noticed("http2-state-lost"));
}

TEST_CASE("an HTTP/2 connection joined late is given up with an anomaly") {
  Peers peers;
  Wire wire(false);
  wire.server(join({frame(6, 0, 0, "12345678"), peers.server.reply_head(9, "application/json")}));
  CHECK_FALSE(wire.analyzer->interested());
  CHECK(wire.noticed("http2-joined-late"));
}

TEST_CASE("responses that come before the preface wait for their requests") {
  Peers peers;
  Wire wire;
  wire.server(join({settings(), peers.server.reply_head(1, "application/json"), data(1, result(1))}));
  wire.client(join({std::string(kPreface), settings(), peers.client.post_head(1), data(1, call(1))}));
  CHECK(wire.end()[1] == "#1 > request 1 tools/call [post s1]");
  CHECK(wire.recorder.lines[3] == "#1 < result 1 [post s1]");
}

TEST_CASE("an upgrade from HTTP/1 goes on as stream 1") {
  Peers peers;
  Wire wire;
  wire.client(post(call(1), "Mcp-Session-Id: s1\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n"));
  wire.server(join({"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n", settings(),
                    peers.server.reply_head(1, "application/json"), data(1, result(1))}));
  wire.client(join({std::string(kPreface), settings(), peers.client.post_head(3), data(3, call(2))}));
  wire.server(join({peers.server.reply_head(3, "application/json"), data(3, result(2))}));
  const Lines lines = wire.end();
  CHECK(lines[3] == "#1 < result 1 [post s1]");
  CHECK(lines.back() == "#2 end complete 83/48");
}

TEST_CASE("HTTP/2 streams open at a time are bounded") {
  Limits limits;
  limits.http2_streams = 2;
  Peers peers;
  Wire wire(true, limits);
  wire.client(join({std::string(kPreface), settings()}));
  for (std::uint32_t i = 0; i < 4; ++i) wire.client(join({peers.client.post_head(2 * i + 1), data(2 * i + 1, call(static_cast<int>(i)))}));
  CHECK(wire.recorder.lines.size() == 4);
  CHECK(wire.noticed("http2-streams-bound"));
}

TEST_CASE("HTTP/2 does not depend on how the bytes are cut") {
  Peers peers;
  const std::string client = join({std::string(kPreface), settings(), peers.client.post_head(1), data(1, call(1)),
                                   peers.client.post_head(3), frame(0, kPadded | kEndStream, 3, "\x02" + call(2) + std::string(2, '\0'))});
  const std::string server = join({settings(), peers.server.reply_head(3, "text/event-stream"), data(3, event(result(2)), false),
                                   peers.server.reply_head(1, "application/json"), data(1, result(1)), data(3, event(result(2)))});
  const auto run = [](const std::vector<std::string_view>& from_client, const std::vector<std::string_view>& from_server) {
    Wire wire;
    for (const std::string_view piece : from_client) wire.client(piece);
    for (const std::string_view piece : from_server) wire.server(piece);
    wire.end();
    return wire.recorder.text();
  };
  const std::string expected = run({client}, {server});
  CHECK(std::count(expected.begin(), expected.end(), '\n') == 11);
  for (const auto& pieces : all_cuttings(client, 5)) REQUIRE(run(pieces, {server}) == expected);
  for (const auto& pieces : all_cuttings(server, 6)) REQUIRE(run({client}, pieces) == expected);
}

TEST_CASE("hpack_table_bytes bounds the table; a peer that uses a larger one is given up with an anomaly") {
  Limits limits;
  limits.hpack_table_bytes = 100;
  Peers peers;
  Wire wire(true, limits);
  wire.client(
      join({std::string(kPreface), frame(4, 0, 0, std::string_view("\0\x01\0\x01\0\0", 6)), peers.client.post_head(1), data(1, call(1))}));
  peers.server.set_table(65536);
  wire.server(join({frame(4, 1, 0, ""), peers.server.reply_head(1, "application/json")}));
  CHECK_FALSE(wire.analyzer->interested());
  CHECK(wire.noticed("http2-protocol-error"));
}
