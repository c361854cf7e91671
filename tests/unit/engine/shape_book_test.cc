#include <catch2/catch.hpp>

#include "engine/shape_book.h"

using namespace mcpscan;
using engine::ShapeBook;
using session::ReplyShape;

namespace {

ReplyShape with_key(const std::string& key) { return ReplyShape(R"({"result":{"content":[{"type":"text","text":"{\")" + key + R"(\":1}"}]}})"); }

struct Book {
  ShapeBook shapes;
  ReplyShape hits = with_key("hits"), rows = with_key("rows");

  explicit Book(int replies) {
    for (int i = 0; i < replies; ++i) shapes.learn(1, hits), shapes.learn(2, rows);
  }
  // The reply of tool 1 looks like `first`, that of tool 2 like `second`.
  std::optional<ShapeBook::Verdict> exchanged(const ReplyShape& first, const ReplyShape& second, std::size_t pairs = 1, bool echo = false) const {
    return shapes.exchanged({1, "search", &first, echo}, {2, "query", &second, echo}, pairs);
  }
};

}  // namespace

TEST_CASE("two replies that look like each other's tool are exchanged, the surer the more replies were seen") {
  const Book book(200);
  const auto verdict = book.exchanged(book.rows, book.hits);
  REQUIRE(verdict);
  CHECK(verdict->posterior > 0.99);
  CHECK(verdict->why.find("the reply to search has \"text.rows: number\", as 0 of 200 replies of search and 200 of 200 of query") == 0);
  CHECK(Book(10).exchanged(book.rows, book.hits)->posterior < 0.99);
}

TEST_CASE("the more pairs are tried the less one of them proves; arguments that are repeated crosswise prove more") {
  const Book book(100);
  CHECK(book.exchanged(book.rows, book.hits, 1)->posterior > book.exchanged(book.rows, book.hits, 50)->posterior);
  CHECK(Book(10).exchanged(book.rows, book.hits, 1, true)->posterior > 0.99);
}

TEST_CASE("nothing is told of replies at home, of one strange reply alone, or of tools seen twice") {
  const Book book(200);
  CHECK_FALSE(book.exchanged(book.hits, book.rows));
  CHECK_FALSE(book.exchanged(book.rows, book.rows));
  CHECK_FALSE(book.exchanged(with_key("third"), with_key("fourth")));
  CHECK_FALSE(Book(2).exchanged(book.rows, book.hits));
}

TEST_CASE("a strange reply is that of a call without one, if it looks like what that call's tool answers") {
  const Book book(20);
  const ReplyShape none;
  CHECK(book.shapes.strayed({1, "search", &book.rows, false}, {2, "query", &none, false}, false));
  CHECK_FALSE(book.shapes.strayed({1, "search", &book.hits, false}, {2, "query", &none, false}, false));
  CHECK_FALSE(Book(8).shapes.strayed({1, "search", &book.rows, false}, {2, "query", &none, false}, false));
  CHECK(Book(8).shapes.strayed({1, "search", &book.rows, false}, {2, "query", &none, false}, true));
}

TEST_CASE("A book told what an earlier one had learned judges as that one would, and learns on up to the same bound") {
  const Book earlier(200);
  Book later(0);
  later.shapes.recall(earlier.shapes.shapes());
  CHECK(later.exchanged(later.rows, later.hits)->posterior == earlier.exchanged(earlier.rows, earlier.hits)->posterior);
  CHECK(later.shapes.shapes()[0].replies == 200);
  later.shapes.learn(1, later.hits);
  CHECK(later.shapes.shapes()[0].replies == 201);
  CHECK(later.shapes.wants(1));
}

TEST_CASE("What is told of a tool and cannot be true is left out: more replies with a feature than replies, more replies than a profile holds") {
  ShapeBook shapes;
  shapes.recall({{1, 1000000, {{"a", 256}, {"b", 257}, {"c", 0}}}});
  const auto told = shapes.shapes();
  REQUIRE(told.size() == 1);
  CHECK(told[0].replies == session::ShapeProfile::kEnough);
  CHECK(told[0].features == std::vector<std::pair<std::string, std::uint32_t>>{{"a", 256}});
}

TEST_CASE("a tool's profile takes as many replies as it needs, a book as many tools as it holds") {
  ShapeBook shapes;
  CHECK(shapes.wants(1));
  for (std::size_t tool = 1; tool <= ShapeBook::kTools + 1; ++tool) shapes.learn(tool, with_key("a"));
  CHECK_FALSE(shapes.wants(ShapeBook::kTools + 1));
  CHECK(shapes.wants(1));
}
