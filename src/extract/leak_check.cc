#include "extract/leak_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "base/text_file.h"
#include "extract/base64.h"
#include "extract/share_words.h"

namespace mcpscan::extract {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kShortest = 7;    // 1.2.3.4; shorter values stand everywhere by chance
constexpr std::size_t kAlwaysOwn = 16;  // longer ones are somebody's, whatever stands around them

bool is_alnum(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::string url_encoded(std::string_view value) {
  std::string text;
  for (const char c : value) text += is_alnum(c) || std::string_view("-._~").find(c) != std::string_view::npos ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return text;
}

// As it stands in base64 with `before` bytes in front of it: the letters that depend on it alone.
std::string in_base64(const std::string& value, std::size_t before) {
  const std::string text = encode_base64(std::string(before, '\0') + value);
  const std::size_t from = (before * 8 + 5) / 6, to = (before + value.size()) * 8 / 6;
  return text.substr(from, to - from);
}

bool stands_in(std::string_view text, std::string_view form, bool alone) {
  for (std::size_t at = text.find(form); at != std::string_view::npos; at = text.find(form, at + 1)) {
    const bool joined = (at > 0 && is_alnum(text[at - 1])) || (at + form.size() < text.size() && is_alnum(text[at + form.size()]));
    if (!alone || !joined) return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> forms_of(const std::string& value) {
  std::vector<std::string> forms{value};
  if (std::string encoded = url_encoded(value); encoded != value) forms.push_back(std::move(encoded));
  for (std::size_t before = 0; before < 3; ++before) forms.push_back(in_base64(value, before));
  return forms;
}

Status check_for_leaks(const std::string& folder, const std::vector<std::string>& values) {
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(folder, error)) {
    if (!entry.is_regular_file(error)) continue;
    const auto text = read_text_file(entry.path().string());
    if (!text) return text.error();
    for (const std::string& value : values) {
      if (value.size() < kShortest || is_protocol_word(value)) continue;
      const auto forms = forms_of(value);
      if (std::none_of(forms.begin(), forms.end(), [&](const std::string& form) { return stands_in(*text, form, value.size() < kAlwaysOwn); })) continue;
      return Error{ErrorCode::internal, fmt::format("a name of {} letters could not be replaced everywhere, so nothing was written", value.size()),
                   fs::relative(entry.path(), folder, error).string(), "extract without --share and replace it by hand before you hand it on"};
    }
  }
  return {};
}

}  // namespace mcpscan::extract
