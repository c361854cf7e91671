// One call of MCP as each producer of HAR files writes it: whatever is peculiar, the call, its session and its reply come out.
#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <string>
#include <vector>

#include "pipeline/scan.h"
#include "unit/ingest/scratch_folder.h"

using namespace mcpscan;
using namespace mcpscan::tests;

namespace {

constexpr const char* kAsk = R"({\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"add\",\"arguments\":{\"a\":1}}})";
constexpr const char* kAsk64 = "eyJqc29ucnBjIjoiMi4wIiwiaWQiOjcsIm1ldGhvZCI6InRvb2xzL2NhbGwiLCJwYXJhbXMiOnsibmFtZSI6ImFkZCIsImFyZ3VtZW50cyI6eyJhIjoxfX19";
constexpr const char* kAnswer = R"({\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"1\"}]}})";
constexpr const char* kAnswer64 = "eyJqc29ucnBjIjoiMi4wIiwiaWQiOjcsInJlc3VsdCI6eyJjb250ZW50IjpbeyJ0eXBlIjoidGV4dCIsInRleHQiOiIxIn1dfX0=";
constexpr const char* kHeads = R"([{"name":"Content-Type","value":"application/json"},{"name":"Mcp-Session-Id","value":"0123456789abcdef0123456789abcdef"}])";
constexpr const char* kUrl = "https://mcp.example/mcp";

std::string posted(const char* text) { return fmt::format(R"("postData":{{"mimeType":"application/json","params":[],"text":"{}"}})", text); }
std::string content(const char* more) { return fmt::format(R"("content":{{"mimeType":"application/json",{}}})", more); }

struct Producer {
  const char* name;
  std::string before, entry;
};

std::string request(const std::string& members, const char* version = "HTTP/1.1") {
  return fmt::format(R"("request":{{"method":"POST","url":"{}","httpVersion":"{}","cookies":[],"queryString":[],{}}})", kUrl, version, members);
}
std::string response(const std::string& members) { return fmt::format(R"("response":{{{}}})", members); }

std::vector<Producer> producers() {
  const std::string heads = fmt::format(R"("headers":{})", kHeads);
  const std::string plain = content(fmt::format(R"("size":84,"text":"{}")", kAnswer).c_str()), base64 = content(fmt::format(R"("size":84,"text":"{}","encoding":"base64")", kAnswer64).c_str());
  const std::string falsely = content(fmt::format(R"("size":84,"text":"{}","encoding":"base64")", kAnswer).c_str());
  const std::string h2 = fmt::format(R"("headers":[{{"name":":authority","value":"mcp.example"}},{{"name":":method","value":"POST"}},{{"name":":path","value":"/mcp"}},{{"name":":scheme","value":"https"}},{})", std::string(kHeads).substr(1));
  const std::string sizes = R"("headersSize":-1,"bodySize":-1,)", ok = R"("status":200,"statusText":"OK","httpVersion":"HTTP/1.1","cookies":[],)";
  const auto timed = [](const char* started, const char* rest) { return fmt::format(R"("startedDateTime":"{}",{},)", started, rest); };
  const char* chrome = R"("time":12.5,"timings":{"blocked":1.1,"dns":-1,"ssl":-1,"connect":-1,"send":0.1,"wait":10,"receive":1.3,"_blocked_queueing":0.5},"_connectionId":"71","connection":"443","_priority":"High","cache":{})";
  return {
      {"Chrome", "", timed("2026-11-29T16:35:55.274Z", chrome) + request(h2 + ",\"bodySize\":88," + posted(kAsk), "h2") + "," +
                         response(R"("status":200,"statusText":"","httpVersion":"h2","redirectURL":"","_transferSize":200,"_error":null,)" + sizes + heads + "," + plain)},
      {"Edge", "", timed("2026-11-29T16:35:55.274Z", chrome) + request(heads + "," + posted(kAsk), "http/2.0") + "," + response(ok + sizes + heads + "," + plain)},
      {"Firefox", "", timed("2026-11-29T17:35:55.274+01:00", R"("time":12,"timings":{"blocked":0,"dns":0,"connect":0,"ssl":0,"send":0,"wait":12,"receive":0},"cache":{})") +
                          request(heads + ",\"headersSize\":312,\"bodySize\":88," + posted(kAsk)) + "," + response(ok + R"("headersSize":210,"bodySize":294,)" + heads + "," + falsely)},
      {"Safari", "", timed("2026-11-29T16:35:55.274Z", R"("time":12.345678901,"timings":{"blocked":-1,"dns":-1,"connect":-1,"ssl":-1,"send":0.123456,"wait":11.9,"receive":0.3},"cache":{})") +
                         request(heads + "," + sizes + posted(kAsk)) + "," + response(ok + sizes + heads + "," + base64)},
      {"Playwright", "", timed("2026-11-29T16:35:55.274Z", R"("time":12.1,"timings":{"send":0,"wait":12,"receive":0.1},"pageref":"page@1","_serverPort":443,"cache":{})") +
                             request(heads + "," + sizes + posted(kAsk)) + "," + response(ok + R"("_transferSize":-1,)" + sizes + heads + "," + plain)},
      {"mitmproxy", "", timed("2026-11-29T16:35:55.274000+00:00", R"("time":12,"timings":{"connect":-1,"ssl":-1,"send":1,"receive":1,"wait":10},"cache":{})") +
                            request(heads + "," + posted(kAsk)) + "," + response(ok + heads + "," + base64)},
      {"Charles", "", timed("2026-11-29T16:35:55.274+00:00", R"("time":12,"timings":{"dns":null,"connect":null,"ssl":null,"send":0,"wait":12,"receive":0},"cache":{})") +
                          request(heads + R"(,"postData":{"mimeType":"application/json","encoding":"base64","text":")" + kAsk64 + "\"}") + "," +
                          response(ok + R"("redirectURL":null,)" + heads + "," + base64)},
      {"Fiddler", "\xEF\xBB\xBF", timed("2026-11-29T16:35:55.2740000+00:00", R"("time":12,"timings":{"dns":-1,"connect":-1,"ssl":-1,"blocked":-1,"send":0,"wait":12,"receive":0},"connection":"ClientPort:50122;EgressPort:50123","comment":"[#7]","cache":{})") +
                                    request(heads + "," + sizes + posted(kAsk)) + "," + response(ok + sizes + heads + "," + plain)},
      {"Proxyman", "", timed("2026-11-29T16:35:55Z", R"("comment":null)") + request(heads + "," + posted(kAsk)) + "," + response(R"("status":200,)" + heads + "," + base64)},
      {"Insomnia", "", timed("2026-11-29T16:35:55.274Z", R"("time":12,"timings":{"blocked":-1,"dns":-1,"connect":-1,"send":0,"wait":12,"receive":0,"ssl":-1},"cache":{})") +
                           request(heads + "," + sizes + posted(kAsk)) + "," + response(ok + R"("redirectURL":"",)" + sizes + heads + "," + plain)},
      {"Postman", "", timed("2026-11-29T16:35:55.274Z", R"("time":null,"timings":null,"cache":null)") + request(heads + "," + posted(kAsk)) + "," + response(R"("status":200,"statusText":null,)" + heads + "," + plain)},
      {"Burp", "", timed("2026-11-29T16:35:55Z", R"("time":-1,"timings":{"send":-1,"wait":-1,"receive":-1})") + request(heads + "," + sizes + posted(kAsk)) + "," + response(R"("status":"200",)" + sizes + heads + "," + base64)},
  };
}

}  // namespace

TEST_CASE("the call and its reply come out of every producer's HAR", "[har]") {
  const pipeline::Knowledge knowledge = pipeline::load_knowledge({}, {});
  for (const Producer& producer : producers()) {
    INFO(producer.name);
    const ScratchFolder folder;
    pipeline::ScanOptions options;
    options.inputs = {folder.write("export.har", fmt::format(R"({}{{"log":{{"version":"1.2","creator":{{"name":"{}","version":"1"}},"entries":[{{{}}}]}}}})", producer.before, producer.name, producer.entry))};
    options.threads = 1;
    const auto result = pipeline::scan(options, knowledge, Limits{}, [](const std::string&, std::uint64_t) {});
    REQUIRE(result.report.inputs.size() == 1);
    CHECK(result.report.inputs[0].reader == "har");
    CHECK(result.report.inputs[0].books.used == 1);
    CHECK(format_rfc3339(result.report.inputs[0].first).substr(0, 19) == "2026-11-29T16:35:55");
    REQUIRE(result.report.sessions.size() == 1);
    CHECK(result.report.sessions[0].id == "0123456789abcdef0123456789abcdef");
    CHECK(result.report.sessions[0].paired == 1);
    for (const auto& finding : result.report.findings) CHECK(finding.rule == "capture-gap");  // the export begins in the middle of the session
  }
}
