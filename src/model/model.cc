#include <fmt/format.h>

#include "model/anomaly.h"
#include "model/flow.h"
#include "model/rpc_message.h"

#include <arpa/inet.h>

namespace mcpscan::model {

bool is_server_method(std::string_view method) {
  return method == "sampling/createMessage" || method == "elicitation/create" || method == "roots/list";
}

void Books::merge(const Books& other) {
  total += other.total;
  used += other.used;
  for (const auto& [reason, count] : other.ignored) ignored[reason] += count;
  for (const auto& [reason, count] : other.malformed) malformed[reason] += count;
}

std::string Endpoint::address_text() const {
  char text[INET6_ADDRSTRLEN] = "";
  inet_ntop(ipv6 ? AF_INET6 : AF_INET, address.data(), text, sizeof text);
  return text;
}

std::string Endpoint::text() const {
  return ipv6 ? fmt::format("[{}]:{}", address_text(), port) : fmt::format("{}:{}", address_text(), port);
}

}  // namespace mcpscan::model
