// ReportFormat: one way to write a Report. One file each, src/report/format_<name>.cc, which defines
// `extern const ReportFormatEntry kFormat<Name>`. A format reads nothing but the report and its options.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/function_ref.h"
#include "base/zone.h"
#include "model/finding.h"

namespace mcpscan::model {

class TimelineWriter;

struct ReportOptions {
  unsigned width = 100;       // columns of the terminal, 80 to 200
  bool colour = false;
  bool terminal = false;      // long lists are capped on a terminal, with the number left out
  bool raw = false;           // secrets are shown
  Zone zone = {};             // of the times that people read; machine formats are UTC
};

struct ReportFormatEntry {
  std::string_view name;      // what --format takes
  std::string_view ending;    // file ending for -o, without the dot
  std::string_view help;      // one line
  // Gives the report to `out`, in pieces as they come.
  using Out = FunctionRef<void(std::string_view)>;
  void (*write)(const Report& report, const ReportOptions& options, Out out);
  // For a format whose first lines can be written while the evidence is read, given the program's version; null: it cannot.
  std::unique_ptr<TimelineWriter> (*stream)(std::string_view version, const ReportOptions& options, std::function<void(std::string_view)> out) = nullptr;
};

// The whole report as one text.
inline std::string text_of(const ReportFormatEntry& format, const Report& report, const ReportOptions& options) {
  std::string text;
  format.write(report, options, [&](std::string_view piece) { text += piece; });
  return text;
}

}  // namespace mcpscan::model
