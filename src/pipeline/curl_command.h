// Reads a curl command as a shell would, to tell the request that it sends: a transcript of `curl -i` shows the reply only. What the shell put
// in for a variable is not there: such a value is told as unknown.
// Not a shell: a pipe, a redirection or a second command ends what is read. Threads: pure functions. Bounds: the caller's, of the text.
// Source: curl(1); POSIX shell, Quoting; bash, ANSI-C Quoting.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace mcpscan::pipeline {

struct CurlRequest {
  std::string head;           // request line and fields, each with CRLF, without the empty line
  std::string body;
  bool body_unknown = false;     // it comes from a file or a variable
  bool session_unknown = false;  // it names one, by a variable
  bool shown_in_part = false;    // what came went through a pipe or into a file first
};

// Whether a command begins in this line: at its start, or behind a prompt that ends in $, %, # or >.
bool begins_curl_command(std::string_view line);

// Follows the quotes of a command over its lines.
class CommandLines {
 public:
  // Takes the next line, without its end; true where the shell would ask for one more: behind a backslash, or within quotes.
  bool goes_on(std::string_view line);

 private:
  char quote_ = 0;
  bool escapes_ = false;  // within the quotes a backslash takes the next character along
};

// `command` with all its lines. `session` is put in where a variable stands for the session id; empty: the field is left out then.
// Nothing where no URL is told.
std::optional<CurlRequest> read_curl_command(std::string_view command, std::string_view session);

}  // namespace mcpscan::pipeline
