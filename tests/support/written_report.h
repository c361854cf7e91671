// A report in the format of that name, as a test wants it.
#pragma once

#include <string>
#include <string_view>

#include "report/report_format_registry.h"

namespace mcpscan::tests {

inline std::string written(std::string_view format, const model::Report& report, const model::ReportOptions& options = {}) {
  for (const auto* entry : report::registered_report_formats()) {
    if (entry->name == format) return model::text_of(*entry, report, options);
  }
  return {};
}

}  // namespace mcpscan::tests
