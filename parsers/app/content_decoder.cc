#include "app/content_decoder.h"

#include <brotli/decode.h>
#include <zlib.h>
#include <zstd.h>

#include <array>

namespace mcpscan::app {
namespace {

constexpr std::size_t kOutputBytes = 32 * 1024;
// RFC 9659: a zstd window beyond 8 MiB must not be asked of a receiver.
constexpr int kZstdWindowLog = 23;

using OutputBuffer = std::array<char, kOutputBytes>;

class ZlibStage final : public DecodeStage {
 public:
  explicit ZlibStage(Coding coding) : detect_(coding == Coding::deflate) {
    if (!detect_) begin(15 + 16);
  }
  ~ZlibStage() override {
    if (ready_) inflateEnd(&stream_);
  }
  ZlibStage(const ZlibStage&) = delete;
  ZlibStage& operator=(const ZlibStage&) = delete;

  bool decode(std::string_view in, Output out) override {
    if (!detect_) return inflate_all(in, out);
    // "deflate" means zlib, and some servers send raw: two bytes tell them apart.
    for (; held_ < 2 && !in.empty(); in.remove_prefix(1)) head_[held_++] = in.front();
    if (held_ < 2) return true;
    detect_ = false;
    const unsigned first = static_cast<unsigned char>(head_[0]), second = static_cast<unsigned char>(head_[1]);
    begin((first & 0x0f) == 8 && (first * 256 + second) % 31 == 0 ? 15 : -15);
    return inflate_all({head_.data(), 2}, out) && inflate_all(in, out);
  }

 private:
  void begin(int window_bits) { ready_ = inflateInit2(&stream_, window_bits) == Z_OK; }

  bool inflate_all(std::string_view in, Output out) {
    OutputBuffer buffer;
    if (!ready_) return false;
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    stream_.avail_in = static_cast<uInt>(in.size());
    bool full = true;  // a full output buffer means that there may be more to come without further input
    while (stream_.avail_in > 0 || full) {
      if (ended_ && (stream_.avail_in == 0 || inflateReset(&stream_) != Z_OK)) break;
      ended_ = false;
      stream_.next_out = reinterpret_cast<Bytef*>(buffer.data());
      stream_.avail_out = kOutputBytes;
      const int code = inflate(&stream_, Z_SYNC_FLUSH);
      if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) return false;
      ended_ = code == Z_STREAM_END;
      full = stream_.avail_out == 0;
      if (stream_.avail_out < kOutputBytes && !out({buffer.data(), kOutputBytes - stream_.avail_out})) return false;
      if (code == Z_BUF_ERROR && !full) break;
    }
    return true;
  }

  z_stream stream_{};
  std::array<char, 2> head_{};
  std::size_t held_ = 0;
  bool detect_, ready_ = false, ended_ = false;
};

class BrotliStage final : public DecodeStage {
 public:
  BrotliStage() : decoder_(BrotliDecoderCreateInstance(nullptr, nullptr, nullptr)) {}
  ~BrotliStage() override {
    if (decoder_ != nullptr) BrotliDecoderDestroyInstance(decoder_);
  }
  BrotliStage(const BrotliStage&) = delete;
  BrotliStage& operator=(const BrotliStage&) = delete;

  bool decode(std::string_view in, Output out) override {
    if (decoder_ == nullptr) return false;
    OutputBuffer buffer;
    const auto* next_in = reinterpret_cast<const std::uint8_t*>(in.data());
    std::size_t left = in.size();
    while (true) {
      auto* next_out = reinterpret_cast<std::uint8_t*>(buffer.data());
      std::size_t room = kOutputBytes;
      const auto result = BrotliDecoderDecompressStream(decoder_, &left, &next_in, &room, &next_out, nullptr);
      if (result == BROTLI_DECODER_RESULT_ERROR) return false;
      if (room < kOutputBytes && !out({buffer.data(), kOutputBytes - room})) return false;
      if (result != BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT) return true;
    }
  }

 private:
  BrotliDecoderState* decoder_;
};

class ZstdStage final : public DecodeStage {
 public:
  ZstdStage() : context_(ZSTD_createDCtx()) {
    if (context_ != nullptr) ZSTD_DCtx_setParameter(context_, ZSTD_d_windowLogMax, kZstdWindowLog);
  }
  ~ZstdStage() override { ZSTD_freeDCtx(context_); }
  ZstdStage(const ZstdStage&) = delete;
  ZstdStage& operator=(const ZstdStage&) = delete;

  bool decode(std::string_view in, Output out) override {
    if (context_ == nullptr) return false;
    OutputBuffer buffer;
    ZSTD_inBuffer input{in.data(), in.size(), 0};
    bool full = true;
    while (input.pos < input.size || full) {
      ZSTD_outBuffer output{buffer.data(), kOutputBytes, 0};
      const std::size_t before = input.pos;
      if (ZSTD_isError(ZSTD_decompressStream(context_, &output, &input)) != 0) return false;
      if (output.pos > 0 && !out({buffer.data(), output.pos})) return false;
      full = output.pos == kOutputBytes;
      if (!full && input.pos == before) break;
    }
    return true;
  }

 private:
  ZSTD_DCtx* context_;
};

std::unique_ptr<DecodeStage> make_stage(Coding coding) {
  switch (coding) {
    case Coding::gzip:
    case Coding::deflate:
      return std::make_unique<ZlibStage>(coding);
    case Coding::br:
      return std::make_unique<BrotliStage>();
    case Coding::zstd:
      return std::make_unique<ZstdStage>();
    default:
      return nullptr;
  }
}

}  // namespace

ContentDecoder::ContentDecoder(const Limits& limits, const CodingList& codings) : limits_(limits) {
  for (std::size_t i = codings.count; i-- > 0;) {
    stages_.push_back(make_stage(codings.codings[i]));
    if (stages_.back() == nullptr) state_ = State::unknown_coding;
  }
}

ContentDecoder::State ContentDecoder::feed(std::string_view in, Output out) {
  if (state_ != State::good || in.empty()) return state_;
  bytes_in_ += in.size();
  if (!run(0, in, out) && state_ == State::good) state_ = State::damaged;
  return state_;
}

bool ContentDecoder::run(std::size_t stage, std::string_view in, Output out) {
  if (stage == stages_.size()) {
    out(in);
    return true;
  }
  return stages_[stage]->decode(in, [&](std::string_view piece) {
    bytes_out_ += piece.size();
    if (!within_ratio()) state_ = State::bomb;
    return state_ == State::good && run(stage + 1, piece, out);
  });
}

bool ContentDecoder::within_ratio() const {
  return bytes_out_ <= limits_.expansion_floor_bytes || bytes_out_ / limits_.expansion_ratio <= bytes_in_;
}

}  // namespace mcpscan::app
