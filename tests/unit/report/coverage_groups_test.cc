#include "report/coverage_groups.h"

#include <catch2/catch.hpp>

using mcpscan::model::RuleCoverage;
using mcpscan::model::RuleState;
using mcpscan::report::group_coverage;

namespace {

RuleCoverage lacks(std::string rule, std::string why, std::string enable) { return {std::move(rule), RuleState::not_evaluable, std::move(why), std::move(enable)}; }

}  // namespace

TEST_CASE("Rules that lack the same thing are one row, and those that lack several of the things are told once, behind them") {
  const auto groups = group_coverage({lacks("a", "no bodies", "log bodies"), lacks("b", "no headers", "capture"), lacks("c", "no bodies; no headers", "log bodies; capture"),
                                      lacks("d", "no headers", "capture"), {"e", RuleState::evaluated, "", ""}});
  REQUIRE(groups.rows.size() == 3);
  CHECK(groups.rows[0].why == "no headers");
  CHECK(groups.rows[0].rules == std::vector<std::string>{"b", "d"});
  CHECK(groups.rows[1].rules == std::vector<std::string>{"a"});
  CHECK(groups.rows[2].several);
  CHECK(groups.rows[2].rules == std::vector<std::string>{"c"});
}

TEST_CASE("A thing that is only missing beside others has its row, so that every reason is told with its way out") {
  const auto groups = group_coverage({lacks("a", "no bodies; no headers", "log bodies; capture")});
  REQUIRE(groups.rows.size() == 3);
  CHECK(groups.rows[0].why == "no bodies");
  CHECK(groups.rows[0].enable == "log bodies");
  CHECK(groups.rows[0].rules.empty());
  CHECK(groups.rows[1].why == "no headers");
  CHECK(groups.rows[2].several);
}

TEST_CASE("A way that enables many rules alike is told once, not in each row") {
  const auto groups = group_coverage({lacks("a", "no bodies", "set DEBUG on x; or: log bodies"), lacks("b", "no headers", "set DEBUG on x; or: capture")});
  CHECK(groups.shared_enable == "set DEBUG on x");
  CHECK(groups.rows[0].enable == "log bodies");
  CHECK(groups.rows[1].enable == "capture");
}

TEST_CASE("Rules judged in part stand behind those not judged, with a reason that names no way out kept whole") {
  const auto groups = group_coverage({{"a", RuleState::partly, "the evidence has gaps; 3 replies name no session", ""}, lacks("b", "no times", "add them")});
  REQUIRE(groups.rows.size() == 2);
  CHECK(groups.rows[0].rules == std::vector<std::string>{"b"});
  CHECK(groups.rows[1].why == "the evidence has gaps; 3 replies name no session");
}
