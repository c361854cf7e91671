#include "cli/terminal.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "report/escape.h"

namespace mcpscan::cli {
namespace {

constexpr unsigned kNarrowest = 80, kWidest = 200, kUsual = 100;
constexpr unsigned kMostThreads = 16;
constexpr std::int64_t kFirstShownMs = 1000, kShownEveryMs = 200;

std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int output_errno = 0;  // why standard output stopped taking what was printed

// Our own line ends stay: of a picture, of a list.
std::string safe_lines(std::string_view text) {
  std::string safe;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    safe += report::escape_terminal(text.substr(at, end - at));
    if (end < text.size()) safe += '\n';
    at = end + 1;
  }
  return safe;
}

bool write_all(std::FILE* to, std::string_view text) {
  return std::fwrite(text.data(), 1, text.size(), to) == text.size() && std::fflush(to) == 0;
}

}  // namespace

// A closed descriptor would be given to the next file opened, and that file taken for a standard stream. The other way round /dev/null fails
// each read or write, as a closed one does.
void claim_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
    if (open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) return;
  }
}

bool stdout_is_terminal() { return isatty(STDOUT_FILENO) == 1; }
bool stderr_is_terminal() { return isatty(STDERR_FILENO) == 1; }

bool colour_wanted() {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  return stdout_is_terminal() && (!no_color || *no_color == '\0') && (!term || std::strcmp(term, "dumb") != 0);
}

unsigned terminal_width() {
  winsize size{};
  unsigned width = 0;
  if (stdout_is_terminal() && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) width = size.ws_col;
  if (const char* columns = std::getenv("COLUMNS"); width == 0 && columns) width = static_cast<unsigned>(std::strtoul(columns, nullptr, 10));
  if (width == 0) width = kUsual;
  return std::clamp(width, kNarrowest, kWidest);
}

unsigned hardware_threads() { return std::clamp(std::thread::hardware_concurrency(), 1u, kMostThreads); }

void print(std::string_view text) {
  errno = 0;
  if (output_errno == 0 && !write_all(stdout, text)) output_errno = errno;
}

Status printed() {
  if (output_errno == 0 || output_errno == EPIPE) return {};
  return Error{ErrorCode::unreadable, fmt::format("the output cannot be written: {}", std::strerror(output_errno)), "standard output", "make room, or write to another place with -o FILE"};
}

void print_error(const Error& error) {
  const Error safe{error.code, safe_lines(error.what), report::escape_terminal(error.where), safe_lines(error.hint)};
  write_all(stderr, "mcpscan: " + safe.to_string() + "\n");
}

Progress::Progress(bool beside_lines) : started_ms_(now_ms()), on_(stderr_is_terminal() && !(beside_lines && stdout_is_terminal())) {}

void Progress::tell(const std::string& input, std::uint64_t bytes) {
  if (!on_) return;
  const std::int64_t now = now_ms();
  if (now - started_ms_ < kFirstShownMs || now - shown_ms_ < kShownEveryMs) return;
  shown_ms_ = now;
  written_ = true;
  const double megabytes = static_cast<double>(bytes) / 1e6;
  write_all(stderr, fmt::format("\r\033[Kreading {:.60}  {:.0f} MB, {:.0f} MB/s", report::escape_terminal(input), megabytes, megabytes * 1000 / static_cast<double>(now - started_ms_)));
}

Progress::~Progress() {
  if (written_) write_all(stderr, "\r\033[K");
}

}  // namespace mcpscan::cli
