#include "extract/share_sink.h"

#include <algorithm>
#include <string>

#include "extract/base64.h"

namespace mcpscan::extract {
namespace {

// The member's string value behind `from`, as it stands between its quotes; empty when it has none.
std::string_view string_behind(std::string_view text, std::string_view key, std::size_t from, std::size_t& end) {
  const std::size_t at = text.find(key, from);
  if (at == std::string_view::npos) return end = at, std::string_view();
  const std::size_t open = text.find_first_not_of(" \t\r\n:", at + key.size());
  if (open == std::string_view::npos || text[open] != '"') return end = at + key.size(), std::string_view();
  std::size_t close = open + 1;
  while (close < text.size() && text[close] != '"') close += text[close] == '\\' ? 2 : 1;
  end = std::min(close, text.size());
  return text.substr(open + 1, end - open - 1);
}

// Base64 of text would be cut into words that mean nothing; it is read, shared and written again.
std::string with_readable_bodies(ShareText& text, std::string_view entry) {
  constexpr std::string_view kText = "\"text\"";
  std::string out;
  std::size_t done = 0;
  for (std::size_t end = 0; entry.find("\"base64\"") != std::string_view::npos;) {
    const std::string_view value = string_behind(entry, kText, end, end);
    if (end == std::string_view::npos) break;
    const auto body = decode_base64(value);
    if (!body || body->find("jsonrpc") == std::string::npos) continue;
    const auto begin = static_cast<std::size_t>(value.data() - entry.data());
    out += text.document(entry.substr(done, begin - done));
    out += encode_base64(text.record(*body));
    done = begin + value.size();
  }
  return out + text.document(entry.substr(done));
}

// What a curl command in a terminal's transcript logs in with.
void know_logins(ShareText& text, std::string_view line) {
  if (line.find("curl ") == std::string_view::npos) return;
  for (const std::string_view option : {" -u ", " --user ", " -U ", " --proxy-user ", " -b ", " --cookie ", " --oauth2-bearer "}) {
    const std::size_t at = line.find(option);
    if (at == std::string_view::npos) continue;
    const std::size_t from = std::min(line.find_first_not_of(" '\"", at + option.size()), line.size());
    text.know(line.substr(from, line.find_first_of(" '\"\r\n", from) - from));
  }
}

}  // namespace

std::string share_har_entry(ShareText& text, std::string_view entry) { return with_readable_bodies(text, entry); }

void ShareSink::write(std::string_view bytes) {
  switch (form_) {
    case ShareForm::log: return next_.write(text_.record(bytes));
    case ShareForm::json_lines: return next_.write(text_.payload(bytes));
    case ShareForm::har: return next_.write(share_har_entry(text_, bytes));
    case ShareForm::http_dump: break;
  }
  for (std::size_t at = 0; at < bytes.size();) {  // heads and bodies take turns
    const std::size_t end = std::min(bytes.find('\n', at), bytes.size() - 1) + 1;
    const std::string_view line = bytes.substr(at, end - at);
    know_logins(text_, line);
    next_.write(text_.record(line));
    at = end;
  }
}

}  // namespace mcpscan::extract
