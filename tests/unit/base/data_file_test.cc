#include "base/data_file.h"

#include <catch2/catch.hpp>

using namespace mcpscan;

TEST_CASE("keys of the root are left out with all that belongs to them, and every place stays") {
  const std::string yaml = "# a file\nname: a\ntests:\n  - name: one\n\n  # more\n- unindented: 1\ntestsuite: kept\ntitle: 'tests: kept'\ntests2: x\n";
  CHECK(without_keys(yaml, {"tests"}) == "# a file\nname: a\n\n\n\n\n\ntestsuite: kept\ntitle: 'tests: kept'\ntests2: x\n");
  CHECK(without_keys("a: 1\nb: 2", {"b"}) == "a: 1\n\n");
  CHECK(without_keys("", {"b"}).empty());
}
