// Open exchanges by number and by connection: a hole concerns those of its connection alone, and costs what is new to it.
#include <catch2/catch.hpp>

#include <vector>

#include "session/exchange_table.h"

using namespace mcpscan;
using session::ExchangeTable;

namespace {

std::vector<std::uint64_t> shown_by_gap(ExchangeTable& table, std::uint64_t connection) {
  std::vector<std::uint64_t> shown;
  table.mark_gap_on(connection, [&](model::Exchange& exchange) { shown.push_back(exchange.id); });
  return shown;
}

std::size_t marked(ExchangeTable& table) {
  std::size_t count = 0;
  table.each([&](const model::Exchange& exchange) { count += exchange.gap; });
  return count;
}

}  // namespace

TEST_CASE("a hole marks every exchange of its connection, and no other") {
  const Limits limits;
  ExchangeTable table(limits);
  for (const std::uint64_t id : {1, 2, 3}) table.open(id, 7);
  table.open(4, 8);
  table.erase(2);
  CHECK(shown_by_gap(table, 7) == std::vector<std::uint64_t>{3, 1});
  CHECK(marked(table) == 2);
  CHECK_FALSE(table.find(4)->gap);
  CHECK(shown_by_gap(table, 9).empty());
}

TEST_CASE("beyond same_id_calls exchanges of one connection are marked, but not shown") {
  Limits limits;
  limits.same_id_calls = 2;
  ExchangeTable table(limits);
  for (const std::uint64_t id : {1, 2, 3, 4, 5}) table.open(id, 7);
  CHECK(shown_by_gap(table, 7) == std::vector<std::uint64_t>{5, 4});
  CHECK(marked(table) == 5);
  for (const std::uint64_t id : {6, 7, 8}) table.open(id, 7);
  CHECK(shown_by_gap(table, 7) == std::vector<std::uint64_t>{8, 7});
  CHECK(marked(table) == 8);
}

TEST_CASE("the oldest exchange is the one opened first that is still open") {
  const Limits limits;
  ExchangeTable table(limits);
  CHECK(table.oldest() == nullptr);
  for (const std::uint64_t id : {1, 2, 3}) table.open(id, 7);
  table.erase(1);
  CHECK(table.oldest()->id == 2);
  table.open(2, 8);  // asked for again on another connection
  CHECK(shown_by_gap(table, 7) == std::vector<std::uint64_t>{3});
  CHECK(shown_by_gap(table, 8) == std::vector<std::uint64_t>{2});
}
