// Real TLS sessions for tests: two OpenSSL endpoints joined by memory, everything on the wire recorded with the key log. The
// key and its certificate are made when first needed. A failing step is told by ok().
#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/stream_analyzer.h"

namespace mcpscan::tests {

using model::Side;

struct TlsChunk {
  Side from;
  std::string bytes;
};

struct TlsPlan {
  int version = TLS1_3_VERSION;
  const char* suite = "TLS_AES_128_GCM_SHA256";
  bool encrypt_then_mac = true;
  const char* client_groups = nullptr;  // with server_groups of another taste: a HelloRetryRequest
  const char* server_groups = nullptr;
  std::size_t padding = 0;              // TLS 1.3 records are padded to a multiple
  std::size_t fragment = 16384;         // longest record
  std::uint32_t early_data = 0;
};

struct FreeTls {
  void operator()(SSL* p) const { SSL_free(p); }
  void operator()(SSL_CTX* p) const { SSL_CTX_free(p); }
  void operator()(SSL_SESSION* p) const { SSL_SESSION_free(p); }
  void operator()(EVP_PKEY* p) const { EVP_PKEY_free(p); }
  void operator()(X509* p) const { X509_free(p); }
};
template <typename T>
using TlsOwned = std::unique_ptr<T, FreeTls>;

struct TlsIdentity {
  TlsOwned<EVP_PKEY> key;
  TlsOwned<X509> certificate;
};

inline const TlsIdentity& tls_identity() {
  static const TlsIdentity identity = [] {
    TlsIdentity made{TlsOwned<EVP_PKEY>(EVP_RSA_gen(2048)), TlsOwned<X509>(X509_new())};
    X509* certificate = made.certificate.get();
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate), 0);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    X509_set_pubkey(certificate, made.key.get());
    X509_NAME* name = X509_get_subject_name(certificate);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("mcp.example"), -1, -1, 0);
    X509_set_issuer_name(certificate, name);
    X509_sign(certificate, made.key.get(), EVP_sha256());
    return made;
  }();
  return identity;
}

class TlsPeers {
 public:
  explicit TlsPeers(const TlsPlan& plan) : client_context_(context(plan, TLS_client_method())), server_context_(context(plan, TLS_server_method())) {
    SSL_CTX_use_certificate(server_context_.get(), tls_identity().certificate.get());
    SSL_CTX_use_PrivateKey(server_context_.get(), tls_identity().key.get());
    SSL_CTX_set_options(server_context_.get(), SSL_OP_ALLOW_CLIENT_RENEGOTIATION | SSL_OP_NO_ANTI_REPLAY);
    SSL_CTX_set_session_id_context(server_context_.get(), reinterpret_cast<const unsigned char*>("t"), 1);
    SSL_CTX_set_max_early_data(server_context_.get(), plan.early_data);
    SSL_CTX_set_alpn_select_cb(server_context_.get(), choose_alpn, nullptr);
    if (plan.client_groups != nullptr) SSL_CTX_set1_groups_list(client_context_.get(), plan.client_groups);
    if (plan.server_groups != nullptr) SSL_CTX_set1_groups_list(server_context_.get(), plan.server_groups);
  }

  // A new connection, resuming the last one's session when asked to. What was recorded before is forgotten, the key log too.
  void connect(bool resume = false) {
    wire.clear();
    key_log.clear();
    sent[0].clear();
    sent[1].clear();
    TlsOwned<SSL_SESSION> session(resume ? SSL_get1_session(client_.get()) : nullptr);
    client_ = endpoint(client_context_.get());
    server_ = endpoint(server_context_.get());
    SSL_set_connect_state(client_.get());
    SSL_set_accept_state(server_.get());
    SSL_set_tlsext_host_name(client_.get(), "mcp.example");
    SSL_set_alpn_protos(client_.get(), reinterpret_cast<const unsigned char*>("\x02h2\x08http/1.1"), 12);
    if (session) SSL_set_session(client_.get(), session.get());
  }
  void handshake() {
    for (int i = 0; i < 8; ++i) {
      SSL_do_handshake(client_.get());
      move(Side::client);
      SSL_do_handshake(server_.get());
      move(Side::server);
    }
    ok_ = ok_ && SSL_is_init_finished(client_.get()) == 1 && SSL_is_init_finished(server_.get()) == 1;
  }
  void send(Side from, std::string_view text) {
    SSL* peer = side(from);
    ok_ = SSL_write(peer, text.data(), static_cast<int>(text.size())) == static_cast<int>(text.size()) && ok_;
    sent[index(from)].emplace_back(text);
    move(from);
    read(from == Side::client ? Side::server : Side::client);
  }
  void update_keys(Side from) { ok_ = SSL_key_update(side(from), SSL_KEY_UPDATE_NOT_REQUESTED) == 1 && ok_; }
  void renegotiate() {
    ok_ = SSL_renegotiate(client_.get()) == 1 && ok_;
    for (int i = 0; i < 4; ++i) {
      SSL_do_handshake(client_.get());
      move(Side::client);
      read(Side::server);
      move(Side::server);
      read(Side::client);
    }
    ok_ = ok_ && SSL_renegotiate_pending(client_.get()) == 0;
  }
  void send_early(std::string_view text) {
    std::size_t written = 0, got = 0;
    char buffer[4096];
    ok_ = SSL_write_early_data(client_.get(), text.data(), text.size(), &written) == 1 && ok_;
    move(Side::client);
    SSL_read_early_data(server_.get(), buffer, sizeof buffer, &got);
    move(Side::server);
  }
  void close(Side from) {
    SSL_shutdown(side(from));
    move(from);
  }
  bool resumed() const { return SSL_session_reused(client_.get()) == 1; }
  bool early_data_taken() const { return SSL_get_early_data_status(client_.get()) == SSL_EARLY_DATA_ACCEPTED; }
  bool ok() const { return ok_; }

  std::vector<TlsChunk> wire;
  std::string key_log;
  std::vector<std::string> sent[2];  // client's, server's

  static std::size_t index(Side side) { return side == Side::client ? 0 : 1; }

 private:
  TlsOwned<SSL_CTX> context(const TlsPlan& plan, const SSL_METHOD* method) {
    TlsOwned<SSL_CTX> made(SSL_CTX_new(method));
    SSL_CTX_set_min_proto_version(made.get(), plan.version);
    SSL_CTX_set_max_proto_version(made.get(), plan.version);
    const bool set = plan.version == TLS1_3_VERSION ? SSL_CTX_set_ciphersuites(made.get(), plan.suite) == 1 : SSL_CTX_set_cipher_list(made.get(), plan.suite) == 1;
    ok_ = ok_ && set;
    if (!plan.encrypt_then_mac) SSL_CTX_set_options(made.get(), SSL_OP_NO_ENCRYPT_THEN_MAC);
    if (plan.padding > 0) SSL_CTX_set_block_padding(made.get(), plan.padding);
    SSL_CTX_set_max_send_fragment(made.get(), static_cast<long>(plan.fragment));
    SSL_CTX_set_app_data(made.get(), this);
    SSL_CTX_set_keylog_callback(made.get(), [](const SSL* ssl, const char* line) {
      auto* self = static_cast<TlsPeers*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl)));
      if (SSL_is_server(ssl) == 0) self->key_log += std::string(line) + "\n";
    });
    return made;
  }
  static TlsOwned<SSL> endpoint(SSL_CTX* context) {
    TlsOwned<SSL> made(SSL_new(context));
    SSL_set_bio(made.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    return made;
  }
  static int choose_alpn(SSL*, const unsigned char** out, unsigned char* length, const unsigned char*, unsigned int, void*) {
    *out = reinterpret_cast<const unsigned char*>("http/1.1");
    *length = 8;
    return SSL_TLSEXT_ERR_OK;
  }
  SSL* side(Side from) { return from == Side::client ? client_.get() : server_.get(); }
  void move(Side from) {
    BIO* out = SSL_get_wbio(side(from));
    std::string bytes(BIO_ctrl_pending(out), '\0');
    if (bytes.empty()) return;
    BIO_read(out, bytes.data(), static_cast<int>(bytes.size()));
    BIO_write(SSL_get_rbio(side(from == Side::client ? Side::server : Side::client)), bytes.data(), static_cast<int>(bytes.size()));
    wire.push_back({from, std::move(bytes)});
  }
  void read(Side at) {
    char buffer[4096];
    while (SSL_read(side(at), buffer, sizeof buffer) > 0) {
    }
    move(at);
  }

  bool ok_ = true;
  TlsOwned<SSL_CTX> client_context_, server_context_;
  TlsOwned<SSL> client_, server_;
};

}  // namespace mcpscan::tests
