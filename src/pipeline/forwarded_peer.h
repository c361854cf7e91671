// ForwardedPeer: behind a proxy that is trusted, the client is whom X-Forwarded-For names, read from the right up to the first address
// that is no trusted proxy; without one the proxy itself counts as the client, since anybody may write that header.
// Only the observations' peer changes. Ownership: points to the next sink, which must outlive it. Threads: one.
// Source: RFC 7239 section 7.4 on whom to believe; the list form of X-Forwarded-For that proxies write.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/observation.h"

namespace mcpscan::pipeline {

// An IPv4 or IPv6 network; IPv4 ones are kept as IPv4-mapped (RFC 4291 section 2.5.5.2).
struct Network {
  std::array<std::uint8_t, 16> address{};
  unsigned bits = 128;

  bool contains(std::string_view text) const;
};

// 10.0.0.0/8, 2001:db8::/32, or one address.
Result<Network> parse_network(std::string_view text);

class ForwardedPeer : public model::ObservationSink {
 public:
  ForwardedPeer(model::ObservationSink& next, const std::vector<Network>& trusted) : next_(next), trusted_(trusted) {}
  void observe(const model::Observation& seen) override;

 private:
  bool is_trusted(std::string_view address) const;
  std::string_view client_in(std::string_view list) const;

  model::ObservationSink& next_;
  const std::vector<Network>& trusted_;
};

}  // namespace mcpscan::pipeline
