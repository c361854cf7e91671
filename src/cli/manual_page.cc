// The manual page, from the option table. Source: man(7).
#include <fmt/format.h>

#include "base/version.h"
#include "cli/option_table.h"

namespace mcpscan::cli {
namespace {

// A backslash begins an escape, a dot or quote at a line's start a request, and a bare hyphen may be printed as a dash.
std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') out += "\\e";
    else if (c == '-') out += "\\-";
    else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) out += std::string("\\&") + c;
    else out += c;
  }
  return out;
}

void write_option(std::string& out, const OptionWords& option) {
  out += ".TP\n";
  if (option.positional()) {
    out += fmt::format("\\fI{}\\fR{}\n", roff(option.value), option.many ? "..." : "");
  } else {
    const std::string between = option.short_name.empty() || option.long_name.empty() ? "" : ", ";
    out += fmt::format("\\fB{}\\fR{}\\fB{}\\fR", roff(option.short_name), between, roff(option.long_name));
    out += option.value.empty() ? "\n" : fmt::format(" \\fI{}\\fR\n", roff(option.value));
  }
  out += roff(option.help) + (option.initial.empty() ? "" : fmt::format(" (default {})", roff(option.initial))) + ".\n";
}

void write_command(std::string& out, const CommandWords& command) {
  out += fmt::format(".SS {}\n{}.\n", roff(command.name), roff(command.help));
  for (const OptionWords& option : command.options) {
    if (option.long_name != "--help") write_option(out, option);
  }
  if (!command.example.empty()) out += ".PP\n" + roff(command.example) + "\n";
  for (const CommandWords& sub : command.commands) write_command(out, sub);
}

}  // namespace

std::string manual_page(const CommandWords& program) {
  std::string out = fmt::format(".TH MCPSCAN 1 \"\" \"mcpscan {}\" \"User Commands\"\n", kVersion);
  out += ".SH NAME\nmcpscan \\- traffic forensics for the Model Context Protocol\n";
  out += ".SH SYNOPSIS\n.B mcpscan\n[\\fIscan\\fR] [\\fIOPTIONS\\fR] \\fIINPUT\\fR...\n.br\n.B mcpscan\n\\fICOMMAND\\fR [\\fIOPTIONS\\fR] ...\n";
  out += ".SH DESCRIPTION\n" + roff(program.help) + "\n.SH COMMANDS\n";
  for (const CommandWords& command : program.commands) write_command(out, command);
  out += ".SH EXIT STATUS\n.TP\n0\nNothing at or above \\fB\\-\\-fail\\-on\\fR.\n.TP\n1\nFindings.\n.TP\n2\nWrong usage, or an input named by the user that cannot be opened or read at all.\n";
  out += ".SH ENVIRONMENT\n\\fBNO_COLOR\\fR switches colour off; \\fBCOLUMNS\\fR is the width where standard output is no terminal. Time zone and locale are never asked.\n";
  return out;
}

}  // namespace mcpscan::cli
