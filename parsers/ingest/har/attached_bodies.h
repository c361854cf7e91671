// AttachedBodies: bodies that a producer wrote into files beside the HAR (Playwright's content: "attach"). A HAR is hostile: a file is
// read only when it is a plain one inside the HAR's own folder, links followed, and no longer than Limits::body_bytes.
// Ownership: none of the files stays open. Threads: one. Source: Playwright, recordHar.
#pragma once

#include <string>
#include <string_view>

#include "base/limits.h"
#include "base/result.h"

namespace mcpscan::ingest {

class AttachedBodies {
 public:
  // `har_path`: the HAR on disk; empty for standard input and archive members, which have nothing beside them.
  AttachedBodies(std::string_view har_path, const Limits& limits);

  // The file's bytes into `bytes`.
  Status read(std::string_view name, std::string& bytes) const;

 private:
  std::string folder_;  // canonical; empty: there is none
  std::size_t most_;
};

}  // namespace mcpscan::ingest
