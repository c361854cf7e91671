#include "cli/report_output.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "base/data_file.h"
#include "base/version.h"
#include "cli/terminal.h"
#include "report/report_format_registry.h"

namespace mcpscan::cli {
namespace {

namespace fs = std::filesystem;
using model::ReportFormatEntry;

constexpr std::string_view kUsual = "text";
constexpr std::size_t kPiece = 64 * 1024;  // bytes written at a time

const ReportFormatEntry* format_named(std::string_view name) {
  for (const auto* entry : report::registered_report_formats()) {
    if (entry->name == name) return entry;
  }
  return nullptr;
}

const ReportFormatEntry* format_of_ending(std::string_view ending) {
  for (const auto* entry : report::registered_report_formats()) {
    if (entry->ending == ending) return entry;
  }
  return nullptr;
}

std::string endings() {
  std::string text;
  for (const auto* entry : report::registered_report_formats()) text += fmt::format("{}.{}", text.empty() ? "" : " ", entry->ending);
  return text;
}

Result<const ReportFormatEntry*> format_of_file(const std::string& file) {
  const std::string ending = fs::path(file).extension().string();
  std::error_code error;
  const auto status = fs::status(file, error);
  const bool device = fs::exists(status) && !fs::is_regular_file(status);
  if (ending.empty() || device) return format_named(kUsual);
  if (const auto* format = format_of_ending(std::string_view(ending).substr(1))) return format;
  return Error{ErrorCode::invalid_argument, fmt::format("'{}' is no ending of a report", ending), file, fmt::format("one of {}, or say which with --format", endings())};
}

}  // namespace

std::string format_names() {
  std::string names;
  for (const auto* entry : report::registered_report_formats()) names += (names.empty() ? "" : ", ") + std::string(entry->name);
  return names;
}

Result<ReportOutput> ReportOutput::choose(const OutputOptions& options, const std::vector<std::string>& inputs) {
  const ReportFormatEntry* named = format_named(options.format.empty() ? kUsual : std::string_view(options.format));
  if (!named) {
    std::vector<std::string_view> names;
    for (const auto* entry : report::registered_report_formats()) names.push_back(entry->name);
    return Error{ErrorCode::invalid_argument, fmt::format("there is no format '{}'", options.format), "--format", did_you_mean(options.format, names)};
  }
  if (!options.format.empty() && options.files.size() > 1) {
    return Error{ErrorCode::invalid_argument, "one format for several files", "--format", fmt::format("leave it out: the endings tell the formats ({})", endings())};
  }
  ReportOutput output;
  std::set<std::string> seen;
  for (const std::string& file : options.files) {
    if (!seen.insert(file == "-" ? file : fs::path(file).lexically_normal().string()).second) {
      return Error{ErrorCode::invalid_argument, "this file is named twice", file, "give each report a file of its own"};
    }
    if (file == "-" || !options.format.empty()) {
      output.targets_.push_back({named, file == "-" ? std::string() : file});
      continue;
    }
    output.targets_.push_back({nullptr, file});
  }
  if (output.targets_.empty()) output.targets_.push_back({named, {}});
  if (Status possible = output.possible(inputs); !possible.ok()) return possible.error();
  for (Target& target : output.targets_) {
    if (target.format) continue;
    auto format = format_of_file(target.file);
    if (!format) return format.error();
    target.format = *format;
  }
  return output;
}

Status ReportOutput::possible(const std::vector<std::string>& inputs) const {
  for (const Target& target : targets_) {
    if (Status status = output_possible(target.file, inputs); !status.ok()) return status;
  }
  return {};
}

Status ReportOutput::write(const model::Report& report, bool raw, const Zone& zone) const {
  return write([&](const auto& format, const auto& options, auto out) { format.write(report, options, out); }, raw, zone);
}

std::string ReportOutput::first_unfit(FunctionRef<bool(std::string_view)> can_carry) const {
  for (const Target& target : targets_) {
    if (!can_carry(target.format->name)) return std::string(target.format->name);
  }
  return {};
}

void ReportStreams::row(const model::TimelineRow& row) {
  for (const Stream& stream : streams_) stream.writer->row(row);
}

void ReportStreams::input(const model::InputRow& input) {
  for (const Stream& stream : streams_) stream.writer->input(input);
}

void ReportStreams::finish(const model::Report& report) {
  for (const Stream& stream : streams_) stream.writer->finish(report);
}

Status ReportStreams::commit() {
  for (const Stream& stream : streams_) {
    if (Status written = stream.outlet->finish(); !written.ok()) return written;
  }
  return {};
}

Status ReportOutput::begin_streams(ReportStreams& streams, bool raw, const Zone& zone) {
  for (Target& target : targets_) {
    if (!target.format->stream) continue;
    auto outlet = std::make_unique<Outlet>(1);
    if (Status opened = outlet->open(target.file); !opened.ok()) return opened;
    target.streamed = true;
    auto writer = target.format->stream(kVersion, {terminal_width(), false, false, raw, zone}, [to = outlet.get()](std::string_view text) { to->write(text); });
    streams.streams_.push_back({std::move(outlet), std::move(writer)});
  }
  return {};
}

Status ReportOutput::write(Render render, bool raw, const Zone& zone) const {
  for (const Target& target : targets_) {
    if (target.streamed) continue;
    const bool to_terminal = target.file.empty() && stdout_is_terminal();
    Outlet outlet(kPiece);
    if (Status opened = outlet.open(target.file); !opened.ok()) return opened;
    render(*target.format, {terminal_width(), to_terminal && colour_wanted(), to_terminal, raw, zone}, [&](std::string_view text) { outlet.write(text); });
    if (Status written = outlet.finish(); !written.ok()) return written;
  }
  return {};
}

}  // namespace mcpscan::cli
