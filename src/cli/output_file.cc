#include "cli/output_file.h"

#include <fmt/format.h>

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "cli/terminal.h"

namespace mcpscan::cli {
namespace {

// A device or pipe is written to as it is; a file is replaced as a whole, where it really lies.
bool is_replaceable(const std::string& path, std::string& real_path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) return false;
  const auto resolved = std::filesystem::canonical(path, error);
  real_path = error ? path : resolved.string();
  return true;
}

// A new file beside `path` that nobody else has: readable as the user's other files are.
std::FILE* open_draft(const std::string& path, std::string& draft) {
  draft = path + ".XXXXXX";
  const int descriptor = mkstemp(draft.data());
  if (descriptor < 0) return draft.clear(), nullptr;
  const mode_t mask = umask(0);
  umask(mask);
  if (fchmod(descriptor, 0666 & ~mask) != 0) errno = 0;  // a file system without modes
  return fdopen(descriptor, "wb");
}

}  // namespace

OutputFile::~OutputFile() {
  if (file_) std::fclose(file_);
  if (!draft_.empty()) std::remove(draft_.c_str());
}

Error OutputFile::failure(const char* what, int reason) {
  return Error{ErrorCode::unreadable, fmt::format("{}: {}", what, std::strerror(reason)), path_, "give -o a path in a folder that can be written and has room"};
}

Status OutputFile::open(const std::string& path) {
  path_ = path;
  replace_ = is_replaceable(path, target_);
  file_ = replace_ ? open_draft(target_, draft_) : std::fopen(path.c_str(), "wb");
  if (!file_) return failure("the output cannot be opened", errno);
  return {};
}

void OutputFile::write(std::string_view text) {
  if (reason_ != 0 || text.empty()) return;
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) reason_ = errno == 0 ? EIO : errno;
}

Status OutputFile::commit() {
  errno = 0;
  const bool closed = std::fclose(file_) == 0;
  file_ = nullptr;
  if (reason_ == 0 && !closed) reason_ = errno == 0 ? EIO : errno;
  if (reason_ != 0) return failure("the output cannot be written", reason_);
  if (!replace_) return {};
  if (std::rename(draft_.c_str(), target_.c_str()) != 0) return failure("the output cannot be put in place", errno);
  draft_.clear();
  return {};
}

Status Outlet::open(const std::string& path) {
  to_file_ = !path.empty();
  return to_file_ ? file_.open(path) : Status();
}

void Outlet::write(std::string_view text) {
  pending_ += text;
  if (pending_.size() >= flush_bytes_) flush();
}

Status Outlet::finish() {
  flush();
  return to_file_ ? file_.commit() : Status();
}

void Outlet::flush() {
  if (to_file_) file_.write(pending_);
  else print(pending_);
  pending_.clear();
}

Status output_possible(const std::string& output, const std::vector<std::string>& inputs) {
  namespace fs = std::filesystem;
  if (output.empty()) return {};
  std::error_code error;
  const fs::path folder = fs::path(output).has_parent_path() ? fs::path(output).parent_path() : fs::path(".");
  if (!fs::is_directory(folder, error)) return Error{ErrorCode::not_found, "there is no such folder to write to", folder.string(), "make the folder first, or give -o another path"};
  if (fs::is_directory(output, error)) return Error{ErrorCode::invalid_argument, "this is a folder, not a file to write to", output, "give -o the name of a file"};
  for (const std::string& input : inputs) {
    if (fs::is_regular_file(input, error) && fs::equivalent(input, output, error)) {
      return Error{ErrorCode::invalid_argument, "the report would be written over an input", output, "give -o another path"};
    }
  }
  return {};
}

std::vector<std::string> input_paths(const model::Report& report) {
  std::vector<std::string> paths;
  for (const auto& input : report.inputs) paths.push_back(input.path);
  return paths;
}

}  // namespace mcpscan::cli
