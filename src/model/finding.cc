#include "model/finding.h"

#include <array>

#include "model/enum_words.h"

namespace mcpscan::model {
namespace {

constexpr std::array<std::string_view, 5> kLevels{"informational", "low", "medium", "high", "critical"};
constexpr std::array<std::string_view, 5> kParties{"unknown", "client", "server", "gateway", "network"};
constexpr std::array<std::string_view, 4> kCertainties{"undetermined", "weak", "strong", "proven"};
constexpr std::array<std::string_view, 6> kVantages{"unknown", "client", "client-wire", "gateway", "server-wire", "server"};
constexpr std::array<std::string_view, 3> kStates{"evaluated", "partly", "not-evaluable"};

}  // namespace

std::string_view to_string(Level level) { return kLevels[static_cast<std::size_t>(level)]; }
std::string_view to_string(Party party) { return kParties[static_cast<std::size_t>(party)]; }
std::string_view to_string(Certainty certainty) { return kCertainties[static_cast<std::size_t>(certainty)]; }
std::string_view to_string(Vantage vantage) { return kVantages[static_cast<std::size_t>(vantage)]; }
std::string_view to_string(RuleState state) { return kStates[static_cast<std::size_t>(state)]; }
std::optional<Level> parse_level(std::string_view text) { return parse_word<Level>(kLevels, text); }
std::optional<Vantage> parse_vantage(std::string_view text) { return parse_word<Vantage>(kVantages, text); }

}  // namespace mcpscan::model
