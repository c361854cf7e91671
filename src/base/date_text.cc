#include "base/date_text.h"

#include "base/time.h"

namespace mcpscan {

std::optional<std::int64_t> read_date(std::string_view text) {
  constexpr std::string_view kForm = "dddd-dd-dd";
  if (text.size() != kForm.size()) return std::nullopt;
  unsigned values[3] = {0, 0, 0}, part = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (kForm[i] == 'd' ? !digit : text[i] != '-') return std::nullopt;
    digit ? values[part] = values[part] * 10 + static_cast<unsigned>(text[i] - '0') : ++part;
  }
  const std::int64_t day = days_from_civil(values[0], values[1], values[2]);
  const CivilTime back = civil_from_time({day * kDay});
  return back.year == values[0] && back.month == values[1] && back.day == values[2] ? std::optional(day) : std::nullopt;
}

}  // namespace mcpscan
