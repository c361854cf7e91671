#include "base/text_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

namespace mcpscan {

Result<std::string> read_text_file(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return Error{ErrorCode::invalid_argument, "this is a folder, not a file", path, "name one file"};
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) return Error{errno == ENOENT ? ErrorCode::not_found : ErrorCode::unreadable, std::string("the file cannot be read: ") + std::strerror(errno), path, "check the path"};
  std::string text;
  char chunk[64 * 1024];
  for (std::size_t count = 1; count > 0;) {
    count = std::fread(chunk, 1, sizeof chunk, file.get());
    text.append(chunk, count);
  }
  if (std::ferror(file.get()) != 0) return Error{ErrorCode::unreadable, std::string("the file cannot be read: ") + std::strerror(errno), path, ""};
  return text;
}

Result<std::vector<std::string>> data_files(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::is_directory(path, error)) return std::vector<std::string>{path};
  std::vector<std::string> paths;
  for (fs::recursive_directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    const bool named_so = entry->path().extension() == ".yml" || entry->path().extension() == ".yaml";
    if (named_so && !entry->is_directory(ignored)) paths.push_back(entry->path().string());
  }
  if (error) return Error{ErrorCode::unreadable, "the folder cannot be read: " + error.message(), path, "give a folder of .yml files"};
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace mcpscan
