#include <fmt/format.h>

#include "model/anomaly.h"
#include "model/flow.h"
#include "model/rpc_message.h"

#include <arpa/inet.h>

#include <charconv>

namespace mcpscan::model {

bool is_unsafe_integer(const RpcId& id) {
  constexpr std::int64_t kSafe = (std::int64_t{1} << 53) - 1;
  if (id.type != IdType::integer) return false;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(id.value.data(), id.value.data() + id.value.size(), value);
  return error == std::errc::result_out_of_range || (error == std::errc() && (value > kSafe || value < -kSafe));
}

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
  if (!ipv6) return fmt::format("{}.{}.{}.{}", address[0], address[1], address[2], address[3]);
  char text[INET6_ADDRSTRLEN] = "";
  inet_ntop(AF_INET6, address.data(), text, sizeof text);
  return text;
}

std::string Endpoint::text() const {
  return ipv6 ? fmt::format("[{}]:{}", address_text(), port) : fmt::format("{}:{}", address_text(), port);
}

}  // namespace mcpscan::model
