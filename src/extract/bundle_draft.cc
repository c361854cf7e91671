#include "extract/bundle_draft.h"

#include <fmt/format.h>

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace mcpscan::extract {
namespace fs = std::filesystem;
namespace {

constexpr const char* kOtherPlace = "give -o a folder that does not exist yet, in a place that can be written and has room";

Error trouble(std::string_view what, int reason, const std::string& where) {
  return {ErrorCode::unreadable, fmt::format("{}: {}", what, std::strerror(reason)), where, kOtherPlace};
}

std::string without_slashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

}  // namespace

Status bundle_possible(const std::string& folder) {
  std::error_code error;
  const fs::path path(without_slashes(folder));
  const fs::path parent = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (!fs::is_directory(parent, error)) return Error{ErrorCode::not_found, "there is no such folder to write to", parent.string(), "make the folder first, or give -o another path"};
  if (access(parent.c_str(), W_OK | X_OK) != 0) return trouble("the bundle cannot be put here", errno, parent.string());
  const fs::file_status status = fs::symlink_status(path, error);
  if (!fs::exists(status)) return {};
  if (fs::is_directory(status) && fs::is_empty(path, error) && !error) return {};
  return Error{ErrorCode::invalid_argument, "this exists already and is never written over", folder, "give -o the name of a new folder"};
}

Result<std::unique_ptr<BundleDraft>> BundleDraft::begin(const std::string& folder) {
  const std::string target = without_slashes(folder);
  std::string draft = target + ".XXXXXX";
  if (!mkdtemp(draft.data())) return trouble("the bundle cannot be begun", errno, folder);
  const mode_t mask = umask(0);
  umask(mask);
  if (chmod(draft.c_str(), 0777 & ~mask) != 0) errno = 0;  // a file system without modes
  if (mkdir((draft + "/evidence").c_str(), 0777) != 0) {
    const int reason = errno;
    rmdir(draft.c_str());
    return trouble("the bundle cannot be begun", reason, folder);
  }
  return std::unique_ptr<BundleDraft>(new BundleDraft(target, std::move(draft)));
}

BundleDraft::~BundleDraft() {
  std::error_code error;
  if (!published_) fs::remove_all(draft_, error);
}

Status BundleDraft::write(std::string_view name, std::string_view bytes) const {
  PartFile file(*this, name);
  file.write(bytes);
  return file.close();
}

// rename(2) takes the place of an empty folder, and of nothing else.
Status BundleDraft::publish() {
  if (std::rename(draft_.c_str(), folder_.c_str()) != 0) return trouble("the bundle cannot be put in place", errno, folder_);
  published_ = true;
  return {};
}

PartFile::PartFile(const BundleDraft& draft, std::string_view name) : shown_(draft.target_of(name)), file_(std::fopen(draft.path_of(name).c_str(), "wb")) {
  if (!file_) failed_ = errno;
}

PartFile::~PartFile() {
  if (file_) std::fclose(file_);
}

void PartFile::write(std::string_view bytes) {
  if (failed_ != 0 || bytes.empty()) return;
  errno = 0;
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) failed_ = errno == 0 ? EIO : errno;
}

Status PartFile::close() {
  if (file_ && std::fclose(std::exchange(file_, nullptr)) != 0 && failed_ == 0) failed_ = errno;
  if (failed_ != 0) return trouble("the bundle cannot be written", failed_, shown_);
  return {};
}

}  // namespace mcpscan::extract
