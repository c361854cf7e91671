#include "engine/overlap_group.h"

#include <catch2/catch.hpp>

#include <vector>

using namespace mcpscan;

namespace {

struct Member {
  std::uint32_t handle = 0;
  bool open = false, lost = false;
  Time requested;
};
using Groups = engine::OverlapGroups<Member>;

// A group's book-keeping: who was judged, with which calls.
struct Judged {
  std::vector<std::vector<std::uint32_t>> groups;
  Member* join(Groups& in, std::uint32_t handle, std::int64_t at) {
    Member* member = in.join(7, Time{at}, [](Member& overdue) { overdue.lost = true; }, [this](const Groups::Group& group) {
      auto& handles = groups.emplace_back();
      for (std::size_t i = 0; i < group.used; ++i) {
        if (!group.members[i].open) handles.push_back(group.members[i].handle);
      }
    });
    if (member) member->handle = handle, member->lost = false;
    return member;
  }
};

}  // namespace

TEST_CASE("calls that overlap are one group, and it ends with its last call") {
  Groups groups(8, 100);
  Judged judged;
  judged.join(groups, 1, 0);
  judged.join(groups, 2, 5);
  Groups::Group* group = groups.find(7);
  REQUIRE(group);
  CHECK(group->open == 2);
  CHECK(group->find_open(2)->requested == Time{5});
  group->close(*group->find_open(1));
  CHECK(group->find_open(1) == nullptr);
  groups.end(7);
  CHECK(groups.find(7) == nullptr);
}

TEST_CASE("a call that nobody waits for any more holds no group together") {
  Groups groups(8, 100);
  Judged judged;
  judged.join(groups, 1, 0);
  judged.join(groups, 2, 1000);
  CHECK(judged.groups == std::vector<std::vector<std::uint32_t>>{{1}});
  CHECK(groups.find(7)->used == 1);
  CHECK(groups.find(7)->open == 1);
}

TEST_CASE("in a full group closed calls make room, and open ones stay") {
  Groups groups(3, 100);
  Judged judged;
  for (std::uint32_t handle = 1; handle <= 3; ++handle) judged.join(groups, handle, handle);
  CHECK(judged.join(groups, 4, 4) == nullptr);
  Groups::Group* group = groups.find(7);
  group->close(*group->find_open(2));
  REQUIRE(judged.join(groups, 4, 4));
  CHECK(judged.groups.back() == std::vector<std::uint32_t>{2});
  CHECK(group->used == 3);
  CHECK(group->find_open(1));
  CHECK(group->find_open(3));
  CHECK(group->find_open(4));
}

TEST_CASE("without times no call is overdue") {
  Groups groups(8, 100);
  Judged judged;
  judged.join(groups, 1, Time::kUnknown);
  judged.join(groups, 2, 1000);
  judged.join(groups, 3, Time::kUnknown);
  CHECK(groups.find(7)->open == 3);
}
