// What the readers of both capture forms share: the window on the bytes, numbering, the filter, books and anomalies.
// Internal to the module.
#pragma once

#include <memory>
#include <string>

#include "base/function_ref.h"
#include "net/capture_reader.h"
#include "net/input_window.h"
#include "net/packet_filter.h"

namespace mcpscan::net {

class CaptureBase : public CaptureReader {
 public:
  CaptureBase(ByteReader& bytes, std::span<const char> head, std::uint32_t input, const Limits& limits)
      : window_(bytes, head), limits_(limits), input_(input) {}

  bool next(Packet& packet) final;
  Status set_filter(std::string_view expression) final;
  const model::Books& books() const final { return books_; }
  const model::AnomalyLog& anomalies() const final { return anomalies_; }

 protected:
  // The next whole packet of the file, all but its number; false at the end.
  virtual bool read_packet(Packet& packet) = 0;

  // `offset`: where in the decoded file.
  void note(const char* kind, std::string text, std::uint64_t offset);
  // The stream ended inside `what`, which began at `offset`.
  void note_cut(const char* what, std::uint64_t offset);
  // The `what` at the position cannot be one (`claim`, with its number): goes on to the next byte from which `likely` holds, within
  // Limits::capture_resync_bytes and while `least` bytes are left. False, and the reader has stopped, when there is none.
  bool resynchronize(const char* what, std::string_view claim, std::size_t least, FunctionRef<bool()> likely);

  InputWindow window_;
  Limits limits_;
  std::uint32_t input_;
  std::uint64_t packets_ = 0;
  bool stopped_ = false;
  model::Books books_;
  model::AnomalyLog anomalies_;

 private:
  bool passes_filter(const Packet& packet);

  std::unique_ptr<PacketFilter> filter_;
};

}  // namespace mcpscan::net
