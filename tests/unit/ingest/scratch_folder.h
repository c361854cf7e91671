// ScratchFolder: an empty folder that goes with the test, and bytes in the forms that inputs come in (UTF-16, gzip, zstd, tar, zip).
#pragma once

#include <zlib.h>
#include <zstd.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stdlib.h>

namespace mcpscan::tests {

class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "mcpscan-test-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::string path(std::string_view name = {}) const { return name.empty() ? path_ : path_ + "/" + std::string(name); }
  std::string write(std::string_view name, std::string_view bytes) const {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    std::ofstream(path(name), std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return path(name);
  }

 private:
  std::string path_;
};

inline std::string gzip(std::string_view text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

inline std::string zstd(std::string_view text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

// Of ASCII, with the mark in front, as PowerShell's `>` writes it.
inline std::string utf16(std::string_view ascii) {
  std::string out = "\xFF\xFE";
  for (const char c : ascii) out += c, out += '\0';
  return out;
}

using Members = std::vector<std::pair<std::string, std::string>>;

inline std::string tar(const Members& members) {
  std::string out;
  for (const auto& [name, bytes] : members) {
    std::string header(512, '\0');
    const auto put = [&](std::size_t at, std::string_view field) { header.replace(at, field.size(), field); };
    char size[12];
    std::snprintf(size, sizeof size, "%011o", static_cast<unsigned>(bytes.size()));
    put(0, name), put(100, "0000644"), put(108, "0000000"), put(116, "0000000"), put(124, {size, 11}), put(136, "00000000000");
    put(156, "0"), put(257, "ustar"), put(263, "00"), put(148, "        ");
    unsigned sum = 0;
    for (const char c : header) sum += static_cast<unsigned char>(c);
    std::snprintf(size, sizeof size, "%06o", sum);
    put(148, {size, 7});
    out += header + bytes + std::string((512 - bytes.size() % 512) % 512, '\0');
  }
  return out + std::string(1024, '\0');
}

inline std::string little_endian(std::uint64_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> 8 * i & 0xFF);
  return out;
}

// Stored, not compressed.
inline std::string zip(const Members& members) {
  std::string out, directory;
  for (const auto& [name, bytes] : members) {
    const auto sum = crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size()));
    const std::string common = little_endian(20, 2) + little_endian(0, 8) + little_endian(sum, 4) + little_endian(bytes.size(), 4) +
                               little_endian(bytes.size(), 4) + little_endian(name.size(), 2) + little_endian(0, 2);
    directory += std::string("PK\1\2") + little_endian(20, 2) + common + little_endian(0, 6) + little_endian(0100644u << 16, 4) + little_endian(out.size(), 4) + name;
    out += "PK\3\4" + common + name + bytes;
  }
  return out + directory + "PK\5\6" + little_endian(0, 4) + little_endian(members.size(), 2) + little_endian(members.size(), 2) +
         little_endian(directory.size(), 4) + little_endian(out.size(), 4) + little_endian(0, 2);
}

}  // namespace mcpscan::tests
