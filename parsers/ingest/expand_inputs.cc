// expand_inputs: files, folders, globs and archives become inputs; each file on disk once, by device and inode.
#include <dirent.h>
#include <glob.h>
#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "ingest/archive_shelf.h"
#include "ingest/input_set.h"
#include "ingest/rotation.h"

namespace mcpscan::ingest {
namespace {

using FileIdentity = std::pair<dev_t, ino_t>;

bool is_stream(const struct stat& status) { return S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode); }

std::string joined(const std::string& folder, std::string_view name) {
  return folder.ends_with('/') ? fmt::format("{}{}", folder, name) : fmt::format("{}/{}", folder, name);
}

struct CloseFolder {
  void operator()(DIR* folder) const { closedir(folder); }
};

// Names in a folder without . and ..; nothing when it may not be read.
std::optional<std::vector<std::string>> names_in(const std::string& folder) {
  const std::unique_ptr<DIR, CloseFolder> open(opendir(folder.c_str()));
  if (!open) return std::nullopt;
  std::vector<std::string> names;
  while (const dirent* entry = readdir(open.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  return names;
}

std::vector<std::string> matches_of(const std::string& pattern) {
  glob_t found{};
  std::vector<std::string> paths;
  if (glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found) == 0) paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  std::sort(paths.begin(), paths.end());
  return paths;
}

// The member an archive stands at, for a look at its head.
class MemberHead : public ByteReader {
 public:
  explicit MemberHead(OpenArchive& archive) : archive_(archive) {}
  std::size_t read(std::span<char> to) override { return archive_.read(to); }

 private:
  OpenArchive& archive_;
};

class Expander {
 public:
  explicit Expander(const Limits& limits) : limits_(limits) {}

  void add_argument(const std::string& argument);
  InputSet finish() {
    order_rotated_sets(set_.files);
    return std::move(set_);
  }

 private:
  void add_stdin();
  void add_path(const std::string& path, bool named);
  void add_folder(const std::string& path);
  void collect(const std::string& folder, std::size_t depth, std::vector<std::string>& files);
  void add_regular(const std::string& path, bool named);
  void add_members(OpenArchive& archive, const std::string& path, bool named);
  bool is_archive_inside(OpenArchive& archive) const;
  bool add(InputFile file);
  void problem(std::string display, Error error, bool named);

  const Limits& limits_;
  InputSet set_;
  std::set<FileIdentity> files_, folders_;
  bool has_stdin_ = false;
  bool met_again_ = false;  // the folder holds what was read already
  bool full_ = false;
};

void Expander::add_argument(const std::string& argument) {
  if (argument == "-") return add_stdin();
  struct stat status {};
  if (stat(argument.c_str(), &status) == 0 || argument.find_first_of("*?[") == std::string::npos) return add_path(argument, true);
  const std::vector<std::string> paths = matches_of(argument);
  if (paths.empty()) problem(argument, {ErrorCode::not_found, "no file matches this pattern", argument, "check the path; * does not cross folders, name the folder itself for all of it"}, true);
  for (const std::string& path : paths) add_path(path, true);
}

void Expander::add_stdin() {
  if (std::exchange(has_stdin_, true)) return;
  InputFile file;
  file.display = "-";
  file.named = true;
  add(std::move(file));
}

void Expander::add_path(const std::string& path, bool named) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) {
    auto opened = RawFile::open(path);  // for its explanation
    return problem(path, opened ? Error{ErrorCode::unreadable, "the file cannot be read", path, ""} : opened.error(), named);
  }
  if (S_ISDIR(status.st_mode)) return add_folder(path);
  if (!files_.insert({status.st_dev, status.st_ino}).second) return;
  if (S_ISREG(status.st_mode)) return add_regular(path, named);
  if (!is_stream(status)) {
    return problem(path, {ErrorCode::unsupported, "this is neither a file, a folder nor a pipe", path, "name a file, or pipe its bytes into `-`"}, named);
  }
  InputFile file;
  file.display = file.path = path;
  file.named = named;
  add(std::move(file));
}

void Expander::add_folder(const std::string& path) {
  if (!names_in(path)) return problem(path, {ErrorCode::unreadable, "the folder may not be read", path, "run as a user who may read it"}, true);
  std::vector<std::string> files;
  const std::uint64_t skipped_before = set_.skipped_special;
  met_again_ = false;
  collect(path, 0, files);
  std::sort(files.begin(), files.end());
  for (const std::string& file : files) add_regular(file, false);
  if (const std::uint64_t skipped = set_.skipped_special - skipped_before; skipped > 0) {
    const std::string what = fmt::format("{} of what it holds {} not read: no permission, a broken link, a pipe, socket or device, or deeper than {} folders", skipped, skipped == 1 ? "was" : "were", limits_.folder_depth);
    problem(path, {ErrorCode::unreadable, what, path, "name what is wanted of it"}, false);
  }
  if (files.empty() && !met_again_) problem(path, {ErrorCode::not_found, "the folder holds no file that can be read", path, ""}, true);
}

// A folder is entered once, so that links in a circle end.
void Expander::collect(const std::string& folder, std::size_t depth, std::vector<std::string>& files) {
  struct stat status {};
  if (stat(folder.c_str(), &status) == 0 && !folders_.insert({status.st_dev, status.st_ino}).second) return void(met_again_ |= depth == 0);
  const auto names = depth > limits_.folder_depth ? std::nullopt : names_in(folder);
  if (!names) {
    ++set_.skipped_special;
    return;
  }
  for (const std::string& name : *names) {
    const std::string path = joined(folder, name);
    if (stat(path.c_str(), &status) != 0 || !(S_ISREG(status.st_mode) || S_ISDIR(status.st_mode))) {
      ++set_.skipped_special;
    } else if (S_ISDIR(status.st_mode)) {
      collect(path, depth + 1, files);
    } else if (files_.insert({status.st_dev, status.st_ino}).second) {
      files.push_back(path);
    } else {
      met_again_ = true;
    }
  }
}

void Expander::add_regular(const std::string& path, bool named) {
  auto raw = RawFile::open(path);
  if (!raw && !named) {
    ++set_.skipped_special;
    return;
  }
  if (!raw) return problem(path, raw.error(), named);
  OpenArchive archive(raw.take(), limits_);
  if (archive.is_archive()) return add_members(archive, path, named);
  InputFile file;
  file.display = file.path = path;
  file.named = named;
  add(std::move(file));
}

void Expander::add_members(OpenArchive& archive, const std::string& path, bool named) {
  const auto shelf = std::make_shared<ArchiveShelf>();
  std::size_t members = 0;
  while (const auto member = archive.next()) {
    if (!member->regular) continue;
    const std::string display = fmt::format("{}!/{}", path, member->path);
    if (++members > limits_.archive_members) {
      return problem(path, {ErrorCode::limit, fmt::format("the archive has more than {} files; the others are not read", limits_.archive_members), path, "unpack it and name the folder"}, false);
    }
    if (is_archive_inside(archive)) {
      problem(display, {ErrorCode::unsupported, "an archive inside an archive is not read", display, "unpack the outer one and name the inner one"}, false);
      continue;
    }
    InputFile file{.display = display, .path = path, .member = member->path, .member_number = archive.number(), .shelf = shelf, .named = named, .set_key = {}};
    if (!add(std::move(file))) return;
  }
  const auto failures = archive.failures();
  if (!failures.empty()) problem(path, {ErrorCode::malformed, failures.front().text, path, "the files before that place are read"}, named && members == 0);
  if (failures.empty() && !archive.damage().empty()) {
    problem(path, {ErrorCode::malformed, "a part of the archive is damaged and was stepped over: " + archive.damage(), path, "some files may be missing"}, named && members == 0);
  }
}

bool Expander::is_archive_inside(OpenArchive& archive) const {
  MemberHead member(archive);
  UnpackedBytes bytes(member, archive.file(), limits_);
  std::string head(kArchiveHeadBytes, '\0');
  std::size_t filled = 0;
  while (const std::size_t got = bytes.read({head.data() + filled, head.size() - filled})) filled += got;
  head.resize(filled);
  return looks_like_tar(head) || looks_like_zip(head);
}

bool Expander::add(InputFile file) {
  if (set_.files.size() < limits_.input_files) {
    set_.files.push_back(std::move(file));
    return true;
  }
  if (!std::exchange(full_, true)) {
    problem(file.display, {ErrorCode::limit, fmt::format("more than {} inputs; this one and those behind it are not read", limits_.input_files), file.display, "name fewer at a time"}, false);
  }
  return false;
}

void Expander::problem(std::string display, Error error, bool named) {
  set_.problems.push_back({std::move(display), std::move(error), named});
}

}  // namespace

InputSet expand_inputs(const std::vector<std::string>& arguments, const Limits& limits) {
  Expander expander(limits);
  for (const std::string& argument : arguments) expander.add_argument(argument);
  return expander.finish();
}

}  // namespace mcpscan::ingest
