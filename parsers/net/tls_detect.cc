#include "net/tls_analyzer.h"
#include "net/tls_record.h"

namespace mcpscan::net {

bool looks_like_tls_underway(std::string_view first_bytes) {
  return first_bytes.size() >= kTlsHeaderBytes && plausible_record(first_bytes) && first_bytes[0] != static_cast<char>(ContentType::handshake);
}

bool looks_like_tls(std::string_view first_bytes) {
  if (first_bytes.empty() || first_bytes[0] != static_cast<char>(ContentType::handshake)) return false;
  if (first_bytes.size() < 3) return first_bytes.size() < 2 || first_bytes[1] == 3;
  if (first_bytes[1] != 3 || static_cast<unsigned char>(first_bytes[2]) > 4) return false;
  if (first_bytes.size() >= kTlsHeaderBytes && !plausible_record(first_bytes)) return false;
  return first_bytes.size() <= kTlsHeaderBytes || first_bytes[5] == 1 || first_bytes[5] == 2;
}

}  // namespace mcpscan::net
