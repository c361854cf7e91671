#include "net/flow_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "net/capture_clock.h"
#include "net/flow_slots.h"
#include "net/fragment_table.h"
#include "net/ip_layer.h"
#include "net/link_layer.h"
#include "net/packet_books.h"
#include "net/tcp_connection.h"
#include "net/tcp_segment.h"
#include "net/tunnel.h"

namespace mcpscan::net {
namespace {

constexpr Refusal kUninteresting{"not-mcp", 0, false};
constexpr Refusal kTooDeep{"tunnels-too-deep", 0, true};
constexpr Refusal kNoData{"no-data", 0, false};
constexpr Refusal kAfterEnd{"after-end", 0, false};
constexpr Refusal kStray{"tcp-stray", 0, true};

// The tuple of a segment and which of its endpoints sent it.
int make_tuple_of(const IpPacket& ip, const TcpSegment& segment, FlowTuple& tuple) {
  const int order = std::memcmp(ip.source.data(), ip.destination.data(), ip.source.size());
  const bool source_low = order < 0 || (order == 0 && segment.source_port <= segment.destination_port);
  tuple.low = source_low ? ip.source : ip.destination;
  tuple.high = source_low ? ip.destination : ip.source;
  tuple.low_port = source_low ? segment.source_port : segment.destination_port;
  tuple.high_port = source_low ? segment.destination_port : segment.source_port;
  tuple.vlan = ip.vlan;
  tuple.ipv6 = ip.ipv6 ? 1 : 0;
  return source_low ? 0 : 1;
}

bool far_apart(std::uint32_t a, std::uint32_t b, std::uint64_t bound) {
  const auto step = static_cast<std::int32_t>(a - b);
  return static_cast<std::uint64_t>(std::abs(static_cast<std::int64_t>(step))) > bound;
}

// As TcpConnection::fit(), for a connection that is over.
bool begins_another(const FlowSlot& slot, int from, const TcpSegment& segment, std::uint64_t bound) {
  const StreamTrace& mine = slot.traces[static_cast<std::size_t>(from)];
  const StreamTrace& other = slot.traces[static_cast<std::size_t>(1 - from)];
  if (segment.syn) return !mine.known || segment.sequence + 1 != mine.start;
  if (slot.state == SlotState::uninteresting || segment.length == 0 || !segment.ack) return false;
  return mine.known && far_apart(segment.sequence, mine.next, bound) &&
         (!other.known || far_apart(segment.acknowledgement, other.next, bound));
}

// Bytes that were not there when the connection ended: what was still on its way when a RST came.
bool brings_more(const FlowSlot& slot, int from, const TcpSegment& segment) {
  const StreamTrace& mine = slot.traces[static_cast<std::size_t>(from)];
  return segment.length > 0 && (!mine.known || static_cast<std::int32_t>(segment.sequence + segment.length - mine.next) > 0);
}

}  // namespace

struct FlowTable::State {
  State(const Limits& limits_in, std::uint32_t input_in, MakeAnalyzer make_analyzer, model::Books& books_in, model::AnomalyLog& anomalies_in,
        std::uint64_t& next_connection_in)
      : limits(limits_in),
        input(input_in),
        books(&books_in),
        next_connection(next_connection_in),
        shared{limits, std::move(make_analyzer), &anomalies_in, {}, 0},
        fragments(limits, packets, shared.anomalies),
        clock(limits.flow_idle_us),
        slots(std::max<std::size_t>(limits.flows, 1)) {}

  Refusal add(const Packet& packet);
  Refusal open_tunnels(IpPacket& ip, const model::Stamp& stamp, std::uint64_t& count);
  void add_segment(const IpPacket& ip, const TcpSegment& segment, const model::Stamp& stamp, std::uint64_t count);
  std::uint32_t slot_for(const FlowTuple& tuple, int from, const TcpSegment& segment);
  std::uint32_t open(const FlowTuple& tuple);
  void make_room();
  void after_change(std::uint32_t slot);
  void retire(std::uint32_t slot);
  void end(std::uint32_t slot, model::EndReason reason);
  void set_timer(std::uint32_t slot, std::int64_t deadline);
  void run_timers();
  void keep_buffer_bound();
  bool silent_for(std::uint32_t slot, std::int64_t us);
  void expire();
  void settle_books();
  void finish(Time at);

  const Limits limits;
  std::uint32_t input;
  model::Books* books;
  std::uint64_t& next_connection;
  PacketBooks packets;
  FlowShared shared;
  FragmentTable fragments;
  CaptureClock clock;
  FlowSlots slots;
  std::set<std::pair<std::int64_t, std::uint64_t>> timers;  // deadline, connection number << 32 | slot: ties in order of age
};

FlowTable::FlowTable(const Limits& limits, std::uint32_t input, MakeAnalyzer make_analyzer, model::Books& books, model::AnomalyLog& anomalies,
                     std::uint64_t& next_connection)
    : state_(std::make_unique<State>(limits, input, std::move(make_analyzer), books, anomalies, next_connection)) {}

FlowTable::~FlowTable() = default;

void FlowTable::add(const Packet& packet) {
  if (const Refusal refusal = state_->add(packet)) state_->packets.refuse(refusal);
}

void FlowTable::continue_in(std::uint32_t input, model::Books& books, model::AnomalyLog& anomalies) {
  state_->settle_books();
  state_->input = input;
  state_->books = &books;
  state_->shared.anomalies = &anomalies;
}

void FlowTable::finish(Time at) { state_->finish(at); }

const FlowTable::Totals& FlowTable::totals() const { return state_->shared.totals; }

Refusal FlowTable::State::add(const Packet& packet) {
  clock.advance(packet.at);
  run_timers();
  expire();
  Frame frame;
  IpPacket ip;
  TcpSegment segment;
  if (const Refusal refusal = read_link(packet, frame)) return refusal;
  if (const Refusal refusal = read_ip(frame, ip)) return refusal;
  const model::Stamp stamp{packet.at, {input, model::PlaceKind::packet, packet.number, packet.offset}};
  std::uint64_t count = 1;
  Refusal refusal;
  if (ip.protocol != kProtocolTcp) refusal = open_tunnels(ip, stamp, count);
  if (count > 0 && !refusal && ip.fragment) count = fragments.add(ip, stamp, clock.now(), count);
  if (count == 0) return {};  // more of its fragments are to come
  if (!refusal) refusal = read_tcp(ip, segment);
  if (!refusal) add_segment(ip, segment, stamp, count);
  else if (count > 1) packets.refuse(refusal, count - 1);
  return refusal;
}

// From the packet of a mirror or an overlay network to the TCP packet inside of it. `count`: the packets that it took; 0: more are to come.
Refusal FlowTable::State::open_tunnels(IpPacket& ip, const model::Stamp& stamp, std::uint64_t& count) {
  for (unsigned depth = 0; ip.protocol != kProtocolTcp; ++depth) {
    if (!is_tunnel(ip) && !(ip.fragment && fragments.knows(ip))) return refusal_of_protocol(ip.protocol);
    if (depth == kTunnels) return kTooDeep;
    if (ip.fragment && (count = fragments.add(ip, stamp, clock.now(), count)) == 0) return {};
    Frame inner;
    if (const Refusal refusal = read_tunnel(ip, inner)) return refusal;
    ip = {};
    if (const Refusal refusal = read_ip(inner, ip)) return refusal;
  }
  return {};
}

void FlowTable::State::add_segment(const IpPacket& ip, const TcpSegment& segment, const model::Stamp& stamp, std::uint64_t count) {
  FlowTuple tuple;
  const int from = make_tuple_of(ip, segment, tuple);
  const std::uint32_t slot = slot_for(tuple, from, segment);
  if (slot == FlowMap::kNone) {
    packets.refuse(kNoData, count);
    return;
  }
  slots.touch(slot, clock.now());
  FlowSlot& flow = slots[slot];
  if (flow.state == SlotState::over) {
    if (brings_more(flow, from, segment)) packets.refuse(kAfterEnd, count);
    else packets.use(count);
  } else if (flow.state == SlotState::uninteresting) {
    packets.refuse(kUninteresting, count);
  } else if (flow.connection->fit(from, segment) == TcpConnection::Fit::stray) {
    packets.refuse(kStray, count);
    shared.anomalies->add({"tcp-stray", "a TCP segment whose sequence number fits no point of its connection is left out", stamp.source, 1});
  } else {
    flow.packets += count;
    flow.connection->add(from, segment, stamp, clock.now());
    after_change(slot);
  }
}

// The slot the segment belongs to; a new one for a SYN or for data nobody knows. A lone acknowledgement, FIN or RST opens none.
std::uint32_t FlowTable::State::slot_for(const FlowTuple& tuple, int from, const TcpSegment& segment) {
  const std::uint32_t slot = slots.find(tuple);
  const bool opens = (segment.syn && !segment.rst) || segment.length > 0;
  if (slot == FlowMap::kNone) return opens ? open(tuple) : FlowMap::kNone;
  if (slots[slot].connection != nullptr) {
    if (slots[slot].connection->fit(from, segment) != TcpConnection::Fit::another) return slot;
    end(slot, model::EndReason::evidence_gap);
  } else if (!begins_another(slots[slot], from, segment, limits.sequence_jump_bytes)) {
    return slot;
  }
  slots.erase(slot);
  return opens ? open(tuple) : FlowMap::kNone;
}

std::uint32_t FlowTable::State::open(const FlowTuple& tuple) {
  if (slots.full()) make_room();
  const std::uint32_t slot = slots.open(tuple, clock.now());
  slots[slot].connection = std::make_unique<TcpConnection>(shared, tuple, next_connection++);
  return slot;
}

void FlowTable::State::make_room() {
  std::uint32_t slot = slots.longest_silent_over();
  if (slot == FlowMap::kNone) {
    // A flood of SYNs must not push connections with data out.
    slot = slots.longest_silent_begun() != FlowMap::kNone ? slots.longest_silent_begun() : slots.longest_silent_open();
    shared.anomalies->add({"flow-table-full", fmt::format("more than {} TCP connections at a time; the longest silent one is given up", limits.flows),
                          slots[slot].connection->last().source, 1});
    end(slot, model::EndReason::evidence_gap);
  }
  slots.erase(slot);
}

void FlowTable::State::after_change(std::uint32_t slot) {
  const TcpConnection& connection = *slots[slot].connection;
  if (connection.state() != TcpConnection::State::open) {
    retire(slot);
    return;
  }
  if (slots[slot].state == SlotState::begun && connection.had_data()) slots.promote(slot);
  if (connection.deadline() != slots[slot].deadline) set_timer(slot, connection.deadline());
  if (shared.buffered > limits.total_buffer_bytes) keep_buffer_bound();
}

// Settles the books of a connection that is over; only a trace of it stays.
void FlowTable::State::retire(std::uint32_t slot) {
  FlowSlot& flow = slots[slot];
  set_timer(slot, TcpConnection::kNever);
  const bool uninteresting = flow.connection->state() == TcpConnection::State::uninteresting;
  if (uninteresting) packets.refuse(kUninteresting, flow.packets);
  else if (!flow.connection->had_data()) packets.refuse(kNoData, flow.packets);
  else packets.use(flow.packets);
  flow.packets = 0;
  slots.retire(slot, uninteresting ? SlotState::uninteresting : SlotState::over);
}

void FlowTable::State::end(std::uint32_t slot, model::EndReason reason) {
  TcpConnection& connection = *slots[slot].connection;
  connection.finish(reason, {clock.time(), connection.last().source});
  retire(slot);
}

void FlowTable::State::set_timer(std::uint32_t slot, std::int64_t deadline) {
  FlowSlot& flow = slots[slot];
  const std::uint64_t key = flow.connection->number() << 32 | slot;
  if (flow.deadline != TcpConnection::kNever) timers.erase({flow.deadline, key});
  if (deadline != TcpConnection::kNever) timers.insert({deadline, key});
  flow.deadline = deadline;
}

void FlowTable::State::run_timers() {
  while (!timers.empty() && timers.begin()->first <= clock.now()) {
    const auto slot = static_cast<std::uint32_t>(timers.begin()->second);
    slots[slot].connection->on_deadline(clock.now());
    after_change(slot);
  }
}

// Over the bound in all, the connection gives in whose hole is nearest to being given up anyway.
void FlowTable::State::keep_buffer_bound() {
  while (shared.buffered > limits.total_buffer_bytes && !timers.empty()) {
    const auto slot = static_cast<std::uint32_t>(timers.begin()->second);
    TcpConnection& connection = *slots[slot].connection;
    shared.anomalies->add({"reorder-buffers-full", fmt::format("more than {} bytes wait behind holes in all", limits.total_buffer_bytes),
                          connection.last().source, 1});
    connection.release(clock.now());
    if (connection.state() != TcpConnection::State::open) retire(slot);
    else set_timer(slot, connection.deadline());
  }
}

bool FlowTable::State::silent_for(std::uint32_t slot, std::int64_t us) { return slot != FlowMap::kNone && clock.now() - slots[slot].last_seen > us; }

void FlowTable::State::expire() {
  while (silent_for(slots.longest_silent_begun(), limits.flow_idle_us)) end(slots.longest_silent_begun(), model::EndReason::unknown);
  while (silent_for(slots.longest_silent_open(), limits.flow_idle_us)) {
    const std::uint32_t slot = slots.longest_silent_open();
    end(slot, slots[slot].connection->half_closed_by());
  }
  while (silent_for(slots.longest_silent_over(), limits.flow_linger_us)) slots.erase(slots.longest_silent_over());
}

void FlowTable::State::finish(Time at) {
  fragments.finish();
  // What one connection still holds back may be what another has an answer to: none ends before all is told.
  for (const std::uint32_t slot : slots.live_slots()) {
    slots[slot].connection->release(clock.now());
    if (slots[slot].connection->state() != TcpConnection::State::open) retire(slot);
  }
  for (const std::uint32_t slot : slots.live_slots()) {
    TcpConnection& connection = *slots[slot].connection;
    connection.finish(model::EndReason::evidence_ends, {at, connection.last().source});
    retire(slot);
  }
  packets.settle(*books);
}

// What is known of the connections by now decides for the packets of this file.
void FlowTable::State::settle_books() {
  for (const std::uint32_t slot : slots.live_slots()) {
    FlowSlot& flow = slots[slot];
    if (flow.packets == 0) continue;
    if (flow.state == SlotState::open) packets.use(flow.packets);
    else packets.refuse(kNoData, flow.packets);
    flow.packets = 0;
  }
  packets.settle(*books);
}

}  // namespace mcpscan::net
