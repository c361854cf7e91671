#include "net/tls_key_schedule.h"

#include <fmt/format.h>

namespace mcpscan::net {

std::string tls_version_name(std::uint16_t version) {
  if (version == 0x0300) return "SSL 3.0";
  if (version > 0x0300 && version <= 0x0304) return fmt::format("TLS 1.{}", version - 0x0301);
  return fmt::format("TLS version {:#06x}", version);
}

void KeySchedule::take(ClientHello hello) {
  const bool again = retry_requested_ && hello.random == client_.random;
  if (!again) ++client_round_;
  client_ = std::move(hello);
}

void KeySchedule::take(ServerHello hello) {
  if (hello.retry_request) {
    retry_requested_ = true;
    return;
  }
  ++server_round_;
  server_ = std::move(hello);
}

std::string KeySchedule::look_up() {
  secrets_ = nullptr;
  if (server_.version != 0x0303 && server_.version != 0x0304) return tls_version_name(server_.version) + " is not read";
  suite_ = find_cipher_suite(server_.suite);
  if (suite_ == nullptr || is_tls13_suite(suite_->id) != tls13()) return fmt::format("cipher suite {:#06x} is not supported", server_.suite);
  if (server_.compressed) return "compressed records are not supported";
  const KeyLog::Secrets* found = keys_.find(client_.random);
  if (found != nullptr && (tls13() ? found->client_application.empty() && found->server_application.empty() : found->master.empty())) found = nullptr;
  secrets_ = found;
  if (secrets_ == nullptr) return keys_.size() == 0 ? "no key log" : "the key log has no secret for this connection";
  return {};
}

void KeySchedule::mark_used() const {
  if (secrets_ != nullptr) secrets_->used.store(true, std::memory_order_relaxed);
}

TrafficKeys KeySchedule::from_secret(const Secret& secret, bool application) const {
  if (secret.bytes().size() != digest_bytes(suite_->prf)) return {};
  return traffic_keys(*suite_, secret.bytes(), application);
}

TrafficKeys KeySchedule::handshake_keys(model::Side side) const {
  return from_secret(side == model::Side::client ? secrets_->client_handshake : secrets_->server_handshake, false);
}

TrafficKeys KeySchedule::application_keys(model::Side side) const {
  return from_secret(side == model::Side::client ? secrets_->client_application : secrets_->server_application, true);
}

void KeySchedule::keys_of_master(TrafficKeys& client, TrafficKeys& server) const {
  const ConnectionKeys keys = keys_from_master_secret(*suite_, secrets_->master.bytes(), client_.random, server_.random);
  const RecordForm form = suite_->bulk != TlsBulk::cbc      ? RecordForm::aead12
                          : server_.encrypt_then_mac ? RecordForm::cbc_encrypt_then_mac
                                                            : RecordForm::cbc_mac_then_encrypt;
  client = {RecordCipher::make(*suite_, form, keys.client), suite_, {}, true};
  server = {RecordCipher::make(*suite_, form, keys.server), suite_, {}, true};
}

}  // namespace mcpscan::net
