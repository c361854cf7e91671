#include <catch2/catch.hpp>

#include <algorithm>
#include <vector>

#include "pipeline/activity_log.h"

using namespace mcpscan;
using pipeline::ActivityLog;

namespace {

// Events of calls: one request each, and its end without a reply where `lost`.
struct Feeder {
  model::Session session;
  model::Call call;
  model::CloseReason ends = model::CloseReason::overwritten;

  Feeder(std::uint32_t index, const char* label) {
    session.index = index;
    session.label = label;
    call.requestor = model::Direction::client_to_server;
  }
  void feed(ActivityLog& log, std::int64_t second, bool lost = false) {
    model::TimelineEvent event;
    event.kind = model::EventKind::request;
    event.at = {second * kSecond};
    event.session = &session;
    event.call = &call;
    log.on_event(event);
    call.closed = ends;
    event.kind = model::EventKind::call_closed;
    if (lost) log.on_event(event);
  }
};

model::Activity reported(const ActivityLog& log) {
  model::Activity activity;
  log.report(activity);
  return activity;
}

}  // namespace

TEST_CASE("activity is counted by stretches that grow with the time that the evidence spans, in whatever order it comes") {
  const Limits limits;
  Feeder one(0, "s-one");
  ActivityLog log(limits), backwards(limits);
  for (int second = 0; second < 86400; second += 60) one.feed(log, second, second % 3600 == 0);
  for (int second = 86400 - 60; second >= 0; second -= 60) one.feed(backwards, second, second % 3600 == 0);
  for (const ActivityLog* each : {&log, &backwards}) {
    const model::Activity activity = reported(*each);
    CHECK(activity.stretch_us == 15 * kMinute);
    REQUIRE(activity.rows.size() == 1);
    CHECK(activity.rows[0].session == "s-one");
    REQUIRE(activity.rows[0].stretches.size() == 96);
    CHECK(activity.rows[0].stretches[0].counts.calls == 15);
    CHECK(activity.rows[0].stretches[0].counts.lost == 1);
    CHECK(activity.rows[0].stretches[1].counts.lost == 0);
  }
}

TEST_CASE("a session seen from two places counts once in each stretch of time") {
  const Limits limits;
  Feeder here(0, "s-one"), there(5, "s-one");
  ActivityLog log(limits), other(limits);
  for (int second = 0; second < 50; second += 5) here.feed(log, second);
  for (int second = 0; second < 100; second += 5) there.feed(other, second);
  model::Activity activity;
  log.report(activity);
  other.report(activity);
  REQUIRE(activity.rows.size() == 1);
  std::uint64_t calls = 0;
  for (const auto& stretch : activity.rows[0].stretches) calls += stretch.counts.calls;
  CHECK(calls == 20);
}

TEST_CASE("sessions beyond Limits::activity_sessions share one row, so that the sums stay true") {
  Limits limits;
  limits.activity_sessions = 2;
  ActivityLog log(limits);
  std::vector<Feeder> feeders;
  for (std::uint32_t i = 0; i < 5; ++i) feeders.emplace_back(i, "s");
  for (std::uint32_t i = 0; i < 5; ++i) feeders[i].session.label += std::to_string(i), feeders[i].feed(log, i);
  const model::Activity activity = reported(log);
  REQUIRE(activity.rows.size() == 3);
  CHECK(activity.rows[2].session.empty());
  CHECK(activity.rows[2].stretches.size() == 3);
}

TEST_CASE("evidence without times or sessions leaves the activity empty") {
  const Limits limits;
  ActivityLog log(limits);
  model::TimelineEvent event;
  log.on_event(event);
  CHECK(reported(log).stretch_us == 0);
}

TEST_CASE("a client that hangs up loses nothing, but where another call had taken the stream over") {
  const Limits limits;
  for (const bool collided : {false, true}) {
    Feeder one(0, "s-one");
    ActivityLog log(limits);
    one.call.collided = collided;
    one.ends = model::CloseReason::client_closed;
    one.feed(log, 1, true);
    CHECK(reported(log).rows.at(0).stretches.at(0).counts.lost == (collided ? 1 : 0));
  }
}
