#include <catch2/catch.hpp>

#include "report/json_writer.h"

using namespace mcpscan::report;

TEST_CASE("JSON is written in the order of the calls, one element a line where asked") {
  JsonWriter json;
  json.begin_object(JsonWriter::Form::lines);
  json.key("a").begin_list(JsonWriter::Form::lines).number(std::uint64_t{1}).number(std::int64_t{-2}).end_list();
  json.key("b").begin_object().key("c").null().key("d").boolean(true).end_object();
  json.key("e").begin_list(JsonWriter::Form::lines).end_list();
  json.end_object();
  CHECK(json.take() == "{\n \"a\": [\n  1,\n  -2\n ],\n \"b\": {\"c\": null, \"d\": true},\n \"e\": []\n}");
}

TEST_CASE("tokens are numbers only as RFC 8259 has them") {
  for (const char* good : {"0", "-0", "1", "-12", "123456789012345678901234", "1.5", "1e400", "1E-2", "0.0"}) CHECK(is_json_number(good));
  for (const char* bad : {"", "-", "01", "+1", "1.", ".5", "1e", "0x1", "1_000", "NaN", "Infinity", "1 ", "1,2", "1}"}) CHECK_FALSE(is_json_number(bad));
}

TEST_CASE("what is handed over while it is written is the same text") {
  const auto write = [](JsonWriter& json, auto after_each) {
    json.begin_object(JsonWriter::Form::lines).key("a").begin_list(JsonWriter::Form::lines);
    for (std::uint64_t i = 0; i < 40'000; ++i) json.begin_object().key("n").number(i).end_object(), after_each();
    json.end_list().key("b").null().end_object();
  };
  JsonWriter whole, piecewise;
  write(whole, [] {});
  std::string text;
  std::size_t pieces = 0;
  write(piecewise, [&] { piecewise.hand_over([&](std::string_view piece) { text += piece, ++pieces; }); });
  CHECK(pieces > 1);
  CHECK(text + piecewise.take() == whole.take());
}
