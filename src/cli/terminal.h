// The terminal and the environment: the only place that asks for them. Output that nobody reads any more (a broken pipe) is quiet.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace mcpscan::cli {

bool stdout_is_terminal();
bool stderr_is_terminal();
bool colour_wanted();            // stdout is a terminal, NO_COLOR is not set, TERM is not dumb
unsigned terminal_width();       // 80 to 200; COLUMNS counts where stdout is no terminal
unsigned hardware_threads();

void claim_standard_streams();   // call first: opens those that are closed, so that no file is taken for one

void print(std::string_view text);             // stdout; after a failure nothing more
Status printed();                              // whether all of it went out; an error unless nobody reads any more
void print_error(const Error& error);          // stderr: "mcpscan: where: what", hint on a line of its own

// One line on stderr, rewritten in place, from the first second on.
class Progress {
 public:
  // `beside_lines`: standard output gets lines meanwhile; where both are a terminal, nothing is told in between.
  explicit Progress(bool beside_lines = false);
  void tell(const std::string& input, std::uint64_t bytes);
  ~Progress();

 private:
  std::int64_t started_ms_;
  std::int64_t shown_ms_ = 0;
  bool on_;
  bool written_ = false;
};

}  // namespace mcpscan::cli
