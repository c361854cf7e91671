// TlsAnalyzer: TLS records of one connection in, plaintext to the next analyzer, where the keys are known (SSLKEYLOGFILE text or the
// secrets block of a pcapng). TLS 1.2 and 1.3; AES-GCM, ChaCha20-Poly1305, AES-CBC; resumption, key update, renegotiated
// keys. Without keys: SNI, ALPN and volumes, so that the report can say what the keys would allow.
// Never a wrong byte: each record is authenticated before it goes on. After a gap both the next record and its sequence number
// are searched (bounded); where that fails the direction is given up with one gap() and the reason.
// Contract: StreamAnalyzer's, with one addition: the next analyzer hears nothing but finish() until a record was opened.
// Source: RFC 5246, 7366, 7905, 8446; draft-ietf-tls-keylogfile.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/limits.h"
#include "model/anomaly.h"
#include "model/stream_analyzer.h"

namespace mcpscan::net {

// Secrets by client random: SSLKEYLOGFILE text, from files or from captures, added at any time before the records that
// need them. Bounded by Limits::tls_key_log_secrets; a malformed line is an anomaly with its number. find() and used()
// may run in several threads, add() in none beside them.
class KeyLog {
 public:
  explicit KeyLog(const Limits& limits = {});
  ~KeyLog();
  KeyLog(KeyLog&&) noexcept;
  // `origin` names the text in anomalies: a path, or "secrets block".
  void add(std::string_view text, std::string_view origin, model::AnomalyLog& anomalies);
  std::size_t size() const;       // connections with a secret
  std::size_t used() const;       // of them those whose secret opened a record
  std::uint64_t ignored() const;  // well-formed lines of no use here: early data, exporters, labels not known
  struct Secrets;
  // nullptr: none; the pointer stays good as long as the KeyLog.
  const Secrets* find(std::string_view client_random) const;

 private:
  void add_line(std::string_view line, std::string_view origin, std::uint64_t number, model::AnomalyLog& anomalies);

  struct State;
  std::unique_ptr<State> state_;
};

struct TlsFacts {
  std::string server_name;       // SNI as the client sent it, empty: none
  std::string alpn;              // what the server chose, empty: none, or hidden in an unread TLS 1.3 handshake
  std::string alpn_offered;      // by the client, comma separated
  std::string version;           // TLS 1.2, TLS 1.3 ...; empty: no server hello
  std::string alert;             // the first fatal alert: "handshake_failure (40) from the server"
  std::uint64_t bytes_from_client = 0, bytes_from_server = 0;  // as captured, with handshake and overhead
  std::uint64_t plain_from_client = 0, plain_from_server = 0;  // application data handed on
  std::uint64_t records_lost = 0;  // records that were there but could not be opened, after the first one that could
  bool decrypted = false;        // at least one record was opened
  std::string why_not;           // why nothing, or not all, could be read; empty: all was
};

// `report` is called once, when the connection ends. `keys`, `limits` and `anomalies` must outlive the analyzer.
std::unique_ptr<model::StreamAnalyzer> make_tls_analyzer(const Limits& limits, const KeyLog& keys, std::unique_ptr<model::StreamAnalyzer> next,
                                                         model::AnomalyLog& anomalies, std::function<void(const TlsFacts&)> report);

// True when the first bytes of a connection begin a TLS record of the handshake. With fewer than 6 bytes: as far as they go.
bool looks_like_tls(std::string_view first_bytes);

// True when they are a whole header of another TLS record: a connection that the capture joined midway. It cannot be read, but
// the analyzer counts it and says why.
bool looks_like_tls_underway(std::string_view first_bytes);

}  // namespace mcpscan::net
