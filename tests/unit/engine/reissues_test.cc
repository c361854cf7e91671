// A call made again later, alone, corroborates that its first reply was its sibling's, as far as what it gets says so.
#include "engine/reissues.h"

#include <catch2/catch.hpp>

using namespace mcpscan;
using engine::AnsweredCall;
using engine::Reissues;

namespace {

AnsweredCall answered(std::uint64_t tool, std::uint64_t arguments, std::uint64_t digest, const char* key) {
  AnsweredCall call;
  call.tool = tool;
  call.arguments = arguments;
  call.digest = digest;
  call.shape = session::ReplyShape(std::string(R"({"result":{"content":[{"type":"text","text":"{\")") + key + R"(\":1}"}]}})");
  return call;
}

}  // namespace

TEST_CASE("the re-run that gets what the sibling had been given says most, another form says something, the same again nothing") {
  const AnsweredCall got = answered(1, 10, 100, "rows"), sibling = answered(2, 20, 200, "hits");
  Reissues reissues;
  CHECK(reissues.of(got, sibling).what.empty());
  reissues.expect(got);
  reissues.note(answered(1, 10, 200, "hits"));
  CHECK(reissues.of(got, sibling).odds == Reissues::kSamePayload);
  reissues.note(answered(1, 10, 300, "hits"));
  CHECK(reissues.of(got, sibling).odds == Reissues::kOtherForm);
  reissues.note(answered(1, 10, 100, "rows"));
  CHECK(reissues.of(got, sibling).what.empty());
}

TEST_CASE("only calls that are waited for, with their arguments, are remembered") {
  Reissues reissues;
  reissues.expect(answered(1, 0, 100, "rows"));
  CHECK_FALSE(reissues.expects(answered(1, 0, 100, "rows")));
  reissues.expect(answered(1, 10, 100, "rows"));
  CHECK(reissues.expects(answered(1, 10, 300, "rows")));
  CHECK_FALSE(reissues.expects(answered(1, 11, 300, "rows")));
}
