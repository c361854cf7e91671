// Escaping: one function per output language. Each takes any bytes and gives text that is safe and valid UTF-8 there.
// What a reader could not see, or what would act on the terminal (controls, ANSI, C1, bidi marks, zero-width and tag
// characters, invalid UTF-8), is shown as \x1b, \u{202e} or \n. Not redaction: see redact.h, which runs before.
// Threads: pure functions. Bound: output is at most 12 times the input.
#pragma once

#include <string>
#include <string_view>

namespace mcpscan::report {

// For a terminal or a plain text file: no newline, no control byte, no mark that reorders or hides text.
std::string escape_terminal(std::string_view text);

// Appends a JSON string with its quotes (RFC 8259 section 7). Invisible characters become \uXXXX, so that decoding gives
// them back; an invalid byte becomes the four characters \xNN, because JSON cannot hold it and two paths that differ in
// it must stay two.
void append_json_string(std::string& to, std::string_view text);

// Appends a CSV cell (RFC 4180): one line, quoted where it must be, and nothing in it that a spreadsheet would take for a formula (a cell that
// begins with = + - @ gets an apostrophe before it; what else is invisible is shown as for a terminal).
void append_csv_cell(std::string& to, std::string_view text);
// A row of such cells, with its line end.
template <typename Cells>
void append_csv_row(std::string& to, const Cells& cells) {
  bool first = true;
  for (const auto& cell : cells) {
    if (!first) to += ',';
    first = false;
    append_csv_cell(to, cell);
  }
  to += '\n';
}

// For Markdown (CommonMark, GitHub's and GitLab's dialects) inside a line that begins with our own words, also in a table
// cell: no markup, HTML, link, mention or issue reference comes alive.
std::string escape_markdown(std::string_view text);

// For HTML and XML, as text or as the value of a quoted attribute: no element, entity or attribute comes alive, and nothing
// that XML 1.0 forbids is left.
std::string escape_html(std::string_view text);

// For the text of a SARIF message (2.1.0 sections 3.11.5 and 3.11.6): no link and no placeholder comes alive. Not yet a JSON string.
std::string escape_sarif_message(std::string_view text);

// A path as a URI reference (RFC 3986): a relative one stays relative, an absolute one becomes file:///...
std::string path_uri(std::string_view path);

// A fenced code block of lines that are already safe for a terminal; nothing in them can close it.
std::string fenced_markdown(std::string_view lines);

}  // namespace mcpscan::report
