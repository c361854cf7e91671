#include "net/tls_handshake.h"

#include <algorithm>

#include "net/tls_wire.h"

namespace mcpscan::net {
namespace {

constexpr std::size_t kMessageHeaderBytes = 4;
constexpr std::size_t kRandomBytes = 32;
constexpr std::size_t kNameBytes = 255;  // DNS names and ALPN names are no longer

enum Extension : std::uint32_t { kServerName = 0, kAlpn = 16, kEncryptThenMac = 22, kEarlyData = 42, kSupportedVersions = 43 };

// SHA-256 of "HelloRetryRequest" (RFC 8446 section 4.1.3).
constexpr std::string_view kRetryRandom(
    "\xCF\x21\xAD\x74\xE5\x9A\x61\x11\xBE\x1D\x8C\x02\x1E\x65\xB8\x91\xC2\xA2\x11\x16\x7A\xBB\x8C\x5E\x07\x9E\x09\xE2\xC8\xA8\x33\x9C", 32);

bool is_kept(std::uint32_t type) {
  switch (static_cast<HandshakeType>(type)) {
    case HandshakeType::client_hello:
    case HandshakeType::server_hello:
    case HandshakeType::encrypted_extensions:
    case HandshakeType::finished:
    case HandshakeType::key_update: return true;
  }
  return false;
}

bool for_each_extension(std::string_view extensions, FunctionRef<void(std::uint32_t, std::string_view)> take) {
  WireReader read(extensions);
  while (read.ok() && !read.empty()) {
    const std::uint32_t type = read.number(2);
    const std::string_view body = read.vector(2);
    if (read.ok()) take(type, body);
  }
  return read.ok();
}

// The first name of type host_name, when it is one a person could have typed.
std::string host_name(std::string_view extension) {
  WireReader list(WireReader(extension).vector(2));
  const std::uint32_t type = list.number(1);
  const std::string_view name = list.vector(2);
  const bool plain = std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c < '\x7f'; });
  return type == 0 && plain && name.size() <= kNameBytes ? std::string(name) : std::string();
}

std::string alpn_names(std::string_view extension) {
  WireReader list(WireReader(extension).vector(2));
  std::string names;
  while (list.ok() && !list.empty() && names.size() < kNameBytes) {
    const std::string_view name = list.vector(1);
    const bool plain = std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c < '\x7f'; });
    if (!plain || name.empty()) continue;  // reserved values that keep servers tolerant (RFC 8701)
    if (!names.empty()) names += ',';
    names += name;
  }
  return names;
}

}  // namespace

void HandshakeReader::reset() {
  head_.clear();
  body_.clear();
  missing_ = 0;
  in_body_ = false;
}

bool HandshakeReader::start(std::string_view& fragment) {
  const std::size_t count = std::min(kMessageHeaderBytes - head_.size(), fragment.size());
  head_ += fragment.substr(0, count);
  fragment.remove_prefix(count);
  if (head_.size() < kMessageHeaderBytes) return false;
  WireReader read(head_);
  keep_ = is_kept(read.number(1));
  missing_ = read.number(3);
  keep_ = keep_ && missing_ <= longest_;
  return in_body_ = true;
}

// The body once it is whole: in place where one fragment holds it all.
std::string_view HandshakeReader::body(std::string_view& fragment) {
  const std::string_view part = fragment.substr(0, missing_);
  fragment.remove_prefix(part.size());
  missing_ -= part.size();
  if (!keep_) return {};
  if (missing_ == 0 && body_.empty()) return part;
  body_ += part;
  return body_;
}

void HandshakeReader::feed(std::string_view fragment, FunctionRef<void(const HandshakeMessage&)> take) {
  while (!fragment.empty()) {
    if (!in_body_ && !start(fragment)) return;
    const std::string_view whole = body(fragment);
    if (missing_ > 0) return;
    const auto type = static_cast<unsigned char>(head_[0]);
    if (is_kept(type)) take({static_cast<HandshakeType>(type), whole, !keep_});
    reset();
  }
}

std::optional<ClientHello> parse_client_hello(std::string_view body) {
  WireReader read(body);
  ClientHello hello;
  read.number(2);
  hello.random = read.take(kRandomBytes);
  read.vector(1);  // session id
  read.vector(2);  // cipher suites
  read.vector(1);  // compression methods
  if (!read.ok()) return std::nullopt;
  if (read.empty()) return hello;
  const bool whole = for_each_extension(read.vector(2), [&](std::uint32_t type, std::string_view extension) {
    if (type == kServerName) hello.server_name = host_name(extension);
    if (type == kAlpn) hello.alpn = alpn_names(extension);
    if (type == kEarlyData) hello.offers_early_data = true;
  });
  if (!whole || !read.ok()) return std::nullopt;
  return hello;
}

std::optional<ServerHello> parse_server_hello(std::string_view body) {
  WireReader read(body);
  ServerHello hello;
  hello.version = static_cast<std::uint16_t>(read.number(2));
  hello.random = read.take(kRandomBytes);
  hello.retry_request = hello.random == kRetryRandom;
  read.vector(1);  // session id
  hello.suite = static_cast<std::uint16_t>(read.number(2));
  hello.compressed = read.number(1) != 0;
  if (!read.ok()) return std::nullopt;
  if (read.empty()) return hello;
  const bool whole = for_each_extension(read.vector(2), [&](std::uint32_t type, std::string_view extension) {
    if (type == kAlpn) hello.alpn = alpn_names(extension);
    if (type == kEncryptThenMac) hello.encrypt_then_mac = true;
    if (type == kSupportedVersions && extension.size() == 2) hello.version = static_cast<std::uint16_t>(WireReader(extension).number(2));
  });
  if (!whole || !read.ok()) return std::nullopt;
  return hello;
}

std::optional<EncryptedExtensions> parse_encrypted_extensions(std::string_view body) {
  EncryptedExtensions result;
  WireReader read(body);
  const bool whole = for_each_extension(read.vector(2), [&](std::uint32_t type, std::string_view extension) {
    if (type == kAlpn) result.alpn = alpn_names(extension);
    if (type == kEarlyData) result.early_data = true;
  });
  if (!whole || !read.ok()) return std::nullopt;
  return result;
}

}  // namespace mcpscan::net
