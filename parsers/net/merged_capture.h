// MergedCapture: a capture whose parts stand one behind the other, though they were taken at the same time, as mergecap -a leaves two
// interfaces. Each part is read by a reader of its own, and the packets come in the order of their times; they keep the numbers and offsets
// that they have in the file. A clock that was set back makes no parts: there the file's order is the true one, and an interface goes on.
// Ownership: owns its readers and their bytes. Threads: one. Bound: kMostRuns parts; a capture with more is read as it stands.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "net/capture_reader.h"

namespace mcpscan::net {

constexpr std::size_t kMostRuns = 16;

// How many interfaces the pcapng describes that begins with `head`; 0: it is none. Below two it is not worth a look for parts.
std::size_t interfaces_of(std::string_view head);

// The number of the first packet of each part; one where there are no parts, or too many. Looks at no more packets than it takes to know: as soon as
// all interfaces were seen in one part there are no others.
std::vector<std::uint64_t> first_of_runs(CaptureReader& capture, std::size_t interfaces);

class MergedCapture final : public CaptureReader {
 public:
  struct Part {
    std::unique_ptr<ByteReader> bytes;        // the whole file
    std::unique_ptr<CaptureReader> capture;   // which reads it
    std::uint64_t first = 1;                  // packet
  };
  // In the order of the file; at least one.
  explicit MergedCapture(std::vector<Part> parts);

  bool next(Packet& packet) override;
  Status set_filter(std::string_view expression) override;
  // The last part's reader has seen all that stands before it, and will have seen all of the file.
  std::string_view secrets() const override { return runs_.back().part.capture->secrets(); }
  const model::Books& books() const override { return runs_.back().part.capture->books(); }
  const model::AnomalyLog& anomalies() const override { return runs_.back().part.capture->anomalies(); }
  std::string_view format() const override { return runs_.back().part.capture->format(); }

 private:
  struct Run {
    Part part;
    std::uint64_t end = 0;   // the number behind its last packet
    Packet packet;           // the next one
    bool over = false;
  };
  static void advance(Run& run);

  std::vector<Run> runs_;
  Run* handed_out_ = nullptr;  // its packet's bytes are in use until the next call
  bool begun_ = false;
};

}  // namespace mcpscan::net
