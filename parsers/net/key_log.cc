#include "net/key_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <unordered_map>

namespace mcpscan::net {
namespace {

constexpr std::size_t kLineBytes = 1024;  // the longest line of the format has about 230
constexpr std::size_t kRandomBytes = 32;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

struct Label {
  std::string_view name;
  Secret KeyLog::Secrets::*secret;
};
constexpr std::array kLabels{
    Label{"CLIENT_RANDOM", &KeyLog::Secrets::master},
    Label{"CLIENT_HANDSHAKE_TRAFFIC_SECRET", &KeyLog::Secrets::client_handshake},
    Label{"SERVER_HANDSHAKE_TRAFFIC_SECRET", &KeyLog::Secrets::server_handshake},
    Label{"CLIENT_TRAFFIC_SECRET_0", &KeyLog::Secrets::client_application},
    Label{"SERVER_TRAFFIC_SECRET_0", &KeyLog::Secrets::server_application},
};

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool decode_hex(std::string_view text, std::string& out) {
  out.clear();
  if (text.empty() || text.size() % 2 != 0) return false;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = hex_digit(text[i]), low = hex_digit(text[i + 1]);
    if (high < 0 || low < 0) return false;
    out += static_cast<char>(high << 4 | low);
  }
  return true;
}

std::string_view next_word(std::string_view& line) {
  const std::size_t from = std::min(line.find_first_not_of(" \t"), line.size());
  const std::size_t to = std::min(line.find_first_of(" \t", from), line.size());
  const std::string_view word = line.substr(from, to - from);
  line.remove_prefix(to);
  return word;
}

bool is_label(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; });
}

// The secret's length says which digest it belongs to: SHA-256 or SHA-384; a master secret has 48 bytes.
bool length_fits(const Label& label, std::size_t bytes) {
  return label.secret == &KeyLog::Secrets::master ? bytes == 48 : bytes == 32 || bytes == 48;
}

}  // namespace

struct KeyLog::State {
  std::unordered_map<std::string, Secrets> secrets;
  std::size_t most = 0;
  std::uint64_t ignored = 0;
};

namespace {

enum class LineOutcome { taken, ignored, malformed, conflict, full };

LineOutcome take_line(std::string_view line, std::unordered_map<std::string, KeyLog::Secrets>& table, std::size_t most) {
  const std::string_view name = next_word(line), random_text = next_word(line), secret_text = next_word(line);
  const auto label = std::find_if(kLabels.begin(), kLabels.end(), [&](const Label& l) { return l.name == name; });
  if (label == kLabels.end()) return is_label(name) && !random_text.empty() ? LineOutcome::ignored : LineOutcome::malformed;
  std::string random, secret;
  if (!decode_hex(random_text, random) || random.size() != kRandomBytes || !decode_hex(secret_text, secret) ||
      !length_fits(*label, secret.size()) || !next_word(line).empty()) {
    return LineOutcome::malformed;
  }
  if (table.size() >= most && table.find(random) == table.end()) return LineOutcome::full;
  Secret& held = table[random].*label->secret;
  if (!held.empty()) return held.bytes() == secret ? LineOutcome::taken : LineOutcome::conflict;
  held.set(secret);
  return LineOutcome::taken;
}

void note(model::AnomalyLog& anomalies, std::string_view kind, std::string_view origin, std::uint64_t line, std::string_view what) {
  anomalies.add({std::string(kind), fmt::format("{} line {}: {}", origin, line, what), {0, model::PlaceKind::line, line, 0}, 1});
}

}  // namespace

KeyLog::KeyLog(const Limits& limits) : state_(std::make_unique<State>()) { state_->most = limits.tls_key_log_secrets; }
KeyLog::~KeyLog() = default;
KeyLog::KeyLog(KeyLog&&) noexcept = default;

void KeyLog::add(std::string_view text, std::string_view origin, model::AnomalyLog& anomalies) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  for (std::uint64_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + (text.substr(end).starts_with("\r\n") ? 2u : 1u), text.size()));
    add_line(line, origin, number, anomalies);
  }
}

void KeyLog::add_line(std::string_view line, std::string_view origin, std::uint64_t number, model::AnomalyLog& anomalies) {
  if (line.find_first_not_of(" \t") == std::string_view::npos || line[0] == '#') return;
  const LineOutcome outcome = line.size() > kLineBytes ? LineOutcome::malformed : take_line(line, state_->secrets, state_->most);
  switch (outcome) {
    case LineOutcome::taken: return;
    case LineOutcome::ignored: ++state_->ignored; return;
    case LineOutcome::malformed: return note(anomalies, "key-log-malformed-line", origin, number, "not a key log line");
    case LineOutcome::conflict:
      return note(anomalies, "key-log-conflict", origin, number, "another secret for a connection that has one; the first is kept");
    case LineOutcome::full:
      return note(anomalies, "key-log-full", origin, number,
                  fmt::format("secrets of more than {} connections (tls_key_log_secrets); the rest is not used", state_->most));
  }
}

std::size_t KeyLog::size() const { return state_->secrets.size(); }

std::size_t KeyLog::used() const {
  return static_cast<std::size_t>(
      std::count_if(state_->secrets.begin(), state_->secrets.end(), [](const auto& entry) { return entry.second.used.load(); }));
}

std::uint64_t KeyLog::ignored() const { return state_->ignored; }

const KeyLog::Secrets* KeyLog::find(std::string_view client_random) const {
  const auto found = state_->secrets.find(std::string(client_random));
  return found == state_->secrets.end() ? nullptr : &found->second;
}

}  // namespace mcpscan::net
