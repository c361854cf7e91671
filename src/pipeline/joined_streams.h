// JoinedStreams: event streams of the 2024-11-05 transport that are older than the capture. Their first event named the session, and nobody
// saw it. Stands between a capture and its tracker: what comes on such a stream waits until its replies show whose it is, kAgree of them one
// after the other: they can answer calls of exactly one session to that server or, where several fit, repeat what those of one have asked.
// From then on it has that session's name. Replies to calls that are older than the capture go no further, nor does a stream of which nothing
// tells. All else passes unchanged.
// Ownership: keeps copies of what waits. Threads: one. Bounds: kStreams, kHeld messages of a stream, kSessions, kPosts under way, kOpen calls of
// a session; past one, nothing more is learned, and of what waits the oldest goes, which is a gap of its session.
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
  static constexpr std::size_t kAgree = 2, kStreams = 1024, kHeld = 64, kSessions = 4096, kPosts = 4096, kOpen = 1024;

  struct Session {
    std::string server, name;
    std::unordered_map<std::string, std::vector<std::string>> open;  // its client's unanswered calls by id, with what their arguments say
    std::deque<std::string> asked;                                   // their ids, oldest first, and those of some that are answered
    bool has_stream = false;

    void close();
  };
  struct Held {
    std::unique_ptr<Arena> arena;
    model::Observation seen;
  };
  struct Stream {
    const Session* of = nullptr;
    std::vector<Session*> fits;  // sessions that have had an open call for each of the last `agreed` replies
    std::size_t agreed = 0;
    std::deque<Held> held;
    bool lost_some = false;  // of what waited
  };

  void note_exchange(const model::Observation& seen);
  void note_message(const model::Observation& seen);
  void take(const model::Observation& seen);
  static void hold(Stream& stream, const model::Observation& seen);
  void weigh(Stream& stream, const model::Observation& reply);
  static void keep_repeated(Stream& stream, const std::string& id, std::string_view reply);
  void settle();
  void tie(Stream& stream);
  void tell_lost(const Stream& stream);
  void pass(const Stream& stream, const model::Observation& seen);

  model::ObservationSink& sink_;
  std::unordered_map<std::string, std::unique_ptr<Session>> sessions_;  // by server and name
  std::unordered_map<std::uint64_t, Session*> exchanges_;               // under way, that name a session
  std::unordered_map<std::uint64_t, Stream> streams_;                   // by exchange
};

}  // namespace mcpscan::pipeline
