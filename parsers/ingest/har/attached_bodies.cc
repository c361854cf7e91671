#include "ingest/har/attached_bodies.h"

#include <filesystem>
#include <fstream>
#include <utility>

namespace mcpscan::ingest {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kNameBytes = 4096;

Status refuse(ErrorCode code, std::string why, std::string_view name) { return Error{code, std::move(why), std::string(name), ""}; }

}  // namespace

AttachedBodies::AttachedBodies(std::string_view har_path, const Limits& limits) : most_(limits.body_bytes) {
  if (har_path.empty()) return;
  std::error_code error;
  const fs::path folder = fs::canonical(fs::absolute(fs::path(har_path), error).parent_path(), error);
  if (!error) folder_ = folder.string();
}

Status AttachedBodies::read(std::string_view name, std::string& bytes) const {
  if (folder_.empty()) return refuse(ErrorCode::not_found, "the HAR is no file in a folder, so nothing can stand beside it", name);
  if (name.empty() || name.size() > kNameBytes || name.find('\0') != std::string_view::npos) return refuse(ErrorCode::invalid_argument, "no file name", name);
  std::error_code error;
  const fs::path file = fs::canonical(fs::path(folder_) / fs::path(name), error);
  if (error) return refuse(ErrorCode::not_found, "the attached body is not beside the HAR", name);
  const std::string inside = folder_ == "/" ? folder_ : folder_ + "/";
  if (!file.string().starts_with(inside)) return refuse(ErrorCode::invalid_argument, "the attached body is outside the HAR's folder", name);
  if (!fs::is_regular_file(file, error)) return refuse(ErrorCode::unreadable, "the attached body is no plain file", name);
  const std::uintmax_t size = fs::file_size(file, error);
  if (error || size > most_) return refuse(ErrorCode::limit, "the attached body is longer than body_bytes", name);
  std::ifstream in(file, std::ios::binary);
  bytes.resize(static_cast<std::size_t>(size));
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (in.bad() || in.gcount() < 0) return refuse(ErrorCode::unreadable, "the attached body cannot be read", name);
  bytes.resize(static_cast<std::size_t>(in.gcount()));
  return {};
}

}  // namespace mcpscan::ingest
