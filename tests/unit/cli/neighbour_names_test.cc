#include "pipeline/neighbour_names.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

namespace mcpscan::pipeline {
namespace {

struct Kept : model::ObservationSink {
  void observe(const model::Observation& seen) override {
    rows.push_back(std::string(seen.session) + "|" + (seen.notice ? std::string(seen.notice->key) : "-") + "|" + std::string(seen.text));
  }
  std::vector<std::string> rows;
};

class Log {
 public:
  Log() : names_(kept_) {}
  // The strings die with the call, as those of a block do.
  void name(std::string session, std::int64_t second) {
    model::Observation seen = base(session, second);
    seen.kind = model::ObservationKind::context;
    seen.keying = model::SessionKeying::process;
    names_.observe(seen);
  }
  void timeout(std::string session, std::string key, std::int64_t second) {
    model::Notice notice;
    notice.kind = model::NoticeKind::request_timed_out;
    notice.key = key;
    model::Observation seen = base(session, second);
    const std::string text = "line of " + key;
    seen.text = text;
    seen.notice = &notice;
    names_.observe(seen);
  }
  void other() {
    model::Observation seen;
    seen.kind = model::ObservationKind::exchange_end;
    names_.observe(seen);
  }
  std::vector<std::string> rows() {
    names_.finish();
    return kept_.rows;
  }

 private:
  static model::Observation base(const std::string& session, std::int64_t second) {
    model::Observation seen;
    seen.kind = model::ObservationKind::notice;
    seen.session = session;
    seen.at.us = second * kSecond;
    return seen;
  }
  Kept kept_;
  NeighbourNames names_;
};

using Rows = std::vector<std::string>;

TEST_CASE("a timeout takes the name of the record behind it, else the only name known") {
  Log log;
  log.name("builder", 1);
  log.timeout("", "7", 61);
  log.timeout("", "0", 130);
  log.name("docs", 130);
  CHECK(log.rows() == Rows{"builder|7|line of 7", "docs|0|line of 0"});
}

TEST_CASE("with several names known and none near, a timeout stays without one") {
  Log log;
  log.name("a", 1);
  log.name("b", 2);
  log.timeout("", "7", 61);
  log.name("b", 99);
  CHECK(log.rows() == Rows{"|7|line of 7"});
}

TEST_CASE("what has a name, and what is no timeout, passes at once and in order") {
  Log log;
  log.name("a", 1);
  log.timeout("b", "1", 2);
  log.timeout("", "2", 3);
  log.other();
  CHECK(log.rows() == Rows{"b|1|line of 1", "a|2|line of 2", "|-|"});
}

TEST_CASE("without any name nothing is held back") {
  Log log;
  log.timeout("", "1", 2);
  log.other();
  CHECK(log.rows() == Rows{"|1|line of 1", "|-|"});
}

}  // namespace
}  // namespace mcpscan::pipeline
