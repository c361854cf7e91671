// Reads captures: packets to connections, TLS where the keys are known, HTTP to observations. With more than one thread that happens in a
// second one, and what is made of the observations in the caller's; the second one has ended when a call returns.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/exchange_recorder.h"
#include "base/byte_reader.h"
#include "base/function_ref.h"
#include "base/result.h"
#include "base/limits.h"
#include "model/finding.h"
#include "net/capture_reader.h"
#include "net/tls_analyzer.h"

namespace mcpscan::pipeline {

struct CaptureScanOptions {
  std::string filter;          // BPF; empty: all packets
  Time since, until;
  unsigned threads = 1;        // from two on, the sink works in a thread of its own; the result is the same
  app::ExchangeRecorder* recorder = nullptr;  // is shown every exchange; may be null
};

// Counters that run over all inputs of a scan: exchanges and connections are unique in the input set.
struct CaptureNumbers {
  std::uint64_t next_exchange = 1, next_connection = 1;
};

// One capture: a file, or the files of a rotated set (tcpdump -C and -G, dumpcap -b), across which connections and exchanges go on.
class CaptureScan {
 public:
  // All but `options` must outlive it.
  CaptureScan(net::KeyLog& keys, const CaptureScanOptions& options, const Limits& limits, CaptureNumbers& numbers, model::ObservationSink& sink);
  ~CaptureScan();

  // Reads the capture's next file; the form it has. With `goes_on` another one is to follow, else the evidence ends with this one. An error
  // leaves the sink untouched.
  Result<std::string> read(ByteReader& bytes, std::uint32_t input, bool goes_on, model::InputRow& row, FunctionRef<void(std::uint64_t)> progress);
  Result<std::string> read(net::CaptureReader& capture, std::uint32_t input, bool goes_on, model::InputRow& row, FunctionRef<void(std::uint64_t)> progress);
  // Whether a file that begins then may be the next one: files named like one another may be taken beside each other, but those of one capture
  // do not overlap, save for packets in the kernel's hands.
  bool goes_on_at(Time first) const;
  // Between the file that was read last and the next one there was another, which may hold what is missed.
  void miss_file();
  // The file that was to follow does not: the evidence ended with the one that was read last, whose row this is.
  void give_up(model::InputRow& row);
  // What TLS hid and what the keys would allow, and what the snapshot length cut off, once all is read.
  std::vector<std::string> notes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Of a file that begins with `head`; unknown where that holds no packet.
Time first_packet_time(std::string_view head, const Limits& limits);

}  // namespace mcpscan::pipeline
