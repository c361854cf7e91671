#include "pipeline/curl_command.h"

#include <algorithm>
#include <array>
#include <vector>

#include "app/http_head.h"

namespace mcpscan::pipeline {
namespace {

constexpr std::string_view kCurl = "curl ";
constexpr std::size_t kLongestPrompt = 128;

struct Word {
  std::string text;
  bool variable = false;  // the shell put something in
};

// Splits a command into words and takes the quotes off.
class Shell {
 public:
  explicit Shell(std::string_view command) : rest_(command) {}

  bool next(Word& word) {
    word = {};
    skip_blanks();
    if (rest_.empty() || ends_command(rest_.front())) return false;
    while (!rest_.empty() && !is_blank(rest_.front()) && !ends_command(rest_.front())) take(word);
    return true;
  }
  // Where the words are over: what comes out goes elsewhere.
  bool leads_elsewhere() const { return !rest_.empty() && (rest_.front() == '|' || rest_.front() == '>'); }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
  static bool ends_command(char c) { return c == '|' || c == ';' || c == '&' || c == '>' || c == ')'; }

  char pop() {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }

  void skip_blanks() {
    while (!rest_.empty() && (is_blank(rest_.front()) || rest_.starts_with("\\\n") || rest_.starts_with("\\\r\n"))) pop();
  }

  void take(Word& word) {
    if (rest_.starts_with("$'")) return pop(), pop(), quoted(word, '\'', true, false);
    const char c = pop();
    if (c == '\'') return quoted(word, c, false, false);
    if (c == '"') return quoted(word, c, true, true);
    if (c == '\\') return escaped(word);
    word.variable = word.variable || c == '$' || c == '`';
    word.text += c;
  }

  void escaped(Word& word) {
    if (rest_.empty()) return;
    const char c = pop();
    if (c == '\r' && rest_.starts_with('\n')) pop();
    else if (c != '\n') word.text += c;
  }

  void quoted(Word& word, char end, bool escapes, bool variables) {
    while (!rest_.empty()) {
      const char c = pop();
      if (c == end) return;
      if (c == '\\' && escapes && !rest_.empty()) {
        unescape(word, variables);
        continue;
      }
      word.variable = word.variable || (variables && (c == '$' || c == '`'));
      word.text += c;
    }
  }

  // Within double quotes a backslash stands for itself but before these four; within $'...' it begins the escapes of C.
  void unescape(Word& word, bool double_quotes) {
    constexpr std::string_view kPlain = "\"\\$`";
    const char c = pop();
    if (double_quotes ? kPlain.find(c) != std::string_view::npos : (c == '\'' || c == '\\' || c == '"')) word.text += c;
    else if (!double_quotes && c == 'n') word.text += '\n';
    else if (!double_quotes && c == 't') word.text += '\t';
    else if (!double_quotes || c != '\n') word.text += '\\', word.text += c;
  }

  std::string_view rest_;
};

// Options whose value is the next word, or stands right behind the letter.
constexpr std::string_view kShortWithValue = "XHdoumAbcweExTDFKCrtyYzPQU";
constexpr std::array<std::string_view, 24> kLongWithValue{{"output", "user", "max-time", "user-agent", "cookie", "cookie-jar", "connect-timeout", "write-out", "referer", "cacert", "cert", "key",
                                                           "proxy", "form", "config", "retry", "retry-delay", "resolve", "connect-to", "dump-header", "limit-rate", "upload-file", "unix-socket", "noproxy"}};

struct Command {
  std::string method, url, fields, body;
  bool has_body = false, body_unknown = false, session_unknown = false, in_part = false, json = false;
};

void add_field(Command& command, const Word& word, std::string_view session) {
  const std::size_t colon = word.text.find(':');
  if (colon == std::string::npos || word.text.find_first_of("\r\n") != std::string::npos) return;
  const bool of_session = app::iequals(std::string_view(word.text).substr(0, colon), "mcp-session-id");
  if (word.variable && of_session && session.empty()) return void(command.session_unknown = true);
  command.fields += word.variable && of_session ? word.text.substr(0, colon) + ": " + std::string(session) : word.text;
  command.fields += "\r\n";
}

void add_body(Command& command, const Word& word, bool raw) {
  if (command.has_body) command.body += '&';
  command.has_body = true;
  if (!raw && word.text.starts_with('@')) command.body_unknown = true;
  else command.body += word.text, command.body_unknown = command.body_unknown || word.variable;
}

void take_option(Command& command, std::string_view option, const Word& value, std::string_view session) {
  if (option == "X" || option == "request") command.method = value.text;
  else if (option == "H" || option == "header") add_field(command, value, session);
  else if (option == "url") command.url = value.text;
  else if (option == "o" || option == "output" || option == "m" || option == "max-time") command.in_part = true;  // or it gives up after a while
  else if (option == "json") add_body(command, value, false), command.json = true;
  else if (option == "d" || option.starts_with("data")) add_body(command, value, option == "data-raw");
}

bool long_takes_value(std::string_view option) {
  constexpr std::array<std::string_view, 4> kRead{{"request", "header", "url", "json"}};
  return option.starts_with("data") || std::find(kRead.begin(), kRead.end(), option) != kRead.end() || std::find(kLongWithValue.begin(), kLongWithValue.end(), option) != kLongWithValue.end();
}

void take_word(Command& command, Shell& shell, const Word& word, std::string_view session) {
  const std::string_view text(word.text);
  Word value;
  if (text.starts_with("--")) {
    const std::string_view option = text.substr(2);
    if (option == "get" || option == "head") command.method = option == "get" ? "GET" : "HEAD";
    if (long_takes_value(option) && shell.next(value)) take_option(command, option, value, session);
    return;
  }
  if (text.size() < 2 || text.front() != '-') {
    if (command.url.empty()) command.url = text;
    return;
  }
  for (std::size_t at = 1; at < text.size(); ++at) {
    if (text[at] == 'G' || text[at] == 'I') command.method = text[at] == 'G' ? "GET" : "HEAD";
    if (kShortWithValue.find(text[at]) == std::string_view::npos) continue;
    if (at + 1 < text.size()) value = {std::string(text.substr(at + 1)), word.variable};
    else if (!shell.next(value)) return;
    return take_option(command, text.substr(at, 1), value, session);
  }
}

std::size_t command_begin(std::string_view line) {
  if (line.starts_with(kCurl)) return 0;
  const std::size_t at = line.substr(0, kLongestPrompt).find(kCurl);
  if (at == std::string_view::npos || at < 2 || line[at - 1] != ' ') return std::string_view::npos;
  const char end = line[at - 2];
  const bool prompt = end == '$' || end == '%' || end == '>' || (end == '#' && at > 2);  // "# curl" is a comment
  return prompt ? at : std::string_view::npos;
}

}  // namespace

bool begins_curl_command(std::string_view line) { return command_begin(line) != std::string_view::npos; }

bool CommandLines::goes_on(std::string_view line) {
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    if (c == '\\' && (quote_ == 0 || escapes_)) {
      if (++at == line.size()) return true;
    } else if (quote_ != 0) {
      if (c == quote_) quote_ = 0;
    } else if (c == '\'' || c == '"') {
      quote_ = c;
      escapes_ = c == '"' || (at > 0 && line[at - 1] == '$');
    }
  }
  return quote_ != 0;
}

std::optional<CurlRequest> read_curl_command(std::string_view text, std::string_view session) {
  Shell shell(text.substr(std::min(command_begin(text), text.size())));
  Command command;
  Word word;
  if (!shell.next(word)) return std::nullopt;  // "curl"
  while (shell.next(word)) take_word(command, shell, word, session);
  if (command.url.empty() || command.url.find_first_of(" \r\n") != std::string::npos) return std::nullopt;
  std::string_view url(command.url);
  if (const std::size_t scheme = url.find("://"); scheme != std::string_view::npos) url.remove_prefix(scheme + 3);
  const std::size_t path = std::min(url.find('/'), url.size());
  CurlRequest request;
  request.head = (!command.method.empty() ? command.method : command.has_body ? "POST" : "GET") + " " + (path == url.size() ? "/" : std::string(url.substr(path))) + " HTTP/1.1\r\n";
  request.head += "Host: " + std::string(url.substr(0, path)) + "\r\n" + command.fields;
  if (command.json) request.head += "Content-Type: application/json\r\nAccept: application/json\r\n";
  request.body_unknown = command.body_unknown;
  request.session_unknown = command.session_unknown;
  request.shown_in_part = command.in_part || shell.leads_elsewhere();
  if (!command.body_unknown) request.body = std::move(command.body);
  return request;
}

}  // namespace mcpscan::pipeline
