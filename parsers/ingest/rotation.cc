#include "ingest/rotation.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "base/time.h"

namespace mcpscan::ingest {
namespace {

// Ages: 0 the live file, then numbers (1 is the youngest), then dates, which rotated files of another scheme are older than.
constexpr std::int64_t kFirstDated = 1'000'000'000'000'000;
constexpr std::int64_t kLongestNumber = 6;     // digits of .N
constexpr std::int64_t kPiecesPerSecond = 1000;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool strip_ending(std::string_view& name, std::string_view ending) {
  if (name.size() <= ending.size() || !name.ends_with(ending)) return false;
  name.remove_suffix(ending.size());
  return true;
}

void strip_compression(std::string_view& name) {
  constexpr std::array<std::string_view, 9> kEndings = {".gz", ".zst", ".xz", ".bz2", ".lz4", ".Z", ".lz", ".zip", ".tgz"};
  std::any_of(kEndings.begin(), kEndings.end(), [&](std::string_view ending) { return strip_ending(name, ending); });
}

std::optional<std::int64_t> number_of(std::string_view digits, std::size_t longest) {
  if (digits.empty() || digits.size() > longest || !std::all_of(digits.begin(), digits.end(), is_digit)) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : digits) value = value * 10 + (c - '0');
  return value;
}

// A cursor over the digits of a date, with or without marks between its parts.
struct DateText {
  std::string_view text;

  std::optional<std::int64_t> digits(std::size_t count) {
    if (text.size() < count) return std::nullopt;
    const auto value = number_of(text.substr(0, count), count);
    if (value) text.remove_prefix(count);
    return value;
  }
  bool mark(std::string_view any_of) {
    if (text.empty() || any_of.find(text.front()) == std::string_view::npos) return false;
    text.remove_prefix(1);
    return true;
  }
};

// HH[MM[SS[.fff]]] with or without marks; the text must be used up.
std::optional<std::int64_t> seconds_of_day(DateText rest) {
  std::int64_t seconds = 0;
  for (const std::int64_t unit : {3600, 60, 1}) {
    if (rest.text.empty()) return seconds;
    if (unit != 3600) rest.mark(":-_.");
    const auto value = rest.digits(2);
    if (!value || *value > 60) return std::nullopt;
    seconds += *value * unit;
  }
  if (rest.mark(".,")) while (rest.digits(1)) {}
  rest.mark("Z");
  return rest.text.empty() ? std::optional(seconds) : std::nullopt;
}

// Seconds since 1970 of a whole text like 20261128, 2026-11-28, 2026-11-28_17, 20261128-1795970155, 20261128170503.
std::optional<std::int64_t> date_of(std::string_view text) {
  DateText rest{text};
  const auto year = rest.digits(4);
  const bool marked = rest.mark("-_.");
  const auto month = rest.digits(2);
  if (marked && !rest.mark("-_.")) return std::nullopt;
  const auto day = rest.digits(2);
  if (!year || !month || !day || *year < 1990 || *year > 2199 || *month < 1 || *month > 12 || *day < 1 || *day > 31) return std::nullopt;
  const std::int64_t midnight = days_from_civil(*year, static_cast<unsigned>(*month), static_cast<unsigned>(*day)) * (kDay / kSecond);
  if (rest.text.empty()) return midnight;
  const bool separated = rest.mark("-_.T");
  if (separated && rest.text.size() >= 9) {
    if (const auto epoch = number_of(rest.text, 11)) return epoch;
  }
  if (const auto seconds = seconds_of_day(rest)) return midnight + *seconds;
  return std::nullopt;
}

// "app-2026-11-28": a date at the end behind a mark, something in front of it; lumberjack's and tcpdump's times belong to it.
struct Dated {
  std::string_view stem;
  std::int64_t seconds;
};
std::optional<Dated> dated(std::string_view name) {
  for (std::size_t at = 1; at + 1 < name.size(); ++at) {  // the longest date is the one that begins first
    if (std::string_view("-_.").find(name[at]) == std::string_view::npos || !is_digit(name[at + 1])) continue;
    if (const auto seconds = date_of(name.substr(at + 1))) return Dated{name.substr(0, at), *seconds};
  }
  return std::nullopt;
}

std::int64_t age_of_date(std::int64_t seconds, std::int64_t piece) {
  return kFirstDated - seconds * kPiecesPerSecond - std::min(piece, kPiecesPerSecond - 1);
}

// "x.7" without its number.
std::optional<std::int64_t> strip_number(std::string_view& name, std::string_view marks) {
  std::size_t at = name.size();
  while (at > 0 && is_digit(name[at - 1])) --at;
  if (at < 2 || at == name.size() || marks.find(name[at - 1]) == std::string_view::npos) return std::nullopt;
  const auto number = number_of(name.substr(at), kLongestNumber);
  if (number) name = name.substr(0, at - 1);
  return number;
}

// Of captures: larger is younger.
RotationName numbered(std::string_view base, std::int64_t number) { return {std::string(base), 1'000'000 - number, number}; }

// capture.pcap, capture.pcap1, ... of tcpdump -C: the one without a number is the oldest.
std::optional<RotationName> numbered_capture(std::string_view name) {
  const std::size_t at = name.rfind(".pcap");
  if (at == std::string_view::npos || at == 0) return std::nullopt;
  const std::string_view base = name.substr(0, at + 5), number = name.substr(at + 5);
  if (number.empty()) return numbered(base, 0);
  const auto value = number_of(number, kLongestNumber);
  return value ? std::optional(numbered(base, *value)) : std::nullopt;
}

// capture_00001.pcap of dumpcap -b and editcap, whose number always has five digits.
std::optional<RotationName> numbered_in_ring(std::string_view name) {
  constexpr std::size_t kDigits = 5;
  const std::size_t at = std::min(name.rfind(".pcap"), name.rfind(".cap"));
  if (at == std::string_view::npos || at < kDigits + 2 || name[at - kDigits - 1] != '_') return std::nullopt;
  const auto value = number_of(name.substr(at - kDigits, kDigits), kDigits);
  return value ? std::optional(numbered(std::string(name.substr(0, at - kDigits - 1)) + std::string(name.substr(at)), *value)) : std::nullopt;
}

// The date may stand before the ending (app-2026-11-28.log, and its pieces app-2026-11-28.1.log) or behind it (app.log-20261128).
std::optional<RotationName> dated_name(std::string_view name) {
  if (const auto found = dated(name)) return RotationName{std::string(found->stem), age_of_date(found->seconds, 0)};
  std::string_view stem = name, ending;
  if (const std::size_t dot = name.rfind('.'); dot != std::string_view::npos && dot > 0) stem = name.substr(0, dot), ending = name.substr(dot);
  std::int64_t piece = 0;
  auto found = dated(stem);
  if (!found) {
    piece = strip_number(stem, ".-_").value_or(-1);
    if (piece >= 0) found = dated(stem);
  }
  if (!found) return std::nullopt;
  std::string_view base = found->stem;
  const auto counted = strip_number(base, "_");  // dumpcap's ring buffer counts in front of the date: trace_00001_20261128170503.pcapng
  if (counted) piece = *counted % kPiecesPerSecond;
  return RotationName{std::string(base) + std::string(ending), age_of_date(found->seconds, piece), counted.value_or(-1)};
}

std::string folder_of(std::string_view path) { return std::string(path.substr(0, path.rfind('/') + 1)); }
std::string_view name_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// Claude Desktop renames mcp.log to mcp1.log. A server may be called "db1", so this counts only beside the live file.
std::optional<std::string> live_name_of_desktop_log(std::string_view name) {
  if (!name.starts_with("mcp") || !strip_ending(name, "1.log") || is_digit(name.back())) return std::nullopt;
  return std::string(name) + ".log";
}

}  // namespace

RotationName rotation_of(std::string_view name) {
  strip_compression(name);
  if (auto of_ring = numbered_in_ring(name)) return *of_ring;
  auto capture = numbered_capture(name);
  if (capture && is_digit(name.back())) return *capture;
  if (auto with_date = dated_name(name)) return *with_date;
  if (capture) return *capture;
  if (const auto number = strip_number(name, ".")) {
    if (auto with_date = dated_name(name)) {  // app-2026-11-28.log.1: pieces of a day
      with_date->rotation -= std::min(*number, kPiecesPerSecond - 1);
      return *with_date;
    }
    return {std::string(name), *number};
  }
  return {std::string(name), 0};
}

void order_rotated_sets(std::vector<InputFile>& files) {
  std::set<std::string> displays;
  for (const InputFile& file : files) displays.insert(file.display);
  std::map<std::string, std::size_t> place;  // of a set: where its first file stands
  for (InputFile& file : files) {
    const std::string folder = folder_of(file.display);
    RotationName rotation = rotation_of(name_of(file.display));
    if (const auto live = live_name_of_desktop_log(name_of(file.display)); live && displays.contains(folder + *live)) rotation = {*live, 1};
    file.set_key = folder + rotation.base;
    file.rotation = rotation.rotation;
    file.number = rotation.number;
    place.try_emplace(file.set_key, place.size());
  }
  std::stable_sort(files.begin(), files.end(), [&](const InputFile& a, const InputFile& b) {
    if (a.set_key != b.set_key) return place.at(a.set_key) < place.at(b.set_key);
    return a.rotation > b.rotation;
  });
}

}  // namespace mcpscan::ingest
