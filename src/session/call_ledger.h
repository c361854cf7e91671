// CallLedger: what one source of evidence showed of each request of a client, and of each call in a client's own record, kept as a small
// record until every source is read. Vantage points are laid beside each other by it (vantage_alignment.h), and proofs are written from it.
// It judges nothing: pairing is the tracker's, verdicts are the rules'.
// Ownership: owns its records. Threads: one. Bound: as many records as it is made with, the first ones read; the rest is counted in left_out().
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/timeline.h"

namespace mcpscan::session {

// Calls of all sources of a run that are remembered to the end, shared evenly; 250 bytes each.
constexpr std::size_t kLedgerCalls = 131072;

struct CallRecord {
  static constexpr std::size_t kTokens = 8;

  std::uint32_t session = 0, name = 0;           // of CallLedger: session(), name()
  model::IdType id_type = model::IdType::absent;
  std::string id;                                // decoded; in a client's record the client's own call id
  std::uint64_t asked = 0;                       // digest of method, target and arguments
  std::uint64_t arguments = 0;                   // digest of the arguments alone; 0: none
  std::uint64_t reply = 0, content = 0, structured = 0;  // digests of what was answered, or shown; 0: none
  Time requested, replied, ended;
  model::SourceRef request_at, reply_at;
  std::uint64_t connection = 0;
  model::CloseReason closed = model::CloseReason::open;
  std::array<std::uint32_t, kTokens> tokens{};   // hashes of what its arguments say
  std::uint8_t told = 0, repeated = 0;           // how many tokens; which of them the reply repeats, a bit each
  std::uint32_t hop = 0;                         // its session's number, from 1: of those with one label each is at a server of its own
  std::uint8_t server = UINT8_MAX;               // of CallLedger::servers(); beyond: not told
  std::uint16_t status = 0;                      // of the HTTP response that it ended with, where it ended without a reply; 0: not told
  bool is_tool_call = false, answered = false, wrong_channel = false, drifted = false, late = false, collided = false;
  bool second_reply = false, on_wire = false, shown = false, gave_up = false;
  bool failed = false;                           // its reply is an error, or a result that says it is one

  // Its one reply came under its own id and on a stream where it may come.
  bool is_right() const { return answered && !wrong_channel && !drifted && !late && !second_reply; }
  bool has_payload() const { return reply != 0 || content != 0 || structured != 0; }
};

// The same payload, whatever blanks and key order a hop in between chose.
bool same_payload(const CallRecord& a, const CallRecord& b);

struct CallName {
  std::string method, target;
};

class CallLedger : public model::EventSink {
 public:
  // What replies repeat of their calls' arguments is looked for where it is asked for: it takes longer than all the rest.
  enum class Echoes : bool { left_out, noted };
  explicit CallLedger(std::size_t most, Echoes echoes = Echoes::noted) : most_(most), echoes_(echoes) {}

  void on_event(const model::TimelineEvent& event) override;

  // Keeps calls from now on, so many.
  void begin(std::size_t most) { most_ = most; }

  // In order of their requests, as read.
  const std::vector<CallRecord>& records() const { return records_; }
  std::uint64_t left_out() const { return left_out_; }
  const std::string& session(const CallRecord& record) const { return sessions_[record.session]; }
  const CallName& name(const CallRecord& record) const { return names_[record.name]; }
  // Server endpoints that its exchanges went to, as printed; a few. Two wires with one of them in common watch the same hop.
  const std::vector<std::string>& servers() const { return servers_; }
  // The calls of each of those endpoints by themselves, where there are several: what one capture saw at each hop of a proxy.
  std::vector<CallLedger> by_server() const;
  bool saw_gap() const { return gap_; }
  std::uint64_t replies_on_get() const { return replies_on_get_; }
  std::uint64_t stray_replies() const { return stray_replies_; }
  model::FindingCall call_of(const CallRecord& record) const;

 private:
  static constexpr std::size_t kServers = 8;

  void on_request(const model::TimelineEvent& event);
  void on_reply(const model::TimelineEvent& event);
  void on_outcome(const model::TimelineEvent& event);
  CallRecord* record_of(const model::Call& call);
  void note_server(const std::string& server, CallRecord& record);
  void note_stray(const model::TimelineEvent& event);
  void note_tokens(std::uint64_t call, std::string_view request, CallRecord& record);
  void note_echoes(std::uint64_t call, std::string_view reply, CallRecord& record);
  CallRecord* room();
  std::uint32_t session_number(const std::string& label);
  std::uint32_t name_number(std::string_view method, std::string_view target);

  std::size_t most_;
  Echoes echoes_;
  std::vector<CallRecord> records_;
  std::vector<std::string> sessions_;
  std::vector<CallName> names_;
  std::vector<std::string> servers_;
  std::unordered_map<std::uint64_t, std::uint32_t> record_of_;           // by the call's number
  std::unordered_map<std::uint64_t, std::vector<std::string>> tokens_;   // by the call's number; where echoes are noted
  std::unordered_map<std::string, std::uint32_t> session_numbers_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> name_numbers_;   // by digest
  std::uint64_t left_out_ = 0, replies_on_get_ = 0, stray_replies_ = 0;
  std::array<std::uint64_t, kServers> strays_elsewhere_{};               // of stray_replies_, those that were seen to come from another server than this
  bool gap_ = false;
};

}  // namespace mcpscan::session
