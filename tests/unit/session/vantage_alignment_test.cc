#include "session/vantage_alignment.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "unit/session/watched.h"

using namespace mcpscan;
using namespace mcpscan::tests;
using session::align;
using session::Alignment;
using session::AlignmentState;

namespace {

// Ten calls a second apart, each with arguments of its own; the second source sees them `skew` seconds later by its clock.
void ten_calls(Watched& outer, Watched& inner, double skew, const char* inner_id = "{}", const char* inner_session = "s1", const char* inner_tool = "tool") {
  for (int i = 1; i <= 10; ++i) {
    const std::string id = std::to_string(i), arguments = fmt::format("amber-{}", i);
    outer.answered(id, 100 + i, 0.5, {"s1", "tool", arguments});
    inner.answered(fmt::format(fmt::runtime(inner_id), i), 100 + i + skew + 0.1, 0.3, {inner_session, inner_tool, arguments});
  }
}

}  // namespace

TEST_CASE("two sources of one session: every call is joined, and the clocks' offset is halfway between requests and replies") {
  Watched outer, inner;
  ten_calls(outer, inner, 2.35);
  const Alignment joined = align(outer.ledger, inner.ledger);
  CHECK(joined.state == AlignmentState::joined);
  CHECK(joined.joined == 10);
  CHECK(joined.clock_known);
  CHECK(joined.clock_calls == 10);
  CHECK(joined.offset_us == 2350 * kMillisecond);
  CHECK(joined.spread_us == 0);
  CHECK(joined.rewritten == 0);
  CHECK(joined.sure[3]);
}

TEST_CASE("ids that a hop rewrites are learned, whatever it puts before or behind") {
  const char* const form = GENERATE("\"{}_a3b2c1d0\"", "\"agw_7_n_{}\"", "\"{}__i__backend\"", "77{}");
  INFO(form);
  Watched outer, inner;
  ten_calls(outer, inner, 0, form);
  const Alignment joined = align(outer.ledger, inner.ledger);
  CHECK(joined.joined == 10);
  CHECK(joined.rewritten == 10);
  CHECK(joined.id_before == "1");
  CHECK(joined.id_after == fmt::format(fmt::runtime(form), 1));
}

TEST_CASE("a gateway with sessions of its own and a prefix before tool names is joined by what was asked") {
  Watched outer, inner;
  ten_calls(outer, inner, -1, "{}", "u9", "desk__tool");
  const Alignment joined = align(outer.ledger, inner.ledger);
  CHECK(joined.joined == 10);
  CHECK(joined.offset_us == -kSecond);
}

TEST_CASE("questions asked again and again are told apart by their ids where sessions have other names, or none") {
  Watched outer, inner;
  for (int i = 1; i <= 6; ++i) {
    outer.answered(std::to_string(i), 100 + i, 0.5, {"front", "tool", i % 2 == 0 ? "amber" : "birch"});
    inner.answered(std::to_string(i), 100 + i + 0.1, 0.3, {"back", "tool", i % 2 == 0 ? "amber" : "birch"});
  }
  const Alignment joined = align(outer.ledger, inner.ledger);
  CHECK(joined.state == AlignmentState::joined);
  CHECK(joined.joined == 6);
  CHECK(joined.partner[4] == 4);
}

TEST_CASE("calls that ask the same are joined to the nearest in time, and accuse nobody unless their ids agree") {
  Watched outer, inner;
  ten_calls(outer, inner, 0);
  for (int i = 0; i < 3; ++i) {
    outer.answered(std::to_string(50 + i), 200 + i, 0.5, {"s1", "ping", "same"});
    inner.answered(std::to_string(90 + i), 200 + i + 0.1, 0.3, {"s1", "ping", "same"});
  }
  const Alignment joined = align(outer.ledger, inner.ledger);
  CHECK(joined.joined == 13);
  CHECK(joined.partner[11] == 11);
  CHECK_FALSE(joined.sure[11]);
}

TEST_CASE("sources with no call in common are no witnesses of the same traffic") {
  Watched one, other;
  one.answered("1", 100, 0.5, {"s1", "tool", "amber-1"});
  other.answered("1", 100, 0.5, {"s2", "tool", "birch-1"});
  CHECK(align(one.ledger, other.ledger).state == AlignmentState::nothing_in_common);
}

TEST_CASE("one question in common among many is a coincidence") {
  Watched one, other;
  for (int i = 0; i < 10; ++i) {
    one.answered(std::to_string(i), 100 + i, 0.5, {"s1", "tool", fmt::format("amber-{}", i)});
    other.answered(std::to_string(i), 100 + i, 0.5, {"s2", "tool", fmt::format("birch-{}", i)});
  }
  one.answered("20", 120, 0.5, {"s1", "tool", "hello"});
  other.answered("20", 120, 0.5, {"s2", "tool", "hello"});
  const Alignment joined = align(one.ledger, other.ledger);
  CHECK(joined.state == AlignmentState::nothing_in_common);
  CHECK(joined.partner[10] == Alignment::kAlone);
}

TEST_CASE("clocks more than ten minutes apart, or that scatter, cannot be reconciled") {
  Watched outer, inner;
  SECTION("two hours: a time zone is missing") { ten_calls(outer, inner, 7200); }
  SECTION("every call by another offset") {
    for (int i = 1; i <= 10; ++i) {
      outer.answered(std::to_string(i), 100 + i, 0.5, {"s1", "tool", fmt::format("amber-{}", i)});
      inner.answered(std::to_string(i), 100 + 30.0 * i, 0.5, {"s1", "tool", fmt::format("amber-{}", i)});
    }
  }
  CHECK(align(outer.ledger, inner.ledger).state == AlignmentState::clocks_apart);
}

TEST_CASE("a client's own record is joined with the wire by tool and arguments") {
  Watched record, wire;
  for (int i = 1; i <= 4; ++i) {
    const std::string arguments = fmt::format("amber-{}", i);
    wire.answered(std::to_string(i), 100 + i, 0.5, {"s1", "tool", arguments});
    record.outcome(fmt::format("toolu_{}", i), 99 + i, 101 + i, "about " + arguments, {"", "tool", arguments});
  }
  const Alignment joined = align(record.ledger, wire.ledger);
  CHECK(joined.joined == 4);
  CHECK(joined.offset_us == kSecond);
  CHECK(joined.rewritten == 0);
}

TEST_CASE("calls that wait for a permission before they are sent do not shake the clock of a client's record") {
  Watched record, wire;
  for (int i = 1; i <= 6; ++i) {
    const std::string arguments = fmt::format("amber-{}", i);
    wire.answered(std::to_string(i), 100 * i + 13.0 * i, 0.5, {"s1", "tool", arguments});
    record.outcome(fmt::format("toolu_{}", i), 100 * i, 100 * i + 13.0 * i + 0.6, "about " + arguments, {"", "tool", arguments});
  }
  const Alignment joined = align(record.ledger, wire.ledger);
  CHECK(joined.state == AlignmentState::joined);
  CHECK(joined.offset_us == -100 * kMillisecond);
}

TEST_CASE("the ledger keeps as many calls as it is made for, and counts the rest") {
  Watched source(3);
  for (int i = 1; i <= 5; ++i) source.answered(std::to_string(i), 100 + i, 0.5);
  CHECK(source.ledger.records().size() == 3);
  CHECK(source.ledger.left_out() == 2);
  CHECK(source.ledger.records()[2].is_right());
}

TEST_CASE("a rewritten id holds the first one whole") {
  session::CallRecord before, after;
  before.id = "1";
  for (const char* id : {"1", "1_a3b2c1d0", "agw_7_n_1", "1__i__backend"}) {
    after.id = id;
    CHECK(session::is_rewriting_of(before, after));
  }
  for (const char* id : {"11", "21_a3b2", "x1", "2"}) {
    after.id = id;
    CHECK_FALSE(session::is_rewriting_of(before, after));
  }
}
