// Captures whose packets do not stand in the order of their times are read again, where that can be done.
#include <catch2/catch.hpp>
#include <sys/stat.h>

#include <string>

#include "pipeline/capture_runs.h"
#include "unit/ingest/scratch_folder.h"
#include "unit/net/packets.h"

using namespace mcpscan;
using namespace mcpscan::tests;

TEST_CASE("a pipe, which gives its bytes once, is not opened again for a look at its parts") {
  const ScratchFolder folder;
  REQUIRE(mkfifo(folder.path("pipe").c_str(), 0600) == 0);
  const std::string section = little32(0x0a0d0d0a) + little32(28) + little32(0x1a2b3c4d) + std::string(12, '\0') + little32(28);
  const std::string interface = little32(1) + little32(20) + std::string(8, '\0') + little32(20);
  ingest::InputFile file;
  file.path = folder.path("pipe");
  CHECK_FALSE(pipeline::runs_of(file, section + interface + interface, 0, {}));
}
