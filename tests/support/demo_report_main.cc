// Prints a made-up report: demo_report NAME FORMAT [WIDTH [colour]]. NAME: demo, clean, foreign, hostile, fixed, empty.
// For looking at a format, and for tests that check its output from outside.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "report/report_format_registry.h"
#include "support/hostile_report.h"

namespace {

mcpscan::model::Report report_of(std::string_view name) {
  using namespace mcpscan::tests;
  if (name == "clean") return clean_report();
  if (name == "foreign") return foreign_report();
  if (name == "hostile") return hostile_report();
  if (name == "fixed") return fixed_hostile_report();
  return name == "empty" ? mcpscan::model::Report() : demo_report();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return std::fprintf(stderr, "usage: demo_report NAME FORMAT [WIDTH [colour]]\n"), 2;
  mcpscan::model::ReportOptions options;
  options.terminal = true;
  options.colour = argc > 4;
  if (argc > 3) options.width = static_cast<unsigned>(std::strtoul(argv[3], nullptr, 10));
  for (const auto* format : mcpscan::report::registered_report_formats()) {
    if (format->name != argv[2]) continue;
    const std::string text = mcpscan::model::text_of(*format, report_of(argv[1]), options);
    return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? 0 : 1;
  }
  return std::fprintf(stderr, "no such format: %s\n", argv[2]), 2;
}
