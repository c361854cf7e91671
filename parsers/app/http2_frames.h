// Http2FrameReader: one direction of an HTTP/2 connection cut into frames. DATA is handed on where it lies, piece by piece; other
// frames whole, bounded by Limits::header_bytes. HpackDecoder: field sections to name and value pairs, by nghttp2's inflater.
// Neither knows streams. A frame that breaks the protocol, or a gap outside DATA, ends the direction: the compression state of
// what follows is lost (RFC 9113 4.3). Not thread-safe.
// Source: RFC 9113 sections 4 and 6, RFC 7541.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/http_head.h"
#include "base/limits.h"
#include "model/stream_analyzer.h"

struct nghttp2_hd_inflater;

namespace mcpscan::app {

enum class FrameType : std::uint8_t {
  data = 0,
  headers = 1,
  priority = 2,
  rst_stream = 3,
  settings = 4,
  push_promise = 5,
  ping = 6,
  goaway = 7,
  window_update = 8,
  continuation = 9,
};

struct FrameHead {
  std::uint32_t length = 0;
  std::uint8_t type = 0, flags = 0;
  std::uint32_t stream = 0;

  static constexpr std::size_t kBytes = 9;
  static FrameHead read(std::string_view nine_bytes);
  bool is(FrameType what) const { return type == static_cast<std::uint8_t>(what); }
  bool end_stream() const { return (flags & 0x1) != 0; }
  bool ack() const { return (flags & 0x1) != 0; }
  bool end_headers() const { return (flags & 0x4) != 0; }
  bool padded() const { return (flags & 0x8) != 0; }
  bool has_priority() const { return (flags & 0x20) != 0; }
  // Whether a sender that follows RFC 9113 could have written it: used to recognise a connection caught in the middle.
  bool plausible() const;
};

constexpr std::string_view kHttp2Preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

class Http2FrameReader {
 public:
  class Events {
   public:
    virtual ~Events() = default;
    // False leaves the frame unread for now.
    virtual bool may_begin(const FrameHead& head) = 0;
    virtual void data(std::uint32_t stream, std::string_view bytes, const model::Stamp& stamp) = 0;
    virtual void data_missing(std::uint32_t stream, const model::Stamp& stamp) = 0;
    virtual void data_end(std::uint32_t stream, bool end_stream, const model::Stamp& stamp) = 0;
    // Payload of any other frame. False: the connection cannot be followed any more.
    virtual bool frame(const FrameHead& head, std::string_view payload, const model::Stamp& stamp) = 0;
  };

  Http2FrameReader(const Limits& limits, Events& events) : limits_(limits), events_(events) {}

  // Returns the bytes taken; fewer than given when may_begin() refused.
  std::size_t feed(std::string_view bytes, const model::Stamp& stamp);
  // False: the gap does not lie within DATA, the direction is lost.
  bool gap(std::uint64_t length, const model::Stamp& stamp);
  bool broken() const { return broken_; }

 private:
  std::size_t read_head(std::string_view bytes, const model::Stamp& stamp);
  std::size_t read_payload(std::string_view bytes, const model::Stamp& stamp);
  std::size_t read_data(std::string_view bytes, const model::Stamp& stamp);
  std::size_t skip(std::string_view bytes);
  void take_head(const model::Stamp& stamp);
  void end_data(const model::Stamp& stamp);

  enum class State : std::uint8_t { head, waiting, pad_length, data, padding, payload, skipped };
  const Limits& limits_;
  Events& events_;
  State state_ = State::head;
  FrameHead head_;
  std::string partial_;          // a frame head or payload that its piece did not complete
  std::uint32_t remaining_ = 0;  // of DATA's content or of what is skipped
  std::uint32_t padding_ = 0;
  bool broken_ = false;
};

class HpackDecoder {
 public:
  struct Field {
    std::uint32_t name_at, name_size, value_at, value_size;
  };

  explicit HpackDecoder(const Limits& limits);
  ~HpackDecoder();
  HpackDecoder(const HpackDecoder&) = delete;
  HpackDecoder& operator=(const HpackDecoder&) = delete;

  // One whole field section. False when it cannot be decoded: the state is lost for good.
  bool decode(std::string_view block);
  // The peer allowed this table size and its partner acknowledged it.
  void set_table_size(std::uint32_t size);
  // The fields of the last section as a head; views are valid until the next decode(). False when the pseudo-fields make none.
  bool head(bool request, HttpHead& head) const;
  bool cut() const { return cut_; }  // the section exceeds Limits::header_bytes; its beginning is kept

 private:
  bool keep(std::string_view name, std::string_view value);

  const Limits& limits_;
  nghttp2_hd_inflater* inflater_ = nullptr;
  std::string text_;
  std::vector<Field> fields_;
  bool cut_ = false;
};

}  // namespace mcpscan::app
