#include "engine/backend_end.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace mcpscan::engine {

using namespace model;

namespace {

// Names, numbers, and 128 + number as shells and containers tell it.
constexpr std::array<std::string_view, 12> kAsking{"SIGTERM", "SIGINT", "SIGHUP", "SIGPIPE", "15", "143", "130", "129", "141", "-15", "-2", "signal 15"};
constexpr std::array<std::string_view, 5> kKilling{"SIGKILL", "9", "137", "-9", "signal 9"};

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& words, std::string_view text) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

std::string_view told(std::string_view word) { return word == "null" || word == "None" || word == "undefined" || word == "nil" ? std::string_view() : word; }

}  // namespace

BackendEnd backend_end(const Observation& seen) {
  const std::string_view code = told(seen.notice->key), signal = told(seen.notice->second_key);
  BackendEnd end;
  // A plain number below 128 is an exit code where it stands for one, a signal where it stands for that.
  end.asked = is_one_of(kAsking, signal) || (code != "15" && is_one_of(kAsking, code));
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
