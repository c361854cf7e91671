#include "base/zone.h"

#include <date/tz.h>

#include <chrono>

namespace mcpscan {
namespace {

using std::chrono::microseconds;

const date::time_zone* zone_behind(const void* zone) { return static_cast<const date::time_zone*>(zone); }

std::int64_t count_us(std::chrono::seconds duration) { return microseconds(duration).count(); }

// +02:00, +0200, +02
bool read_fixed(std::string_view text, std::int64_t& us) {
  if (text.size() < 3 || (text[0] != '+' && text[0] != '-')) return false;
  std::string digits;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == ':' && i == 3 && text.size() == 6) continue;
    if (text[i] < '0' || text[i] > '9') return false;
    digits += text[i];
  }
  if (digits.size() != 2 && digits.size() != 4) return false;
  const std::int64_t hours = std::stoi(digits.substr(0, 2)), minutes = digits.size() == 4 ? std::stoi(digits.substr(2)) : 0;
  if (hours > 23 || minutes > 59) return false;
  us = (hours * kHour + minutes * kMinute) * (text[0] == '-' ? -1 : 1);
  return true;
}

}  // namespace

Result<Zone> Zone::locate(std::string_view name) {
  Zone zone;
  if (name.empty() || name == "UTC" || name == "Z") return zone;
  zone.name_ = name;
  if (read_fixed(name, zone.fixed_us_)) return zone;
  try {
    zone.zone_ = date::locate_zone(std::string(name));
    return zone;
  } catch (const std::exception&) {
    return Error{ErrorCode::invalid_argument, "unknown time zone '" + std::string(name) + "'", "--tz",
                 "use an IANA name such as Europe/Berlin, UTC, or an offset such as +02:00"};
  }
}

std::int64_t Zone::offset_us(std::int64_t local_us) const {
  if (zone_ == nullptr) return fixed_us_;
  const auto info = zone_behind(zone_)->get_info(date::local_time<microseconds>(microseconds(local_us)));
  if (info.result == date::local_info::nonexistent) return local_us - count_us(info.first.end.time_since_epoch());
  return count_us(info.first.offset);
}

std::int64_t Zone::local_us(Time at) const {
  if (zone_ == nullptr) return at.us + fixed_us_;
  return at.us + count_us(zone_behind(zone_)->get_info(date::sys_time<microseconds>(microseconds(at.us))).offset);
}

CivilTime Zone::civil(Time at) const { return civil_from_time({local_us(at)}); }

std::int64_t Zone::day_of(Time at) const {
  const std::int64_t local = local_us(at);
  return local / kDay - (local % kDay < 0 ? 1 : 0);
}

Time Zone::day_start(std::int64_t day) const { return {day * kDay - offset_us(day * kDay)}; }

}  // namespace mcpscan
