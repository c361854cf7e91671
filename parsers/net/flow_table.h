// FlowTable: packets in, ordered bytes of each TCP connection out. Link layers (Ethernet, 802.1Q, QinQ, SLL, SLL2, NULL,
// LOOP, raw IP), tunnels (VXLAN, GENEVE, GRE, ERSPAN, IP in IP), IPv4 and IPv6 with fragments and extension headers, TCP reassembly: reordered, retransmitted and overlapping
// segments (the first copy wins, a difference is an anomaly), wrapped sequence numbers, keep-alive probes, RST and FIN kept
// as facts with who sent them, mid-stream start, one direction only, snaplen cuts (the original length counts).
// A hole becomes a gap() as soon as it is certain that the bytes will not come (bound reached, acknowledged by the receiver
// and passed by later data, or the flow ends). Bounded per flow and in all. A packet seen twice by one capture (tcpdump -i any)
// counts once. Not thread-safe.
// The analyzer of a connection is made with its first byte or gap, and destroyed without a finish() once it is not interested.
// Source: RFC 791, 8200, 9293; LINKTYPE registry of tcpdump.org.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/limits.h"
#include "model/anomaly.h"
#include "model/stream_analyzer.h"
#include "net/capture_reader.h"

namespace mcpscan::net {

class FlowTable {
 public:
  // `first`: the first bytes of the connection, as they will be fed; none where it begins with a gap.
  using MakeAnalyzer = std::function<std::unique_ptr<model::StreamAnalyzer>(const model::FlowInfo&, std::string_view first)>;

  // `books` gets each packet as used, ignored(reason) or malformed(reason) when finish() is called: whether a connection is of
  // use shows late. `anomalies` gets what is wrong with connections whose analyzer stayed interested (missing-segments,
  // snaplen-cut, mid-stream-start, one-direction) and each bound that was reached. Connections are numbered from
  // `next_connection` on, which is moved. The last three must outlive the table.
  FlowTable(const Limits& limits, std::uint32_t input, MakeAnalyzer make_analyzer, model::Books& books, model::AnomalyLog& anomalies,
            std::uint64_t& next_connection);
  ~FlowTable();

  void add(const Packet& packet);
  // The packets from now on come from another file of the same capture (a rotated set): connections go on across the border,
  // the books of the file before are settled, places carry `input`.
  void continue_in(std::uint32_t input, model::Books& books, model::AnomalyLog& anomalies);
  // The evidence ends: every open flow is finished with evidence_ends, in order of its first packet. To be called once.
  void finish(Time at);

  struct Totals {
    std::uint64_t flows = 0, flows_dropped_uninteresting = 0, gaps = 0, gap_bytes = 0, retransmissions = 0, resets = 0;
  };
  const Totals& totals() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mcpscan::net
