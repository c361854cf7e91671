// TlsAnalyzer: TLS records of one connection in, plaintext to the next analyzer, where the keys are known (SSLKEYLOGFILE text or the
// secrets block of a pcapng). TLS 1.2 and 1.3; AES-GCM, ChaCha20-Poly1305, AES-CBC; resumption, key update, renegotiated
// keys. Without keys: endpoints, SNI, ALPN and volumes, so that the report can say what the keys would allow.
// Contract: StreamAnalyzer's. Source: RFC 5246, 7366, 7905, 8446; draft-ietf-tls-keylogfile.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "model/anomaly.h"
#include "model/stream_analyzer.h"

namespace mcpscan::net {

// Secrets by client random. Bounded; a malformed line is an anomaly with its number.
class KeyLog {
 public:
  KeyLog();
  ~KeyLog();
  KeyLog(KeyLog&&) noexcept;
  void add(std::string_view text, std::string_view origin, model::AnomalyLog& anomalies);
  std::size_t size() const;
  std::size_t used() const;  // secrets that fitted a connection
  struct Secrets;
  const Secrets* find(std::string_view client_random) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

struct TlsFacts {
  std::string server_name, alpn, version;
  std::uint64_t bytes_from_client = 0, bytes_from_server = 0;
  bool decrypted = false;
  std::string why_not;  // no key log, no secret for this connection, cipher suite not supported, handshake not captured
};

// `report` is called once, when the connection ends.
std::unique_ptr<model::StreamAnalyzer> make_tls_analyzer(const Limits& limits, const KeyLog& keys, std::unique_ptr<model::StreamAnalyzer> next,
                                                         model::AnomalyLog& anomalies, std::function<void(const TlsFacts&)> report);

// True when the first bytes of a connection begin a TLS record of the handshake.
bool looks_like_tls(std::string_view first_bytes);

}  // namespace mcpscan::net
