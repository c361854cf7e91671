#include "session/id_ledger.h"

#include <catch2/catch.hpp>

#include <string>

using namespace mcpscan;
using session::IdLedger;

namespace {

model::RpcId integer(std::string_view token) { return {model::IdType::integer, token, token}; }
model::RpcId text(std::string_view value) { return {model::IdType::string, value, value}; }

struct Ledger {
  Limits limits;
  IdLedger ids;
  bool use(const model::RpcId& id) { return ids.use(id, limits); }
};

}  // namespace

TEST_CASE("who counts has left out what lies between the ids it used, and may have gone on; who does not count has left out nothing") {
  const Limits limits;
  session::IdLedger counts, leaps, whole;
  for (const char* id : {"0", "1", "4", "5", "6", "8"}) counts.use({model::IdType::integer, id, id}, limits);
  const auto ranges = counts.left_out();
  for (const char* id : {"2", "3", "7", "9", "11"}) CHECK(session::is_among(ranges, {model::IdType::integer, id, id}));
  for (const char* id : {"0", "4", "8", "12", "-1"}) CHECK_FALSE(session::is_among(ranges, {model::IdType::integer, id, id}));
  CHECK_FALSE(session::is_among(ranges, {model::IdType::string, "2", "\"2\""}));
  for (const char* id : {"17", "905", "33333"}) leaps.use({model::IdType::integer, id, id}, limits);
  CHECK(leaps.left_out().empty());
  for (const char* id : {"1", "2", "3"}) whole.use({model::IdType::integer, id, id}, limits);
  CHECK(whole.left_out().empty());
}

TEST_CASE("where the evidence shows one of many requests, more may be left out than used, and the next one; who leaps does not count there either") {
  const Limits limits;
  session::IdLedger sampled, leaps, last;
  for (const char* id : {"3", "9", "17"}) sampled.use({model::IdType::integer, id, id}, limits);
  CHECK(sampled.left_out().empty());
  const auto ranges = sampled.may_be_left_out(16);
  for (const char* id : {"4", "8", "10", "16", "18", "29"}) CHECK(session::is_among(ranges, {model::IdType::integer, id, id}));
  for (const char* id : {"2", "3", "9", "17", "30"}) CHECK_FALSE(session::is_among(ranges, {model::IdType::integer, id, id}));
  for (const char* id : {"17", "905", "33333"}) leaps.use({model::IdType::integer, id, id}, limits);
  const auto behind = leaps.may_be_left_out(16);
  CHECK(session::is_among(behind, {model::IdType::integer, "33334", "33334"}));
  CHECK_FALSE(session::is_among(behind, {model::IdType::integer, "18", "18"}));
  last.use({model::IdType::integer, "9223372036854775807", "9223372036854775807"}, limits);
  CHECK(last.may_be_left_out(16).empty());
}

TEST_CASE("an id is new once, and used before from then on") {
  Ledger ledger;
  CHECK_FALSE(ledger.use(integer("7")));
  CHECK(ledger.use(integer("7")));
  CHECK_FALSE(ledger.use(text("a")));
  CHECK(ledger.use(text("a")));
}

TEST_CASE("1 and \"1\" are two ids, and so are 1 and 1.0") {
  Ledger ledger;
  CHECK_FALSE(ledger.use(integer("1")));
  CHECK_FALSE(ledger.use(text("1")));
  CHECK_FALSE(ledger.use({model::IdType::fraction, "1.0", "1.0"}));
  CHECK(ledger.ids.contains(integer("1")));
  CHECK(ledger.ids.contains(text("1")));
}

TEST_CASE("sequential ids cost one interval, in whatever order they come") {
  Ledger ledger;
  ledger.limits.id_intervals = 2;
  for (const char* id : {"5", "7", "6", "4", "8"}) CHECK_FALSE(ledger.use(integer(id)));
  CHECK(ledger.ids.complete());
  for (const char* id : {"4", "5", "6", "7", "8"}) CHECK(ledger.use(integer(id)));
  CHECK_FALSE(ledger.ids.contains(integer("3")));
  CHECK_FALSE(ledger.ids.contains(integer("9")));
}

TEST_CASE("the ends of the integer range do not overflow") {
  Ledger ledger;
  const auto lowest = integer("-9223372036854775808"), highest = integer("9223372036854775807");
  CHECK_FALSE(ledger.use(lowest));
  CHECK_FALSE(ledger.use(highest));
  CHECK_FALSE(ledger.use(integer("-9223372036854775807")));
  CHECK_FALSE(ledger.use(integer("9223372036854775806")));
  CHECK(ledger.use(lowest));
  CHECK(ledger.use(highest));
}

TEST_CASE("an integer of more digits than 64 bits hold is kept by its digits") {
  Ledger ledger;
  CHECK_FALSE(ledger.use(integer("178123456789012345678901")));
  CHECK_FALSE(ledger.use(integer("178123456789012345678902")));
  CHECK(ledger.use(integer("178123456789012345678901")));
}

TEST_CASE("beyond id_intervals the ledger says that it is no longer complete, and keeps what it had") {
  Ledger ledger;
  ledger.limits.id_intervals = 2;
  for (const char* id : {"10", "20", "30"}) CHECK_FALSE(ledger.use(integer(id)));
  CHECK_FALSE(ledger.ids.complete());
  CHECK(ledger.use(integer("10")));
  CHECK_FALSE(ledger.use(integer("30")));
}

TEST_CASE("beyond id_hashes string ids are no longer remembered, those before are") {
  Ledger ledger;
  ledger.limits.id_hashes = 2;
  for (const char* id : {"a", "b", "c"}) CHECK_FALSE(ledger.use(text(id)));
  CHECK_FALSE(ledger.ids.complete());
  CHECK(ledger.use(text("a")));
  CHECK_FALSE(ledger.use(text("c")));
}

TEST_CASE("a cleared ledger begins anew, complete again") {
  Ledger ledger;
  ledger.limits.id_hashes = 0;
  CHECK_FALSE(ledger.use(text("a")));
  CHECK_FALSE(ledger.ids.complete());
  ledger.ids.clear();
  CHECK(ledger.ids.complete());
  CHECK_FALSE(ledger.use(integer("1")));
}
