#include "model/process_end.h"

#include <algorithm>
#include <array>

namespace mcpscan::model {
namespace {

// Names, numbers, and 128 + number as shells and containers tell it.
constexpr std::array<std::string_view, 12> kAsking{"SIGTERM", "SIGINT", "SIGHUP", "SIGPIPE", "15", "143", "130", "129", "141", "-15", "-2", "signal 15"};

bool asks(std::string_view word) { return std::find(kAsking.begin(), kAsking.end(), word) != kAsking.end(); }

}  // namespace

std::string_view told_of_end(std::string_view word) { return word == "null" || word == "None" || word == "undefined" || word == "nil" ? std::string_view() : word; }

// A plain number below 128 is an exit code where it stands for one, a signal where it stands for that.
bool asked_to_end(const Notice& notice) {
  const std::string_view code = told_of_end(notice.key), signal = told_of_end(notice.second_key);
  return asks(signal) || (code != "15" && asks(code));
}

bool ended_orderly(const Notice& notice) { return asked_to_end(notice) || (told_of_end(notice.second_key).empty() && told_of_end(notice.key) == "0"); }

}  // namespace mcpscan::model
