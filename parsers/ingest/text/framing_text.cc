// The framings that are text: CRI, syslog in its forms, compose, kubectl, stern.
#include <algorithm>

#include "base/hash.h"
#include "ingest/text/char_class.h"
#include "ingest/text/framing.h"

namespace mcpscan::ingest {
namespace {

constexpr std::size_t kNone = std::string_view::npos;
constexpr std::size_t kMostTag = 96;  // host and tag together; longer is text

std::string_view take_word(std::string_view& text) {
  const std::size_t blank = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, blank);
  text.remove_prefix(std::min(blank + 1, text.size()));
  return word;
}

std::uint64_t mix(std::uint64_t process, std::string_view what) { return hash_bytes(what, process + 1); }

// Behind the structured data of RFC 5424 section 6.3: a dash, or [..]s in which \] stands for a bracket.
std::size_t structured_data_length(std::string_view text) {
  if (text.substr(0, 1) == "-") return 1;
  std::size_t at = 0;
  while (at < text.size() && text[at] == '[') {
    bool quoted = false;
    for (++at; at < text.size() && (quoted || text[at] != ']'); ++at) {
      if (text[at] == '\\') ++at;
      else if (text[at] == '"') quoted = !quoted;
    }
    ++at;
  }
  return std::min(at, text.size());
}

bool is_octal3(std::string_view text, std::size_t at) {
  return at + 3 < text.size() && text[at] == '#' && text[at + 1] == '0' && text[at + 2] >= '0' && text[at + 2] <= '3' && text[at + 3] >= '0' &&
         text[at + 3] <= '7';
}

// rsyslog writes control bytes as #ooo: #012 is a line end, #011 a tab.
std::string_view resolve_octal(std::string_view text, Arena& arena) {
  if (text.find("#01") == kNone) return text;
  const std::span<char> buffer = arena.buffer(text.size());
  std::size_t used = 0;
  for (std::size_t at = 0; at < text.size();) {
    const bool escape = is_octal3(text, at);
    buffer[used++] = escape ? static_cast<char>((text[at + 2] - '0') * 8 + (text[at + 3] - '0')) : text[at];
    at += escape ? 4 : 1;
  }
  return {buffer.data(), used};
}

struct Tag {
  std::string_view name, pid;
  std::size_t length = 0;  // with the colon and one blank
};

// Hosts and tags hold none of these; a JSON text and a word in brackets before it do.
bool has_marks(std::string_view word) { return word.find_first_of("[]{}\"") != kNone; }

// name[pid]: or name: at the start.
Tag read_tag_at(std::string_view text) {
  Tag tag;
  std::size_t at = 0;
  while (at < text.size() && at < kMostTag && is_a(text[at], kVisible) && text[at] != ':' && text[at] != '[') ++at;
  tag.name = text.substr(0, at);
  if (at < text.size() && text[at] == '[') {
    const std::size_t close = text.substr(0, kMostTag).find(']', at);
    if (close == kNone) return {};
    tag.pid = text.substr(at + 1, close - at - 1);
    if (tag.pid.empty() || run_of(tag.pid, 0, kDigit) != tag.pid.size()) return {};
    at = close + 1;
  }
  if (tag.name.empty() || has_marks(tag.name) || at >= text.size() || text[at] != ':' || text.substr(at, 2) == "::") return {};
  tag.length = at + 1;
  if (tag.length < text.size() && text[tag.length] == ' ') ++tag.length;
  return tag;
}

}  // namespace

bool Framer::read_cri(Frame& frame) {
  Time at;
  const std::size_t length = times_.read(TimeForm::iso, frame.payload, at);
  if (length == 0) return false;
  if (length >= frame.payload.size()) return read_stamp(frame, at, length);
  std::string_view text = frame.payload.substr(length + 1);
  if (frame.payload[length] == '\t') return read_fluentd(frame, at, text) || read_lambda(frame, at, text) || read_zap(frame);
  if (frame.payload[length] != ' ') return false;
  const std::string_view stream = text.substr(0, 7);
  const bool cri = (stream == "stdout " || stream == "stderr ") && text.size() > 8 && (text[7] == 'F' || text[7] == 'P') &&
                   (text.size() == 8 || text[8] == ' ' || text[8] == ':');
  const bool as_aws_does = frame.payload.substr(0, length).ends_with("+00:00") && (length == 25 || length == 32);
  if (!cri && (read_dyno(frame, at, text) || read_stamp(frame, at, length))) return true;
  if (!cri) return ((as_aws_does || text.starts_with('{')) && read_tail(frame, at, text)) || read_tag(frame, text, Framing::syslog_file, at, false);
  frame.wrap(Framing::cri);
  frame.stamp(at);
  frame.process = mix(frame.process, stream.substr(0, 6));
  const std::size_t blank = text.find(' ', 8);
  frame.payload = blank == kNone ? std::string_view{} : text.substr(blank + 1);
  frame.take_piece(text[7] == 'P');
  return true;
}

// app[web.1]: text (Heroku's logplex), app[148e21] fra [info]text (fly logs), behind a time.
bool Framer::read_dyno(Frame& frame, Time at, std::string_view text) {
  constexpr std::string_view kApp = "app[";
  const std::size_t close = text.starts_with(kApp) ? text.substr(0, kMostTag).find(']') : kNone;
  if (close == kNone) return false;
  const std::string_view name = text.substr(kApp.size(), close - kApp.size());
  std::string_view behind = text.substr(close + 1);
  if (behind.starts_with(": ") || behind == ":") {
    behind.remove_prefix(std::min<std::size_t>(2, behind.size()));
  } else {
    const std::size_t region = behind.starts_with(' ') ? run_of(behind, 1, kLetter) : 0;
    const std::size_t end = region == 3 && behind.substr(4, 2) == " [" ? behind.substr(0, kMostTag).find(']') : kNone;
    if (end == kNone) return false;
    if (frame.level.empty()) frame.level = behind.substr(6, end - 6);
    behind.remove_prefix(end + 1);
  }
  frame.wrap(Framing::syslog_file);
  frame.stamp(at);
  frame.process = mix(frame.process, name);
  frame.payload = clean(behind);
  return true;
}

// 2026-11-29T16:35:09.123456789Z text: nanoseconds, of which podman leaves the last zeros out; exports of CloudWatch and of log viewers have fewer digits.
bool Framer::read_stamp(Frame& frame, Time at, std::size_t length) {
  constexpr std::size_t kSeconds = 19;
  const bool taken_off = (frame.layers >> static_cast<unsigned>(Framing::stamps) & 1u) != 0;
  const bool names_zone = frame.payload[length - 1] == 'Z' || (length > kSeconds + 6 && frame.payload[length - 3] == ':');
  if (!shape_.stamped || taken_off || !names_zone || (frame.payload[kSeconds] != '.' && frame.payload[kSeconds] != 'Z')) return false;
  frame.wrap(Framing::stamps);
  frame.stamp(at);
  frame.payload = clean(frame.payload.substr(std::min(length + 1, frame.payload.size())));
  return true;
}

// [host ]tag[pid]: message. Without [pid] only where the whole file is like that: too much ordinary text has a colon.
bool Framer::read_tag(Frame& frame, std::string_view text, Framing framing, Time at, bool host_optional) {
  Tag tag = host_optional ? read_tag_at(text) : Tag{};
  std::string_view host;
  if (tag.length == 0) {
    std::string_view behind = text;
    host = take_word(behind);
    if (host.empty() || host.size() > kMostTag || has_marks(host) || level_length(host) == host.size() || host.back() == ':') return false;
    tag = read_tag_at(behind);
    if (tag.length == 0) return false;
    text = behind;
  }
  if (tag.pid.empty() && !shape_.syslog_file && framing != Framing::syslog_3164) return false;
  frame.wrap(framing);
  frame.stamp(at);
  frame.process = mix(mix(mix(frame.process, host), tag.name), tag.pid);
  frame.payload = clean(resolve_octal(text.substr(tag.length), arena_));
  return true;
}

// Nov 29 16:35:55 host ident[4242]: message, as journalctl and classic syslog files write it.
bool Framer::read_short(Frame& frame) {
  const std::string_view text = frame.payload;
  if (text.size() < 20 || text[3] != ' ' || text[6] != ' ') return false;
  Time at;
  const std::size_t length = times_.read(TimeForm::syslog, text, at);
  if (length == 0 || length >= text.size() || text[length] != ' ') return false;
  return read_tag(frame, text.substr(length + 1), Framing::syslog_file, at, false);
}

bool Framer::read_syslog(Frame& frame) {
  const std::string_view text = frame.payload;
  const Decimal priority = read_decimal(text, 1);
  if (priority.digits == 0 || priority.digits > 3 || priority.value > 191) return false;
  std::string_view behind = text.substr(1 + priority.digits);
  if (behind.empty() || behind[0] != '>') return false;
  behind.remove_prefix(1);
  if (behind.substr(0, 2) == "1 ") return read_syslog_5424(frame, behind.substr(2));
  Time at;
  std::size_t length = times_.read(TimeForm::syslog, behind, at);
  if (length == 0) length = times_.read(TimeForm::iso, behind, at);
  if (length == 0 || length >= behind.size()) return false;
  behind.remove_prefix(length + 1);
  return read_tag(frame, behind, Framing::syslog_3164, at, true);
}

bool Framer::read_syslog_5424(Frame& frame, std::string_view text) {
  Time at;
  const std::string_view stamp = take_word(text);
  if (stamp != "-" && times_.read(TimeForm::iso, stamp, at) != stamp.size()) return false;
  const std::string_view host = take_word(text), app = take_word(text), pid = take_word(text);
  take_word(text);  // MSGID
  text.remove_prefix(structured_data_length(text));
  if (!text.empty() && text[0] == ' ') text.remove_prefix(1);
  if (text.substr(0, 3) == "\xef\xbb\xbf") text.remove_prefix(3);
  frame.wrap(Framing::syslog_5424);
  frame.stamp(at);
  frame.process = mix(mix(mix(frame.process, host), app), pid);
  frame.payload = clean(resolve_octal(text, arena_));
  return true;
}

// name-1  | text (compose), 0|name  | text (pm2).
bool Framer::read_compose(Frame& frame) {
  const std::string_view text = frame.payload;
  std::size_t at = 0;
  const Decimal number = read_decimal(text);
  const bool numbered = number.digits != 0 && text.size() > number.digits && text[number.digits] == '|';
  if (numbered) at = number.digits + 1;
  const std::size_t from = at;
  at += run_of(text, at, kLetter | kDigit | kLoggerMark);
  const std::string_view name = text.substr(from, at - from);
  while (at < text.size() && text[at] == ' ') ++at;
  if (name.empty() || at == from + name.size() || at >= text.size() || text[at] != '|') return false;
  const std::size_t dash = name.rfind('-');
  const bool replica = dash != kNone && dash + 1 < name.size() && run_of(name, dash + 1, kDigit) == name.size() - dash - 1;
  if (!shape_.compose && !replica && !numbered) return false;
  frame.wrap(Framing::compose);
  frame.process = mix(frame.process, name);
  ++at;
  frame.payload = text.substr(std::min(at < text.size() && text[at] == ' ' ? at + 1 : at, text.size()));
  return true;
}

// [pod/name/container] text (kubectl logs --prefix).
bool Framer::read_kubectl_prefix(Frame& frame) {
  const std::string_view text = frame.payload;
  if (text.substr(0, 5) != "[pod/") return false;
  const std::size_t close = text.substr(0, 3 * kMostTag).find("] ");
  if (close == kNone) return false;
  frame.wrap(Framing::compose);
  frame.process = mix(frame.process, text.substr(1, close - 1));
  frame.payload = text.substr(close + 2);
  return true;
}

namespace {

// NAME-HASH-RANDOM of a replica set's pod: Kubernetes makes both of letters and digits that spell no words.
bool is_pod(std::string_view name) {
  constexpr std::string_view kSafe = "bcdfghjklmnpqrstvwxz2456789";
  constexpr std::size_t kRandom = 5, kLeastHash = 6, kMostHash = 10;
  const std::size_t random = name.rfind('-');
  if (random == kNone || name.size() - random - 1 != kRandom || random == 0) return false;
  const std::size_t hash = name.rfind('-', random - 1);
  if (hash == kNone || hash == 0) return false;
  const std::string_view digits = name.substr(hash + 1, random - hash - 1);
  return digits.size() >= kLeastHash && digits.size() <= kMostHash && digits.find_first_not_of(kSafe) == kNone && name.substr(random + 1).find_first_not_of(kSafe) == kNone;
}

}  // namespace

// pod container text (stern), or without the container.
bool Framer::read_pod_prefix(Frame& frame) {
  constexpr std::string_view kNameBytes = "abcdefghijklmnopqrstuvwxyz0123456789-";
  std::string_view text = frame.payload;
  const std::size_t end = text.substr(0, kMostTag).find(' ');
  if (end == kNone || !is_pod(text.substr(0, end))) return false;
  frame.wrap(Framing::compose);
  frame.process = mix(frame.process, text.substr(0, end));
  text.remove_prefix(end + 1);
  const std::size_t container = text.substr(0, kMostTag).find(' ');
  const bool named = container != kNone && container > 0 && text[0] >= 'a' && text[0] <= 'z' && text.substr(0, container).find_first_not_of(kNameBytes) == kNone;
  frame.payload = text.substr(named ? container + 1 : 0);
  return true;
}

}  // namespace mcpscan::ingest
