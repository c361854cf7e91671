// The frame of a self-contained HTML page: its head with the one style and the policy that allows nothing else, sections, tables, its foot.
// What it is given is escaped already. Threads: pure. Bound: none kept.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mcpscan::report {

// To the opened body, with the link that leads past the banner to `<main id="main">`.
std::string html_head(std::string_view title, std::string_view version);
std::string html_foot(std::string_view version, std::string_view zone);
// Opens a section that its heading names; the caller closes it.
std::string html_section(std::string_view id, std::string_view heading);
// A title that begins with # heads a column of numbers. Wide tables scroll in their own frame, also by keyboard. Empty without rows.
std::string html_table(std::string_view caption, const std::vector<std::string_view>& titles, const std::vector<std::vector<std::string>>& rows);

}  // namespace mcpscan::report
