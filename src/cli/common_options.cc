#include "cli/common_options.h"

#include <fmt/format.h>

#include <charconv>

#include "base/data_file.h"
#include "base/zone.h"
#include "cli/terminal.h"

namespace mcpscan::cli {
namespace {

// 2026-11-28, 2026-11-28T08:00, ...:00, with a fraction and Z; UTC.
bool read_time(const std::string& text, Time& at) {
  CivilTime civil;
  const auto digits = [&](std::size_t from, std::size_t count, auto& to) {
    if (from + count > text.size()) return false;
    const auto [end, error] = std::from_chars(text.data() + from, text.data() + from + count, to);
    return error == std::errc() && end == text.data() + from + count;
  };
  if (!digits(0, 4, civil.year) || !digits(5, 2, civil.month) || !digits(8, 2, civil.day) || text[4] != '-' || text[7] != '-') return false;
  if (civil.month < 1 || civil.month > 12 || civil.day < 1 || civil.day > 31) return false;
  if (text.size() >= 16 && (!digits(11, 2, civil.hour) || !digits(14, 2, civil.minute) || text[13] != ':')) return false;
  if (text.size() >= 19 && (!digits(17, 2, civil.second) || text[16] != ':')) return false;
  if (text.size() > 10 && text.size() < 16) return false;
  at = time_from_civil(civil);
  return true;
}

Status set_time(const char* option, const std::string& text, Time& at) {
  if (text.empty() || read_time(text, at)) return {};
  return Error{ErrorCode::invalid_argument, fmt::format("'{}' is no time", text), option, "write 2026-11-28 or 2026-11-28T08:00:00 (UTC)"};
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

}  // namespace

void add_input_options(CLI::App& command, CommonOptions& options) {
  auto& scan = options.scan;
  command.add_option("INPUT", scan.inputs, "files, folders, globs or - for standard input; compressed or archived ones as they are")->required();
  command.add_option("--since", options.since, "only what happened at or after this time (UTC)");
  command.add_option("--until", options.until, "only what happened at or before this time (UTC)");
  command.add_option("--tz", scan.time_zone, "time zone of log times that name none")->capture_default_str();
  command.add_option("--client-timeout", options.client_timeout_s, "seconds a client waits for a reply, where it is known")->check(CLI::Range(0.001, 86400.0))->capture_default_str();
  command.add_option("--dialect", scan.dialect, "read logs with this dialect's messages only (see 'mcpscan formats list')");
  command.add_option("--as", options.as, "where the evidence was taken: client, client-wire, gateway, server-wire, server; or FILE=PLACE for one input")->type_name("[FILE=]PLACE");
  command.add_option("--keylog", scan.key_logs, "TLS session keys (SSLKEYLOGFILE form) for captures");
  command.add_option("--filter", scan.filter, "BPF expression for captures, as tcpdump takes it");
  command.add_option("--threads", scan.threads, "worker threads; the result does not depend on it")->check(CLI::Range(1u, 64u));
  command.add_flag("--hash", scan.hash, "put the SHA-256 of each input into the report");
}

void add_data_options(CLI::App& command, CommonOptions& options) {
  command.add_option("--dialect-dir", options.dialect_dir, "folder with further dialects (*.yml)");
  command.add_option("--rules-dir", options.rules_dir, "folder with further rules (*.yml)");
}

Status settle(CommonOptions& options, const pipeline::Knowledge& knowledge) {
  auto& scan = options.scan;
  if (const Status since = set_time("--since", options.since, scan.since); !since.ok()) return since;
  if (const Status until = set_time("--until", options.until, scan.until); !until.ok()) return until;
  if (const auto zone = Zone::locate(scan.time_zone); !zone) return zone.error();
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
  if (scan.threads == 0) scan.threads = hardware_threads();
  return {};
}

}  // namespace mcpscan::cli
