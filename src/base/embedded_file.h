// A data file that the build put into the program (dialects, rules, the style of HTML reports). Views live as long as the program.
#pragma once

#include <span>
#include <string_view>

namespace mcpscan {

struct EmbeddedFile {
  std::string_view path;  // relative to the project's root
  std::string_view text;
};

std::span<const EmbeddedFile> embedded_dialects();
std::span<const EmbeddedFile> embedded_rules();
std::span<const EmbeddedFile> embedded_styles();

}  // namespace mcpscan
