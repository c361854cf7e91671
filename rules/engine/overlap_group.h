// OverlapGroups: the calls of each session that overlap at present, for detectors that compare them. A group ends when none of its calls
// is open. A call open for longer than any client waits is overdue and holds no group together; when a group is full, its closed
// calls make room. Groups and members that ended keep their memory for the next ones.
// Member: `handle`, `open`, `requested`; reset by who joins it. Owns the members. Not thread-safe. Bound: `most` members a group, a group
// for each session with a call open.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/time.h"
#include "engine/by_session.h"
#include "model/timeline.h"

namespace mcpscan::engine {

// What findings tell of a call, into a member whose memory is used again.
inline void reuse(model::FindingCall& into, const model::Call& call, Time asked) {
  into.id.type = call.id.type;
  into.id.value = call.id.value;
  into.id.raw = call.id.raw;
  into.method = call.method;
  into.tool = call.target;
  into.requested_at = asked;
  into.replied_at = Time{};
}

template <typename Member>
struct OverlapGroup {
  std::vector<Member> members;   // the first `used` are the group's, in order of their requests
  std::size_t used = 0, open = 0;

  Member* find_open(std::uint32_t handle) {
    for (std::size_t i = used; i > 0; --i) {
      if (members[i - 1].open && members[i - 1].handle == handle) return &members[i - 1];
    }
    return nullptr;
  }
  void close(Member& member) {
    member.open = false;
    --open;
  }
};

template <typename Member>
class OverlapGroups {
 public:
  using Group = OverlapGroup<Member>;

  OverlapGroups(std::size_t most, std::int64_t patience_us) : most_(most), patience_us_(patience_us) {}

  Group* find(std::uint32_t session) const { return groups_.find(session); }

  // The group that a call sent at `now` belongs to, and room for it; null when the group is full of open calls. `judge` is given a group
  // whose calls are all over, or overdue (`give_up` is told of each), before it makes room.
  template <typename GiveUp, typename Judge>
  Member* join(std::uint32_t session, Time now, GiveUp give_up, Judge judge) {
    Group& group = of(session);
    if (group.used > 0 && is_overdue(group.members[0], now)) drop_overdue(group, now, give_up);
    const bool over = group.used > 0 && group.open == 0;
    if (over || group.used >= most_) {
      judge(group);
      keep_open(group);
    }
    if (group.used >= most_) return nullptr;
    if (group.used == group.members.size()) group.members.emplace_back();
    Member& member = group.members[group.used++];
    member.open = true;
    member.requested = now;
    ++group.open;
    return &member;
  }

  // The session's group is over.
  void end(std::uint32_t session) {
    std::unique_ptr<Group> group = groups_.take(session);
    if (!group) return;
    group->used = group->open = 0;
    if (spare_.size() < kSpare && group->members.size() <= kSpareMembers) spare_.push_back(std::move(group));
  }

 private:
  static constexpr std::size_t kSpare = 64, kSpareMembers = 12;  // ended groups kept for their memory: small ones, as nearly all are

  Group& of(std::uint32_t session) {
    Group* const group = groups_.find(session);
    if (group) return *group;
    if (spare_.empty()) return groups_.put(session, std::make_unique<Group>());
    std::unique_ptr<Group> renewed = std::move(spare_.back());
    spare_.pop_back();
    return groups_.put(session, std::move(renewed));
  }

  bool is_overdue(const Member& member, Time now) const {
    return now.known() && member.requested.known() && now.us - member.requested.us > patience_us_;
  }

  template <typename GiveUp>
  void drop_overdue(Group& group, Time now, GiveUp give_up) {
    for (std::size_t i = 0; i < group.used; ++i) {
      Member& member = group.members[i];
      if (!member.open || !is_overdue(member, now)) continue;
      give_up(member);
      group.close(member);
    }
  }

  static void keep_open(Group& group) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < group.used; ++i) {
      if (group.members[i].open) std::swap(group.members[kept++], group.members[i]);
    }
    group.used = kept;
  }

  std::size_t most_;
  std::int64_t patience_us_;
  BySession<Group> groups_;
  std::vector<std::unique_ptr<Group>> spare_;
};

}  // namespace mcpscan::engine
