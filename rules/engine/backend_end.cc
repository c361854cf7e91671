#include "engine/backend_end.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/process_end.h"

namespace mcpscan::engine {

using namespace model;

namespace {

constexpr std::array<std::string_view, 5> kKilling{"SIGKILL", "9", "137", "-9", "signal 9"};

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& words, std::string_view text) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

// The runtime names no party: a bridge is told by its program.
Fault fault_of_dump(const Notice& notice) {
  const std::string error(notice.reason);
  if (!notice.second_key.empty()) return {Party::gateway, Certainty::strong, {}, fmt::format("the gateway's own process ended: {}", error)};
  return {Party::server, Certainty::weak, {"gateway"}, fmt::format("its process ended of an exception that nobody caught: {}", error)};
}

}  // namespace

BackendEnd backend_end(const Observation& seen) {
  if (!seen.notice->reason.empty()) {
    BackendEnd end;
    end.dumped = true;
    end.fault = fault_of_dump(*seen.notice);
    return end;
  }
  const std::string_view code = told_of_end(seen.notice->key), signal = told_of_end(seen.notice->second_key);
  BackendEnd end;
  end.asked = asked_to_end(*seen.notice);
  end.orderly = ended_orderly(*seen.notice);
  end.killed = is_one_of(kKilling, signal) || (code != "9" && is_one_of(kKilling, code));
  const std::string how = !signal.empty() ? fmt::format(" with {}", signal) : !code.empty() ? fmt::format(" with exit code {}", code) : std::string();
  if (end.killed) {
    end.fault = {Party::unknown, Certainty::undetermined, {}, fmt::format("the process was killed{}: out of memory and an operator's kill look the same", how)};
  } else if (end.asked) {
    const Party keeper = seen.vantage == Vantage::client ? Party::client : Party::gateway;
    end.fault = {keeper, Certainty::strong, {}, fmt::format("the process did not crash: whoever keeps it ended it{}", how)};
  } else {
    end.fault = {Party::server, Certainty::strong, {}, fmt::format("its process ended{}", how)};
  }
  return end;
}

}  // namespace mcpscan::engine
