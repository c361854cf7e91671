#include <catch2/catch.hpp>

#include <set>
#include <string>

#include "report/pseudonyms.h"
#include "report/share.h"
#include "support/demo_report.h"
#include "support/written_report.h"

using mcpscan::report::Pseudonyms;
using namespace mcpscan;

namespace {

bool has(const std::string& text, std::string_view what) { return text.find(what) != std::string::npos; }

}  // namespace

TEST_CASE("a stand-in is an ordinal in the length and alphabet of its value") {
  Pseudonyms names;
  CHECK(names.of("9f2c4e1ab7d84c0f8a6be3d2c1f05a77") == "00000000000000000000000000000001");
  CHECK(names.of("5bd0f521be84462b3b9be05d0e8e2329") == "00000000000000000000000000000002");
  CHECK(names.of("9f2c4e1ab7d84c0f8a6be3d2c1f05a77") == "00000000000000000000000000000001");
  CHECK(names.of("3F2504E0-4F89-11D3-9A0C-0305E82C3301") == "00000000-0000-0000-0000-000000000001");
  CHECK(names.of("10.44.3.17") == "10.10.0.11");
  CHECK(names.of("10.44.3.18") == "10.10.0.12");
  CHECK(names.of("192.168.100.7") == "100.100.100.1");
  CHECK(names.of("2001:db8::7") == "0000:000::1");
  CHECK(names.of("gw1.prod.example") == "aa0.aaaa.aaaaaab");
  CHECK(names.of("s-Zq") == "a-Ab");
  CHECK(names.of("").empty());
}

TEST_CASE("no two values share a stand-in, also where their shape has too few of them") {
  Pseudonyms names;
  std::set<std::string> seen;
  for (int i = 0; i < 300; ++i) seen.insert(names.of("x" + std::string(1, static_cast<char>('a' + i % 26)) + std::to_string(i % 10) + std::to_string(i)));
  for (char c = '0'; c <= '9'; ++c) seen.insert(names.of(std::string(1, c)));
  CHECK(seen.size() == 310);
}

TEST_CASE("no stand-in is somebody's real value that was told before") {
  Pseudonyms names;
  names.know("00000000000000000000000000000001");
  CHECK(names.of("9f2c4e1ab7d84c0f8a6be3d2c1f05a77") == "00000000000000000000000000000002");
}

TEST_CASE("addresses, hosts, UUIDs and hex ids are replaced by their form") {
  Pseudonyms names;
  CHECK(names.text("from 10.44.3.17:49552 to 10.44.3.18.") == "from 10.10.0.11:49552 to 10.10.0.12.");
  CHECK(names.text("[fe80::1%eth0]:80") == "[0000::1%eth0]:80");
  CHECK(names.text("at 08:13:23.104 std::string 12:13:14") == "at 08:13:23.104 std::string 12:13:14");
  CHECK(names.text("mac 52:54:00:12:34:56") == "mac 00:00:00:00:00:01");
  CHECK(names.text("charts.prod.internal down") == "aaaaaa.aaaa.aaaaaaab down");
  CHECK(names.text("op@ops.example.com") == "ab@aaa.aaaaaaa.aab");
  CHECK(names.text("gateway.log:1041 mcp.server.streamable_http notifications/cancelled") == "gateway.log:1041 mcp.server.streamable_http notifications/cancelled");
  CHECK(names.text("body\\n10.44.3.17") == "body\\n10.10.0.11");
}

TEST_CASE("what follows a session's or host's name is replaced, and then wherever it stands") {
  Pseudonyms names;
  CHECK(names.text("Mcp-Session-Id: sess_Ab12 then sess_Ab12") == "Mcp-Session-Id: aaaa_Aa01 then aaaa_Aa01");
  CHECK(names.text("{\\\"sessionId\\\":\\\"sess_Ab12\\\"}") == "{\\\"sessionId\\\":\\\"aaaa_Aa01\\\"}");
  CHECK(names.text("https://toolbox:8080/mcp") == "https://aaaaaab:8080/mcp");
  CHECK(names.text("(b'host', b'toolbox')") == "(b'host', b'aaaaaab')");
  CHECK(names.text("http://localhost:9/ session ended") == "http://localhost:9/ session ended");
}

TEST_CASE("a session id of several words is found too") {
  Pseudonyms names;
  names.know("ab/cd+1234=");
  CHECK(names.text("in ab/cd+1234= now") == "in 00/00+0001= now");
}

TEST_CASE("folders that are left out are, before a file's name and nowhere else") {
  Pseudonyms names;
  for (const char* folder : {"", "/", "logs/", "logs/alice/", "/srv/plum/"}) names.leave_out(folder);
  CHECK(names.text("judged at (logs/alice/gw.log; logs/b.log), /srv/plum/c.log") == "judged at (gw.log; b.log), c.log");
  CHECK(names.text("catalogs/x and /srv/plums/y, old/logs/z") == "catalogs/x and /srv/plums/y, old/logs/z");
}

TEST_CASE("a shared report shows no session id, address, host or folder in any format, and keeps what it is about") {
  const std::string session = "9f2c4e1ab7d84c0f8a6be3d2c1f05a77";
  model::Report report = tests::demo_report();
  report.inputs[0].path = "/srv/alice/logs/gateway.log";
  report.findings[0].evidence[0].text = "POST from 10.44.3.17 Host: charts.prod.internal Authorization: Bearer s3cr3t session=" + session;
  report.findings[0].evidence[1].text = "toolbox-4 asked by http://toolbox-4/mcp";
  report.incidents[0].notes = {session + ": 2 bursts"};
  report.sessions[0].key = "client 10.44.3.17";
  report.sessions[0].id.clear();
  report.activity.rows = {{report.findings[0].session, {}}};
  Pseudonyms names;
  report::pseudonymise(report, names);
  for (const auto* format : report::registered_report_formats()) {
    const std::string text = model::text_of(*format, report, {});
    for (const char* secret : {"9f2c4e1a", "10.44.3.17", "charts.prod", "alice", "toolbox", "s3cr3t", "7f3a9c"}) {
      INFO(format->name << " " << secret);
      CHECK_FALSE(has(text, secret));
    }
    INFO(format->name);
    CHECK(has(text, "gateway.log"));
  }
  CHECK(report.findings[1].consequence_of == report.findings[0].id);
  CHECK(report.incidents[0].root == report.findings[0].id);
  CHECK(report.sessions[1].id == report.findings[0].session);
  CHECK(report.activity.rows[0].session == report.findings[0].session);
  CHECK(report.sessions[0].key == "client 10.10.0.11");
}
