#include "base/find_text.h"

#include <catch2/catch.hpp>

#include <string>

using mcpscan::find_text;
using mcpscan::rfind_text;

TEST_CASE("A word is found where string_view::find finds it, wherever it stands and however long the text is") {
  for (const std::string word : {"a", "ab", "aba", "file_80946", "a word that is longer than sixteen bytes"}) {
    for (std::size_t size = 0; size < 80; ++size) {
      for (std::size_t place = 0; place + word.size() <= size; ++place) {
        std::string text(size, 'a');  // looks like the beginning of the word everywhere
        text.replace(place, word.size(), word);
        for (const std::size_t from : {std::size_t{0}, place, place + 1, size}) CHECK(find_text(text, word, from) == text.find(word, from));
      }
      CHECK(find_text(std::string(size, 'b'), word) == std::string::npos);
    }
  }
}

TEST_CASE("The last place of a word is the one that string_view::rfind finds") {
  for (const std::string word : {"a", "ab", "aba", "file_80946", "a word that is longer than sixteen bytes"}) {
    for (std::size_t size = 0; size < 80; ++size) {
      for (std::size_t place = 0; place + word.size() <= size; ++place) {
        std::string text(size, 'a');
        text.replace(place, word.size(), word);
        for (const std::size_t from : {std::size_t{0}, place, place + 1, size, std::string::npos}) CHECK(rfind_text(text, word, from) == text.rfind(word, from));
      }
      CHECK(rfind_text(std::string(size, 'b'), word) == std::string::npos);
    }
  }
}

TEST_CASE("Nothing is found of an empty word, and nothing in an empty text") {
  CHECK(find_text("text", "") == std::string_view::npos);
  CHECK(find_text("", "word") == std::string_view::npos);
  CHECK(find_text("word", "word", 9) == std::string_view::npos);
  CHECK(rfind_text("text", "") == std::string_view::npos);
  CHECK(rfind_text("", "word") == std::string_view::npos);
}
