// KeySchedule: the hellos of both sides and the key log, put together to the keys of each direction. One handshake after the
// other (renegotiation); a HelloRetryRequest does not begin another. Does not see records.
// Borrows the KeyLog. Source: RFC 5246 section 7.3, RFC 8446 sections 2.1 and 7.1.
#pragma once

#include <cstdint>
#include <string>

#include "model/stream_analyzer.h"
#include "net/key_log.h"
#include "net/tls_decryptor.h"
#include "net/tls_handshake.h"

namespace mcpscan::net {

std::string tls_version_name(std::uint16_t version);

class KeySchedule {
 public:
  explicit KeySchedule(const KeyLog& keys) : keys_(keys) {}

  void take(ClientHello hello);
  void take(ServerHello hello);

  bool saw_client() const { return client_round_ > 0; }
  bool saw_server() const { return server_round_ > 0; }
  // Both hellos of the newest handshake were read.
  bool ready() const { return client_round_ > 0 && client_round_ == server_round_; }
  std::uint32_t round() const { return client_round_; }
  bool tls13() const { return server_.version == 0x0304; }
  bool retry_requested() const { return retry_requested_; }
  bool early_data_offered() const { return client_.offers_early_data; }

  // Looks the newest handshake's secrets up; why they cannot be used, or empty. Only when ready().
  std::string look_up();
  bool has_secrets() const { return secrets_ != nullptr; }
  void mark_used() const;
  // TLS 1.3; without a cipher where the log has no such secret. After look_up() was content.
  TrafficKeys handshake_keys(model::Side side) const;
  TrafficKeys application_keys(model::Side side) const;
  // TLS 1.2: both directions' keys after their ChangeCipherSpec.
  void keys_of_master(TrafficKeys& client, TrafficKeys& server) const;

 private:
  TrafficKeys from_secret(const Secret& secret, bool application) const;

  const KeyLog& keys_;
  const KeyLog::Secrets* secrets_ = nullptr;
  const CipherSuite* suite_ = nullptr;
  ClientHello client_;
  ServerHello server_;
  std::uint32_t client_round_ = 0, server_round_ = 0;
  bool retry_requested_ = false;  // a HelloRetryRequest was read: the client's next hello belongs to the handshake that runs
};

}  // namespace mcpscan::net
