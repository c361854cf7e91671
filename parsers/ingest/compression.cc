#include "ingest/compression.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <limits>

namespace mcpscan::ingest {
namespace {

using namespace std::string_view_literals;

constexpr int kGzipOnly = 15 + 16;  // zlib: the largest window, a gzip header and trailer

uInt clamp(std::size_t bytes) { return static_cast<uInt>(std::min<std::size_t>(bytes, std::numeric_limits<uInt>::max())); }

class GzipDecoder : public Decoder {
 public:
  GzipDecoder() { ready_ = inflateInit2(&stream_, kGzipOnly) == Z_OK; }
  ~GzipDecoder() override { inflateEnd(&stream_); }
  GzipDecoder(const GzipDecoder&) = delete;
  GzipDecoder& operator=(const GzipDecoder&) = delete;

  Step decode(std::string_view in, std::span<char> out) override {
    if (!ready_) return {0, 0, State::corrupt};
    if (at_member_end_) inflateReset(&stream_);
    at_member_end_ = false;
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    stream_.avail_in = clamp(in.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = clamp(out.size());
    const uInt in_before = stream_.avail_in, out_before = stream_.avail_out;
    const int code = inflate(&stream_, Z_NO_FLUSH);
    Step step{in_before - stream_.avail_in, out_before - stream_.avail_out, State::more};
    at_member_end_ = code == Z_STREAM_END;
    if (at_member_end_) step.state = State::member_end;
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) step.state = State::corrupt;
    return step;
  }

 private:
  z_stream stream_{};
  bool ready_ = false;
  bool at_member_end_ = false;
};

class ZstdDecoder : public Decoder {
 public:
  ZstdDecoder() : stream_(ZSTD_createDStream()) {}
  ~ZstdDecoder() override { ZSTD_freeDStream(stream_); }
  ZstdDecoder(const ZstdDecoder&) = delete;
  ZstdDecoder& operator=(const ZstdDecoder&) = delete;

  Step decode(std::string_view in, std::span<char> out) override {
    if (stream_ == nullptr) return {0, 0, State::corrupt};
    ZSTD_inBuffer from{in.data(), in.size(), 0};
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    const std::size_t code = ZSTD_decompressStream(stream_, &to, &from);
    Step step{from.pos, to.pos, State::more};
    if (ZSTD_isError(code)) step.state = State::corrupt;
    if (code == 0) step.state = State::member_end;
    return step;
  }

 private:
  ZSTD_DStream* stream_;
};

bool is_zstd(std::string_view head) {
  if (head.starts_with("\x28\xB5\x2F\xFD"sv)) return true;
  return head.size() >= 4 && (head[0] & 0xF0) == 0x50 && head.substr(1, 3) == "\x2A\x4D\x18"sv;  // a skippable frame
}

bool is_bzip2(std::string_view head) {
  if (head.size() < 10 || !head.starts_with("BZh") || head[3] < '1' || head[3] > '9') return false;
  return head.substr(4, 6) == "1AY&SY"sv || head.substr(4, 6) == "\x17\x72\x45\x38\x50\x90"sv;
}

}  // namespace

std::string_view to_string(Compression compression) {
  switch (compression) {
    case Compression::gzip: return "gzip";
    case Compression::zstd: return "zstd";
    case Compression::xz: return "xz";
    case Compression::bzip2: return "bzip2";
    case Compression::lz4: return "lz4";
    case Compression::lzip: return "lzip";
    case Compression::compress: return "compress";
    case Compression::none: break;
  }
  return "none";
}

Compression detect_compression(std::string_view head) {
  if (head.starts_with("\x1F\x8B\x08"sv)) return Compression::gzip;
  if (is_zstd(head)) return Compression::zstd;
  if (head.starts_with("\xFD" "7zXZ\0"sv)) return Compression::xz;
  if (is_bzip2(head)) return Compression::bzip2;
  if (head.starts_with("\x04\x22\x4D\x18"sv)) return Compression::lz4;
  if (head.starts_with("LZIP\x01"sv)) return Compression::lzip;
  if (head.starts_with("\x1F\x9D"sv)) return Compression::compress;
  return Compression::none;
}

std::unique_ptr<Decoder> make_decoder(Compression compression) {
  if (compression == Compression::gzip) return std::make_unique<GzipDecoder>();
  if (compression == Compression::zstd) return std::make_unique<ZstdDecoder>();
  return nullptr;
}

}  // namespace mcpscan::ingest
