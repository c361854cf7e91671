#include "ingest/raw_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace mcpscan::ingest {
namespace {

std::string reason_of(int error) { return std::generic_category().message(error); }

Error open_error(const std::string& path, int error) {
  if (error == ENOENT || error == ENOTDIR) return {ErrorCode::not_found, "there is no such file", path, "check the path; `-` reads standard input"};
  if (error == EACCES || error == EPERM) return {ErrorCode::unreadable, "the file may not be read (" + reason_of(error) + ")", path, "run as a user who may read it"};
  return {ErrorCode::unreadable, "the file cannot be opened (" + reason_of(error) + ")", path, ""};
}

}  // namespace

Result<std::unique_ptr<RawFile>> RawFile::open(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (descriptor < 0) return open_error(path, errno);
  auto file = std::make_unique<RawFile>(descriptor);
  struct stat status {};
  if (fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode)) {
    return Error{ErrorCode::invalid_argument, "this is a folder, not a file", path, "name the folder as an input and its files are read"};
  }
  posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL);
  return file;
}

Result<std::unique_ptr<RawFile>> RawFile::open_stdin() {
  const int mode = fcntl(STDIN_FILENO, F_GETFL);
  const bool readable = mode != -1 && (mode & O_ACCMODE) != O_WRONLY;
  const int descriptor = readable ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : -1;
  if (descriptor < 0) return Error{ErrorCode::unreadable, "standard input is closed", "-", "pipe or redirect something into it"};
  return std::make_unique<RawFile>(descriptor);
}

RawFile::~RawFile() { ::close(descriptor_); }

std::size_t RawFile::read(std::span<char> to) {
  for (;;) {
    const ssize_t got = ::read(descriptor_, to.data(), to.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) failure_ = reason_of(errno);
    if (got <= 0) return 0;
    position_ += static_cast<std::uint64_t>(got);
    consumed_ += static_cast<std::uint64_t>(got);
    return static_cast<std::size_t>(got);
  }
}

bool RawFile::seek(std::uint64_t to) {
  if (lseek(descriptor_, static_cast<off_t>(to), SEEK_SET) < 0) return false;
  position_ = to;
  return true;
}

std::int64_t RawFile::size() const {
  struct stat status {};
  if (fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) return -1;
  return status.st_size;
}

}  // namespace mcpscan::ingest
