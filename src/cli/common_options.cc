#include "cli/common_options.h"

#include <fmt/format.h>

#include <charconv>

#include "base/data_file.h"
#include "base/date_text.h"
#include "base/text_file.h"
#include "base/zone.h"
#include "cli/terminal.h"
#include "net/packet_filter.h"

namespace mcpscan::cli {
namespace {

// An offset behind a clock: Z, +02:00, -0530. False for anything else.
bool read_offset(std::string_view text, std::int64_t& offset_us) {
  if (text == "Z" || text == "z") return offset_us = 0, true;
  if (text.size() < 5 || (text[0] != '+' && text[0] != '-')) return false;
  const std::string_view hours = text.substr(1, 2), minutes = text.substr(text[3] == ':' ? 4 : 3);
  const auto digits = [](std::string_view two) { return two.size() == 2 && two.find_first_not_of("0123456789") == std::string_view::npos; };
  if (!digits(hours) || !digits(minutes)) return false;
  const auto value = [](std::string_view two) { return (two[0] - '0') * 10 + (two[1] - '0'); };
  offset_us = (value(hours) * kHour + value(minutes) * kMinute) * (text[0] == '-' ? -1 : 1);
  return true;
}

// 2026-11-28, 2026-11-28T08:00, ...:00, with a fraction; in `zone` unless an offset follows.
bool read_time(std::string_view text, const Zone& zone, Time& at) {
  const auto day = read_date(text.substr(0, 10));
  if (!day) return false;
  CivilTime civil;
  const auto digits = [&](std::size_t from, std::size_t count, auto& to) {
    if (from + count > text.size()) return false;
    const auto [end, error] = std::from_chars(text.data() + from, text.data() + from + count, to);
    return error == std::errc() && end == text.data() + from + count;
  };
  std::size_t end = 10;
  if (text.size() >= 16 && (text[10] == 'T' || text[10] == ' ')) {
    if (!digits(11, 2, civil.hour) || !digits(14, 2, civil.minute) || text[13] != ':' || civil.hour > 23 || civil.minute > 59) return false;
    end = 16;
    if (end < text.size() && text[end] == ':') {
      if (!digits(17, 2, civil.second) || civil.second > 60) return false;
      end = 19;
    }
    if (end < text.size() && text[end] == '.') {
      unsigned scale = 100000;
      for (++end; end < text.size() && text[end] >= '0' && text[end] <= '9'; ++end, scale /= 10) civil.microsecond += static_cast<unsigned>(text[end] - '0') * scale;
    }
  }
  at.us = *day * kDay + time_from_civil(civil).us;
  std::int64_t offset_us = zone.offset_us(at.us);
  if (end < text.size() && !read_offset(text.substr(end), offset_us)) return false;
  at.us -= offset_us;
  return true;
}

Status set_time(const char* option, const std::string& text, const Zone& zone, Time& at) {
  if (text.empty() || read_time(text, zone, at)) return {};
  return Error{ErrorCode::invalid_argument, fmt::format("'{}' is no time", text), option, fmt::format("write 2026-11-28 or 2026-11-28T08:00:00 ({}), or with an offset: ...08:00Z", zone.name())};
}

// "server-wire" for all inputs, "upstream.pcap=server-wire" for one.
Status set_places(const std::vector<std::string>& words, pipeline::ScanOptions& scan) {
  for (const std::string& word : words) {
    const std::size_t equals = word.rfind('=');
    const std::string place = equals == std::string::npos ? word : word.substr(equals + 1);
    const auto vantage = model::parse_vantage(place);
    if (!vantage) return Error{ErrorCode::invalid_argument, fmt::format("'{}' is no vantage point", place), "--as", "one of client, client-wire, gateway, server-wire, server"};
    equals == std::string::npos ? scan.as = *vantage : scan.as_of[word.substr(0, equals)] = *vantage;
  }
  return {};
}

Status load_tuning(CommonOptions& options, const pipeline::Knowledge& knowledge) {
  if (options.tuning.empty()) return {};
  const Result<std::string> text = read_text_file(options.tuning);
  if (!text) return text.error();
  auto tuning = engine::Tuning::load(*text, options.tuning, knowledge.rules);
  if (!tuning) return tuning.error();
  options.scan.tuning = tuning.take();
  return {};
}

}  // namespace

void add_input_options(CLI::App& command, CommonOptions& options) {
  auto& scan = options.scan;
  command.add_option("INPUT", scan.inputs, "files, folders, globs, - for stdin; also compressed ones")->required();
  command.add_option("--as", options.as, "where the evidence was taken: client, client-wire, gateway, server-wire, server; or FILE=PLACE for one input")
      ->type_name("[FILE=]PLACE")
      ->allow_extra_args(false)
      ->group(kEvidence);
  command.add_option("--client-timeout", options.client_timeout_s, "how long a client waits for a reply")
      ->check(CLI::Range(0.001, 86400.0))
      ->type_name("S")
      ->capture_default_str()
      ->group(kEvidence);
  command.add_option("--trusted-proxy", options.trusted_proxies, "proxies whose X-Forwarded-For names the client")->type_name("CIDR")->allow_extra_args(false)->group(kEvidence);
  command.add_option("--keylog", scan.key_logs, "TLS session keys (SSLKEYLOGFILE form) for captures")->type_name("FILE")->allow_extra_args(false)->group(kEvidence);
  command.add_option("--filter", scan.filter, "BPF expression for captures, as tcpdump takes it")->type_name("EXPRESSION")->group(kEvidence);
  command.add_option("--dialect", scan.dialect, "read logs with this dialect only (mcpscan formats list)")->type_name("NAME")->group(kEvidence);
  command.add_option("--since", options.since, "only what happened at or after this time")->type_name("TIME")->group(kSelection);
  command.add_option("--until", options.until, "only what happened at or before this time")->type_name("TIME")->group(kSelection);
  command.add_option("--tz", scan.time_zone, "zone of times shown and typed, and of logs that name none")->type_name("ZONE")->capture_default_str()->group(kOutput);
  command.add_flag("--hash", scan.hash, "put the SHA-256 of each input into the report")->group(kOutput);
  command.add_option("--threads", scan.threads, "worker threads; the result does not depend on it")->check(CLI::Range(1u, 64u))->type_name("COUNT");
}

void add_data_options(CLI::App& command, CommonOptions& options) {
  command.add_option("--dialect-dir", options.dialect_dir, "folder with further dialects (*.yml)")->type_name("DIR");
  command.add_option("--rules-dir", options.rules_dir, "folder with further rules (*.yml)")->type_name("DIR");
  command.add_option("--tuning", options.tuning, "file with levels, suppressions and known incidents of your own")->type_name("FILE");
}

Status settle(CommonOptions& options, const pipeline::Knowledge& knowledge) {
  auto& scan = options.scan;
  const auto zone = Zone::locate(scan.time_zone);
  if (!zone) return zone.error();
  if (const Status since = set_time("--since", options.since, *zone, scan.since); !since.ok()) return since;
  if (const Status until = set_time("--until", options.until, *zone, scan.until); !until.ok()) return until;
  if (scan.since.known() && scan.until.known() && scan.until < scan.since) return Error{ErrorCode::invalid_argument, fmt::format("nothing happened from {} until {}", options.since, options.until), "--until", "the later of the two times is --until's"};
  if (!scan.filter.empty()) {
    const auto filter = net::PacketFilter::compile(scan.filter);  // each capture does so again: a wrong one is wrong without any, too
    if (!filter) return filter.error();
  }
  for (const std::string& text : options.trusted_proxies) {
    const auto network = pipeline::parse_network(text);
    if (!network) return network.error();
    scan.trusted_proxies.push_back(*network);
  }
  if (const Status places = set_places(options.as, scan); !places.ok()) return places;
  const auto level = model::parse_level(options.min_level);
  if (!level) return Error{ErrorCode::invalid_argument, fmt::format("'{}' is no level", options.min_level), "--min-level", "one of informational, low, medium, high, critical"};
  scan.min_level = *level;
  scan.client_timeout_us = static_cast<std::int64_t>(options.client_timeout_s * kSecond);
  for (const std::string& rule : scan.rules) {
    if (!knowledge.rules.find(rule)) return Error{ErrorCode::invalid_argument, fmt::format("there is no rule '{}'", rule), "--rule", did_you_mean(rule, knowledge.rules.ids())};
  }
  if (!scan.dialect.empty() && !knowledge.dialects.contains(scan.dialect)) {
    std::vector<std::string> names;
    for (const auto& dialect : knowledge.dialects.summaries()) names.push_back(dialect.name);
    return Error{ErrorCode::invalid_argument, fmt::format("there is no dialect '{}'", scan.dialect), "--dialect", did_you_mean(scan.dialect, {names.begin(), names.end()})};
  }
  if (const Status tuned = load_tuning(options, knowledge); !tuned.ok()) return tuned;
  if (scan.threads == 0) scan.threads = hardware_threads();
  return {};
}

}  // namespace mcpscan::cli
