#include "cli/terminal.h"

#include <fmt/format.h>

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace mcpscan::cli {
namespace {

constexpr unsigned kNarrowest = 80, kWidest = 200, kUsual = 100;
constexpr unsigned kMostThreads = 16;
constexpr std::int64_t kFirstShownMs = 1000, kShownEveryMs = 200;

std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void write_all(std::FILE* to, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), to);
  std::fflush(to);
}

}  // namespace

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

void print(std::string_view text) { write_all(stdout, text); }

void print_error(const Error& error) { write_all(stderr, "mcpscan: " + error.to_string() + "\n"); }

Status write_file(const std::string& path, std::string_view text) {
  const std::string draft = path + ".part";
  const auto failure = [&](const char* what) {
    const std::string reason = std::strerror(errno);
    std::remove(draft.c_str());
    return Error{ErrorCode::unreadable, fmt::format("{}: {}", what, reason), path, "give -o a path in a folder that can be written"};
  };
  std::FILE* file = std::fopen(draft.c_str(), "wb");
  if (!file) return failure("the output cannot be opened");
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (std::fclose(file) != 0 || !written) return failure("the output cannot be written");
  if (std::rename(draft.c_str(), path.c_str()) != 0) return failure("the output cannot be put in place");
  return {};
}

Progress::Progress() : started_ms_(now_ms()), on_(stderr_is_terminal()) {}

void Progress::tell(const std::string& input, std::uint64_t bytes) {
  if (!on_) return;
  const std::int64_t now = now_ms();
  if (now - started_ms_ < kFirstShownMs || now - shown_ms_ < kShownEveryMs) return;
  shown_ms_ = now;
  written_ = true;
  const double megabytes = static_cast<double>(bytes) / 1e6;
  write_all(stderr, fmt::format("\r\033[Kreading {:.60}  {:.0f} MB, {:.0f} MB/s", input, megabytes, megabytes * 1000 / static_cast<double>(now - started_ms_)));
}

Progress::~Progress() {
  if (written_) write_all(stderr, "\r\033[K");
}

}  // namespace mcpscan::cli
