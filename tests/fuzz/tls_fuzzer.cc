// module: net
// The first byte says what the rest is: a session (key log, then steps: side, kind, length, bytes), a key log alone, a
// client hello, a server hello, or encrypted extensions. A session is run twice, as told and byte by byte: both must tell the same.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "net/tls_analyzer.h"
#include "net/tls_handshake.h"
#include "net/tls_wire.h"

namespace {

using namespace mcpscan;
using model::Side;

class Digest final : public model::StreamAnalyzer {
 public:
  explicit Digest(std::string& told) : told_(told) {}
  void feed(Side from, std::string_view bytes, const model::Stamp&) override { note('f', from).append(bytes); }
  void gap(Side from, std::uint64_t length, const model::Stamp&) override { note('g', from).append(std::to_string(length)); }
  void half_close(Side from, const model::Stamp&) override { note('h', from); }
  void finish(model::EndReason, const model::Stamp&) override { told_ += 'e'; }

 private:
  std::string& note(char kind, Side from) {
    told_ += kind;
    told_ += from == Side::client ? 'c' : 's';
    return told_;
  }
  std::string& told_;
};

Limits small_limits() {
  Limits limits;
  limits.tls_resync_bytes = 1u << 18;
  limits.tls_resync_records = 64;
  limits.tls_handshake_bytes = 4096;
  limits.tls_key_log_secrets = 8;
  return limits;
}

std::string run_session(std::string_view input, bool bytewise) {
  const Limits limits = small_limits();
  model::AnomalyLog anomalies;
  std::string told;
  net::WireReader read(input);
  net::KeyLog keys(limits);
  keys.add(read.vector(2), "fuzz", anomalies);
  std::string why;
  const auto analyzer = net::make_tls_analyzer(limits, keys, std::make_unique<Digest>(told), anomalies, [&](const net::TlsFacts& facts) { why = facts.why_not; });
  const model::Stamp stamp{};
  while (read.ok() && !read.empty()) {
    const std::uint32_t step = read.number(1);
    const Side side = (step & 1) != 0 ? Side::server : Side::client;
    if ((step >> 1 & 3) == 1) analyzer->gap(side, read.number(2), stamp);
    else if ((step >> 1 & 3) == 2) analyzer->half_close(side, stamp);
    else if (const std::string_view bytes = read.vector(2); bytewise) for (const char& c : bytes) analyzer->feed(side, {&c, 1}, stamp);
    else analyzer->feed(side, bytes, stamp);
  }
  analyzer->finish(model::EndReason::evidence_ends, stamp);
  return told + why;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  model::AnomalyLog anomalies;
  switch (data[0] % 5) {
    case 0:
      if (run_session(rest, false) != run_session(rest, true)) std::abort();
      break;
    case 1: net::KeyLog(small_limits()).add(rest, "fuzz", anomalies); break;
    case 2: (void)net::parse_client_hello(rest); break;
    case 3: (void)net::parse_server_hello(rest); break;
    case 4: (void)net::parse_encrypted_extensions(rest); break;
  }
  (void)net::looks_like_tls(rest);
  return 0;
}
