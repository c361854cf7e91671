// Reads one capture: packets to connections, TLS where the keys are known, HTTP to observations, all in the caller's thread. What is made
// of the observations may happen in a second one, which has ended when scan_capture() returns.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/exchange_recorder.h"
#include "base/byte_reader.h"
#include "base/function_ref.h"
#include "base/result.h"
#include "base/limits.h"
#include "model/finding.h"
#include "net/tls_analyzer.h"

namespace mcpscan::pipeline {

struct CaptureScanOptions {
  std::string filter;          // BPF; empty: all packets
  Time since, until;
  unsigned threads = 1;        // from two on, the sink works in a thread of its own; the result is the same
  app::ExchangeRecorder* recorder = nullptr;  // is shown every exchange; may be null
};

struct CaptureScanResult {
  std::string reader;                  // pcap, pcapng
  std::uint64_t tls_connections = 0, tls_read = 0;
  std::vector<std::string> notes;      // e.g. what TLS hid and what the keys would allow
};

// Counters that run over all inputs of a scan: exchanges and connections are unique in the input set.
struct CaptureNumbers {
  std::uint64_t next_exchange = 1, next_connection = 1;
};

Result<CaptureScanResult> scan_capture(ByteReader& bytes, std::uint32_t input, net::KeyLog& keys, const CaptureScanOptions& options, const Limits& limits,
                                       CaptureNumbers& numbers, model::ObservationSink& sink, model::InputRow& row, FunctionRef<void(std::uint64_t)> progress);

}  // namespace mcpscan::pipeline
