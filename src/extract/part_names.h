// PartNames: what the parts of a bundle are called: as their sources are, without a compression's ending, for a log's name tells its rotation
// and may name a session. Sources of one name from different places get a number in front, the parts of one rotated set the same.
// Threads: none.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "ingest/input_set.h"

namespace mcpscan::extract {

class PartNames {
 public:
  // Below the bundle: evidence/gateway.log.1. Each call gives another name.
  std::string name_of(const ingest::InputFile& file);
  // `reader`: how it was read; `younger`: how many parts of its rotated set are younger.
  std::string shared_name_of(const ingest::InputFile& file, std::string_view reader, std::size_t younger);

 private:
  std::map<std::string, std::size_t> numbers_;  // of a rotated set: the number in front, 0: none
  std::set<std::string> taken_;
};

}  // namespace mcpscan::extract
