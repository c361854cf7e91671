// BySession: what a detector keeps of each session open at a time. A flat table by the session's index, since each event looks here: indexes
// are given one after the other, so that those open at a time hardly ever share a place. What is kept stays where it is until erased.
// Owns what is kept. Not thread-safe. Bound: the sessions open at a time, when the detector erases those that end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace mcpscan::engine {

template <typename Kept>
class BySession {
 public:
  // Null where nothing is kept of the session.
  Kept* find(std::uint32_t session) const { return places_[place_of(session)].kept.get(); }

  // Begun when it is asked for first.
  Kept& operator[](std::uint32_t session) {
    Kept* const kept = find(session);
    return kept ? *kept : put(session, std::make_unique<Kept>());
  }

  // For a session of which nothing is kept.
  Kept& put(std::uint32_t session, std::unique_ptr<Kept> kept) {
    if (++size_ * 2 > places_.size()) grow();
    Place& place = places_[place_of(session)];
    place = {session, std::move(kept)};
    return *place.kept;
  }

  void erase(std::uint32_t session) { take(session); }

  // Erased, and given to the caller; null where nothing was kept.
  std::unique_ptr<Kept> take(std::uint32_t session) {
    std::size_t hole = place_of(session);
    std::unique_ptr<Kept> taken = std::move(places_[hole].kept);
    if (!taken) return taken;
    --size_;
    for (std::size_t next = after(hole); places_[next].kept; next = after(next)) {
      if (distance(home_of(places_[next].session), next) < distance(hole, next)) continue;  // its home lies behind the hole
      places_[hole] = std::move(places_[next]);
      hole = next;
    }
    return taken;
  }

 private:
  static constexpr std::size_t kLeast = 16;
  struct Place {
    std::uint32_t session = 0;
    std::unique_ptr<Kept> kept;  // null: the place is free
  };

  std::size_t home_of(std::uint32_t session) const { return session & (places_.size() - 1); }
  std::size_t after(std::size_t place) const { return (place + 1) & (places_.size() - 1); }
  std::size_t distance(std::size_t from, std::size_t to) const { return (to - from) & (places_.size() - 1); }
  // Where the session stands, or the free place where it would.
  std::size_t place_of(std::uint32_t session) const {
    std::size_t place = home_of(session);
    while (places_[place].kept && places_[place].session != session) place = after(place);
    return place;
  }
  void grow() {
    std::vector<Place> old(places_.size() * 2);
    old.swap(places_);
    for (Place& place : old) {
      if (place.kept) places_[place_of(place.session)] = std::move(place);
    }
  }

  std::vector<Place> places_ = std::vector<Place>(kLeast);
  std::size_t size_ = 0;
};

}  // namespace mcpscan::engine
