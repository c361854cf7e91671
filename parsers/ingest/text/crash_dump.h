// CrashDump: the lines that Node writes when an exception ends its process: the place (file:line), the code, a caret, the error with its stack,
// and its version. They are one record, wherever one of them looks like the begin of another. Not the judgement: that is a dialect's.
// Bounds: kMostLines; a dump without its last line (Node before 17) is over where its stack is.
#pragma once

#include <string_view>

namespace mcpscan::ingest {

class CrashDump {
 public:
  // The first line of a record.
  void begin(std::string_view line);
  bool goes_on_with(std::string_view line) const;
  void take(std::string_view line);

 private:
  static constexpr int kMostLines = 200;
  enum class Part { none, place, caret, error };

  Part part_ = Part::none;
  int lines_ = 0;
};

// A place alone on its line.
bool begins_crash_dump(std::string_view line);

// Whether a dump might go on with the line, going by the one before it.
bool may_go_on_dump(std::string_view before, std::string_view line);

}  // namespace mcpscan::ingest
