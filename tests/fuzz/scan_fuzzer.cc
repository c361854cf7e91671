// module: cli
// Any bytes as a file, from the choice of its reader to every report: nothing throws or reads out of bounds, the books balance, a report in JSON
// is JSON, a terminal is given nothing that acts on it, and more threads change nothing.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "fuzz/books.h"
#include "model/report_format.h"
#include "pipeline/scan.h"
#include "report/report_format_registry.h"

namespace {

using namespace mcpscan;

void require(bool holds) {
  if (!holds) std::abort();
}

// The bytes as a file that needs no disk.
class Evidence {
 public:
  Evidence(const std::uint8_t* data, std::size_t size) : descriptor_(memfd_create("evidence", MFD_CLOEXEC)), path_("/proc/self/fd/" + std::to_string(descriptor_)) {
    require(descriptor_ >= 0 && write(descriptor_, data, size) == static_cast<ssize_t>(size));
  }
  ~Evidence() { close(descriptor_); }
  Evidence(const Evidence&) = delete;
  Evidence& operator=(const Evidence&) = delete;
  const std::string& path() const { return path_; }

 private:
  int descriptor_;
  std::string path_;
};

// Bounds that inputs of some KiB reach.
Limits tight_limits() {
  Limits limits;
  limits.block_bytes = 2048;
  limits.record_lines = 50;
  limits.open_records = 4;
  limits.archive_members = 16;
  limits.expansion_floor_bytes = 1u << 20;
  limits.header_bytes = 4096;
  limits.body_bytes = 16384;
  limits.sessions = 8;
  limits.calls_in_flight = 16;
  limits.finished_calls = 16;
  limits.report_calls = limits.report_evidence = 4;
  limits.findings = 64;
  return limits;
}

pipeline::ScanResult scanned(const std::string& path, unsigned threads) {
  static const pipeline::Knowledge knowledge = pipeline::load_knowledge("", "");
  static const Limits limits = tight_limits();
  pipeline::ScanOptions options;
  options.inputs = {path};
  options.threads = threads;
  return pipeline::scan(options, knowledge, limits, [](const std::string&, std::uint64_t) {});
}

void check_reports(const model::Report& report) {
  model::ReportOptions options;
  options.width = 80;
  options.terminal = true;
  for (const model::ReportFormatEntry* format : report::registered_report_formats()) {
    const std::string text = model::text_of(*format, report, options);
    if (format->name == "json" || format->name == "sarif") require(nlohmann::json::accept(text));
    if (format->name != "text") continue;
    for (const char c : text) require(c == '\n' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f));
  }
}

std::string as_json(const model::Report& report) {
  for (const model::ReportFormatEntry* format : report::registered_report_formats()) {
    if (format->name == "json") return model::text_of(*format, report, {});
  }
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Evidence evidence(data, size);
  const pipeline::ScanResult one = scanned(evidence.path(), 1);
  for (const model::InputRow& input : one.report.inputs) require(tests::adds_up(input.books));
  check_reports(one.report);
  require(as_json(scanned(evidence.path(), 3).report) == as_json(one.report));
  return 0;
}
