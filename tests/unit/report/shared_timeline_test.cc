#include <catch2/catch.hpp>

#include <memory>
#include <string>
#include <vector>

#include "report/shared_timeline.h"
#include "support/demo_report.h"

using namespace mcpscan;

namespace {

// What a writer gets to see.
struct Recorder : model::TimelineWriter {
  explicit Recorder(std::vector<std::string>& to) : lines(to) {}
  void row(const model::TimelineRow& row) override { lines.push_back(row.session->label + ' ' + std::string(row.input) + ' ' + row.what + ' ' + std::string(row.text)); }
  void finish(const model::Report& report) override { lines.push_back(report.findings.at(0).session); }

  std::vector<std::string>& lines;
};

}  // namespace

TEST_CASE("a shared timeline has ordinals for session ids and addresses in every text, the same in what was found") {
  std::vector<std::string> lines;
  report::SharedTimeline shared(std::make_unique<Recorder>(lines));
  model::Session session;
  session.label = "9f2c4e1ab7d84c0f8a6be3d2c1f05a77";
  model::TimelineRow row;
  row.session = &session;
  row.input = "/srv/alice/gateway.log";
  row.what = "POST from 10.44.3.17";
  row.text = "session=9f2c4e1ab7d84c0f8a6be3d2c1f05a77 Authorization: Bearer s3cr3t";
  shared.row(row);
  shared.finish(tests::demo_report());
  REQUIRE(lines.size() == 2);
  CHECK(lines[0] == "00000000000000000000000000000001 gateway.log POST from 10.10.0.11 session=00000000000000000000000000000001 Authorization: Bearer ***");
  CHECK(lines[1] == "00000000000000000000000000000001");
}
