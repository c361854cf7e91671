// JoinedStreams: event streams of the 2024-11-05 transport that are older than the capture. Their first event named the session, and nobody
// saw it. Stands between a capture and its tracker: what comes on such a stream waits until its replies show whose it is; from then on it has
// that session's name. A reply speaks for the session whose call it can answer, where no other session to that server has one of its id, or
// repeats what that call asked and no other of its id did; loudest where it does. It speaks once a round: for a call made after the last one
// that was answered so, since a reply at the head of the capture may be to a call that nobody saw, and clients that began together count and
// ask alike. Replies to calls that are older than the capture go no further, nor does a stream of which nothing tells. All else passes unchanged.
// Ownership: keeps copies of what waits. Threads: one. Bounds: kStreams, of each kHeld messages and kWeighed replies; kHeldBytes in all;
// kSessions, kPosts under way, kOpen calls of a session. Past one, nothing more is learned, and what waits goes, which is a gap.
// Source: MCP 2024-11-05, transports, HTTP with SSE.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/arena.h"
#include "model/observation.h"

namespace mcpscan::pipeline {

class JoinedStreams : public model::ObservationSink {
 public:
  explicit JoinedStreams(model::ObservationSink& sink) : sink_(sink) {}

  void observe(const model::Observation& seen) override;

 private:
  static constexpr std::size_t kStreams = 256, kHeld = 64, kHeldBytes = 16u << 20, kWeighed = 512, kSessions = 1024, kPosts = 4096, kOpen = 1024;
  static constexpr unsigned kRepeats = 2, kFits = 1, kEnough = 4;  // how much a reply says, and how much names the session

  struct Asked {
    std::vector<std::string> words;  // what its arguments say
    std::uint64_t order = 0;
  };
  struct Session {
    std::string server, name;
    std::unordered_map<std::string, Asked> open;  // its client's unanswered calls by id
    std::deque<std::string> ids;                  // of them, oldest first, and of some that are answered
    bool has_stream = false;

    void close();
  };
  struct Stream {
    const Session* of = nullptr;
    Session* likely = nullptr;
    unsigned said = 0;            // for it
    std::uint64_t order = 0;      // of the last reply that spoke
    std::size_t weighed = 0;
    std::deque<model::Observation> held;
    bool lost_some = false;       // of what waited
  };

  void note_exchange(const model::Observation& seen);
  void note_message(const model::Observation& seen);
  void take(const model::Observation& seen);
  void hold(Stream& stream, const model::Observation& seen);
  static void drop_held(Stream& stream);
  void weigh(Stream& stream, const model::Observation& reply);
  void tie(Stream& stream);
  void tell_lost(const Stream& stream);
  void pass(const Stream& stream, const model::Observation& seen);

  model::ObservationSink& sink_;
  std::unordered_map<std::string, std::unique_ptr<Session>> sessions_;  // by server and name
  std::unordered_map<std::uint64_t, Session*> exchanges_;               // under way, that name a session
  std::unordered_map<std::uint64_t, Stream> streams_;                   // by exchange
  std::uint64_t order_ = 0;
  Arena shelf_;  // where what waits is kept
};

}  // namespace mcpscan::pipeline
