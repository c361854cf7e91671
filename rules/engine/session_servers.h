// SessionServers: which servers have answered for a session id, so that a refusal by one that never had, while one that had was there, is told
// from a session that was lost. A tracker keeps a session at each server apart; here those of one id are together. Not thread-safe. Bound: the
// sessions open at a time, when the detector forgets those that end, and kServers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/by_session.h"
#include "model/detector.h"

namespace mcpscan::engine {

class SessionServers {
 public:
  struct OfId {
    std::size_t open = 0;                // sessions of this id
    std::vector<std::size_t> knowing;    // the servers that answered for it
    std::uint64_t strayed = 0;           // refusals by others
    std::size_t strayed_to = 0;          // the one that refused it last
    Time first_stray, last_stray;
    std::vector<model::Evidence> strays; // kStrays of them
    bool over = false;                   // it was ended, or one that had answered for it refused it: what others say is no news
    bool told = false;                   // the detector's
  };

  // Of events that have a session.
  void note_answer(const model::TimelineEvent& event);
  void note_refusal(const model::TimelineEvent& event);
  // Null where no other server than those that knew the id refused it, or none of these is seen to have been there still.
  OfId* strays_of(const model::Session& session);
  void forget(const model::Session& session);
  // Some id was refused by a server that had answered for it: sessions are forgotten here.
  bool forgets() const { return forgets_; }

 private:
  static constexpr std::size_t kServers = 64, kStrays = 50, kNone = SIZE_MAX;
  struct Server {
    std::string address;
    Time first_seen, last_answer;
  };
  struct Known {
    std::string id;
    OfId* of_id = nullptr;
    std::size_t server = kNone;  // that answered last
  };

  std::size_t place_of(std::string_view address);
  void note_own_refusal(OfId& id, Time at);
  bool was_there(const Server& server, const OfId& id) const;
  // Null for a session without an id.
  Known* known(const model::Session& session);
  Known* find(const model::Session& session);

  std::vector<Server> servers_;
  std::unordered_map<std::string, OfId> ids_;
  BySession<Known> sessions_;
  std::unordered_map<std::string, Known> others_;  // whose number is another input's session's as well
  bool forgets_ = false;
};

}  // namespace mcpscan::engine
