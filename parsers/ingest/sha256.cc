// sha256_of_file: the digest a chain of custody wants, through OpenSSL (FIPS 180-4).
#include <openssl/evp.h>

#include <memory>

#include <fmt/format.h>

#include "ingest/input_set.h"
#include "ingest/raw_file.h"

namespace mcpscan::ingest {
namespace {

constexpr std::size_t kReadBytes = 256 * 1024;

std::string hex(const unsigned char* bytes, unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i) text += fmt::format("{:02x}", bytes[i]);
  return text;
}

}  // namespace

Result<std::string> sha256_of_file(const std::string& path) {
  if (path.empty()) return std::string();
  auto file = RawFile::open(path);
  if (!file) return file.error();
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  if (!context || EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) != 1) return Error{ErrorCode::internal, "SHA-256 is not available", path, ""};
  std::string buffer(kReadBytes, '\0');
  while (const std::size_t got = (*file)->read(buffer)) EVP_DigestUpdate(context.get(), buffer.data(), got);
  if (!(*file)->failure().empty()) return Error{ErrorCode::unreadable, "reading failed (" + (*file)->failure() + ")", path, ""};
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  EVP_DigestFinal_ex(context.get(), digest, &size);
  return hex(digest, size);
}

}  // namespace mcpscan::ingest
