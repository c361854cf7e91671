#include <catch2/catch.hpp>

#include "ingest/text/template.h"

using namespace mcpscan;
using namespace mcpscan::ingest;

namespace {

// field=value of each capture, or "no".
std::string match(std::string_view source, std::string_view text) {
  const Result<Template> pattern = Template::compile(source);
  if (!pattern) return pattern.error().what;
  const TimeContext context;
  TimeReader times(context);
  Captures captures;
  if (!pattern->match(text, times, captures)) return "no";
  std::string result = "yes";
  for (std::size_t i = 0; i < captures.count; ++i) {
    if (captures.items[i].field != Field::ignore) result += " " + std::string(name_of(captures.items[i].field)) + "=" + std::string(captures.items[i].text);
  }
  return result;
}

}  // namespace

TEST_CASE("a template is anchored at both ends, blanks behind it do not count") {
  CHECK(match("Response sent", "Response sent") == "yes");
  CHECK(match("Response sent", "Response sent  \r") == "yes");
  CHECK(match("Response sent", "Response sent now") == "no");
  CHECK(match("Response sent", "x Response sent") == "no");
}

TEST_CASE("lines behind the end of a template belong to the record, not to the match") {
  CHECK(match("Error in message router", "Error in message router\nTraceback (most recent call last):\n  File") == "yes");
}

TEST_CASE("a blank stands for any run of blanks and line ends") {
  CHECK(match("stream {key} not found for message.", "stream 7 not found \n                   for message.") == "yes key=7");
  CHECK(match("a b", "a\tb") == "yes");
  CHECK(match("a b", "ab") == "no");
}

TEST_CASE("a text hole may hold blanks and what looks like its end") {
  CHECK(match("Request stream {key} not found for", "Request stream my id not found not found for") == "yes key=my id not found");
  CHECK(match("[{session:text}] [{level}] {message}", "[a] b] [info] hello") == "yes session=a] b level=info message=hello");
}

TEST_CASE("an optional part is taken where it fits") {
  CHECK(match("Session {session} crashed[[: {_:rest}]]", "Session ab crashed: boom") == "yes session=ab");
  CHECK(match("Session {session} crashed[[: {_:rest}]]", "Session ab crashed") == "yes session=ab");
  CHECK(match("a[[ b[[ c]]]] d", "a b d") == "yes");
  CHECK(match("a[[ b[[ c]]]] d", "a b c d") == "yes");
  CHECK(match("a[[ b[[ c]]]] d", "a d") == "yes");
  CHECK(match("[{level}[[ ]]] x", "[info     ] x") == "yes level=info");
}

TEST_CASE("peers: IPv4, IPv6 with and without brackets, names, no port") {
  CHECK(match("{peer} - x", "10.0.0.7:1234 - x") == "yes peer=10.0.0.7");
  CHECK(match("{peer} - x", "::1:55074 - x") == "yes peer=::1");
  CHECK(match("{peer} - x", "[fe80::1%eth0]:55074 - x") == "yes peer=fe80::1%eth0");
  CHECK(match("{peer:address} - x", "2001:db8::7 - x") == "yes peer=2001:db8::7");
  CHECK(match("{peer} - x", "localhost:99999 - x") == "yes peer=localhost:99999");
}

TEST_CASE("quoted text, Python scalars, loggers with Rust paths") {
  CHECK(match("{path:quoted} {status}", R"("a \" b" 200)") == R"(yes path=a \" b status=200)");
  CHECK(match("id={key:repr},", "id='a b',") == "yes key=a b");
  CHECK(match("id={key:repr})", "id=-12.5)") == "yes key=-12.5");
  CHECK(match("{logger}: {message}", "rmcp::transport::worker: quit") == "yes logger=rmcp::transport::worker message=quit");
  CHECK(match("{level}:{logger}:{message}", "DEBUG:mcp.server:a:b") == "yes level=DEBUG logger=mcp.server message=a:b");
}

TEST_CASE("durations with their units, in microseconds") {
  const auto us = [](std::string_view text, std::int64_t unit = 0) {
    std::int64_t value = -1;
    return read_duration(text, unit, value) == 0 ? -1 : value;
  };
  CHECK(us("12.34ms") == 12340);
  CHECK(us("1.234567s") == 1234567);
  CHECK(us("1m2.5s") == 62500000);
  CHECK(us("1m 20s") == 80000000);
  CHECK(us("850\xc2\xb5s") == 850);
  CHECK(us("2.0 seconds.") == 2000000);
  CHECK(us("1500ns") == 2);
  CHECK(us("2h") == 7200000000);
  CHECK(us("0.010", kSecond) == 10000);
  CHECK(us("12") == -1);
  CHECK(us("12 monkeys") == -1);
}

TEST_CASE("braces and brackets of the text are written with a backslash") {
  CHECK(match(R"(\{"event": {_:quoted}\})", R"({"event": "x"})") == "yes");
  CHECK(match(R"(\[\[{key}\]\])", "[[7]]") == "yes key=7");
}

TEST_CASE("what a template needs is told: an unclosed part, an unknown type, a stray argument") {
  CHECK(match("a[[b", "") == "an optional part [[ is never closed at column 5");
  CHECK(match("{key:wrod}", "") == "unknown hole type 'wrod' at column 1");
  CHECK(match("{time:time=gregorian}", "") == "unknown time form 'gregorian' at column 1");
  CHECK(match("{key:word=s}", "") == "'=s' means nothing here at column 1");
}

TEST_CASE("optional parts at the start are written out, so that the first bytes decide") {
  CHECK(expand_leading_options("[[a ]]b") == std::vector<std::string>{"a b", "b"});
  CHECK(expand_leading_options("[[a ]][[b ]]c") == std::vector<std::string>{"a [[b ]]c", "b c", "c"});
  CHECK(expand_leading_options("a[[b]]") == std::vector<std::string>{"a[[b]]"});
}

TEST_CASE("a hostile text costs no more than the budget") {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += "x ";
  CHECK(match("{key} y {tool} y {second_key} y {session} z", text) == "no");
  CHECK(match("{_:text} x {_:text} x {_:text} x {_:text} x {_:text} q", text) == "no");
}
