// Requests that access lines tell are put where they came; all else keeps its order.
#include "pipeline/request_order.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <string>
#include <vector>

namespace mcpscan::pipeline {
namespace {

struct Kept : model::ObservationSink {
  void observe(const model::Observation& seen) override { rows.push_back(fmt::format("{} {}", seen.text, seen.at.known() ? seen.at.us / kSecond : -1)); }
  std::vector<std::string> rows;
};

class Log {
 public:
  explicit Log(Limits bounds = {}) : limits(bounds), order(limits, kept) {}
  // One access line: its request, then its exchange. The strings die with the call, as those of a block do.
  void line(std::string name, std::int64_t from, std::int64_t to) {
    const model::RpcMessage message{};
    model::Observation seen;
    const std::string text = name;
    seen.text = text;
    seen.of_access_line = true;
    seen.exchange = ++lines;
    seen.message = &message;
    seen.at = {from * kSecond + fraction_us};
    order.observe(seen);
    seen.kind = model::ObservationKind::exchange_summary;
    seen.message = nullptr;
    seen.at = {to * kSecond + fraction_us};
    order.observe(seen);
  }
  void other(std::string name, std::int64_t second) {
    model::Observation seen;
    const std::string text = name;
    seen.kind = model::ObservationKind::notice;
    seen.text = text;
    if (second >= 0) seen.at = {second * kSecond};
    order.observe(seen);
  }
  std::vector<std::string> rows() {
    order.finish();
    return kept.rows;
  }

  std::uint64_t lines = 0;
  std::int64_t fraction_us = 0;
  Limits limits;
  Kept kept;
  RequestOrder order;
};

using Rows = std::vector<std::string>;

TEST_CASE("a request whose line is written last comes before those that were written while it hung") {
  Log log;
  log.line("quick", 12, 13);
  log.line("hung", 10, 70);
  CHECK(log.rows() == Rows{"hung 10", "quick 12", "quick 13", "hung 70"});
}

TEST_CASE("a log without access lines that tell requests passes as it stands, also where its times run backwards") {
  Log log;
  log.other("a", 5);
  log.other("b", 3);
  CHECK(log.kept.rows == Rows{"a 5", "b 3"});
}

TEST_CASE("records without a time stay behind what they stood behind") {
  Log log;
  log.line("first", 1, 2);
  log.other("timeless", -1);
  log.line("second", 3, 4);
  CHECK(log.rows() == Rows{"first 1", "first 2", "timeless -1", "second 3", "second 4"});
}

TEST_CASE("an access line that two handlers write is one, but not where its time has whole seconds only, nor behind another line") {
  Log log;
  log.line("coarse", 1, 2);
  log.line("coarse", 1, 2);
  log.fraction_us = 7;
  log.line("fine", 3, 4);
  log.line("fine", 3, 4);
  log.line("other", 5, 6);
  log.line("fine", 3, 4);
  CHECK(log.rows().size() == 10);
}

TEST_CASE("what is older than any wait goes on before the end") {
  Log log;
  log.line("old", 1, 2);
  log.other("much later", 2000);
  CHECK(log.kept.rows == Rows{"old 1", "old 2"});
}

TEST_CASE("past waiting_records the earliest goes on, and a request that came before it is counted as late") {
  Limits limits;
  limits.waiting_records = 2;
  Log log(limits);
  log.line("a", 10, 11);
  log.line("b", 12, 13);
  log.line("hung", 9, 14);
  CHECK(log.order.late() == 1);
  CHECK(log.rows().size() == 6);
}

TEST_CASE("past waiting_record_bytes the earliest goes on") {
  Limits limits;
  limits.waiting_record_bytes = 1;
  Log log(limits);
  log.line("a", 10, 11);
  CHECK(log.kept.rows == Rows{"a 10", "a 11"});
}

}  // namespace
}  // namespace mcpscan::pipeline
