#include "report/html_page.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>

#include "base/embedded_file.h"

namespace mcpscan::report {
namespace {

// The source expression of a content security policy (CSP level 3, section 2.3.1).
std::string hash_of(std::string_view style) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned length = 0;
  EVP_Digest(style.data(), style.size(), digest.data(), &length, EVP_sha256(), nullptr);
  std::array<unsigned char, 2 * EVP_MAX_MD_SIZE> base64;
  const int written = EVP_EncodeBlock(base64.data(), digest.data(), static_cast<int>(length));
  return "sha256-" + std::string(reinterpret_cast<const char*>(base64.data()), static_cast<std::size_t>(written));
}

}  // namespace

std::string html_head(std::string_view title, std::string_view version) {
  const std::string_view style = embedded_styles()[0].text;
  std::string out = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  out += fmt::format("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src '{}'; base-uri 'none'; form-action 'none'\">\n", hash_of(style));
  out += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n";
  out += fmt::format("<meta name=\"generator\" content=\"mcpscan {}\">\n<title>mcpscan: {}</title>\n<style>", version, title);
  out += style;
  out += "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the report</a>\n";
  return out;
}

std::string html_foot(std::string_view version, std::string_view zone) {
  return fmt::format("</main>\n<footer>mcpscan {}. Times in {}. This page needs no script and loads nothing.</footer>\n</body>\n</html>\n", version, zone);
}

std::string html_section(std::string_view id, std::string_view heading) { return fmt::format("<section id=\"{}\" aria-labelledby=\"{}-h\">\n<h2 id=\"{}-h\">{}</h2>\n", id, id, id, heading); }

std::string html_table(std::string_view caption, const std::vector<std::string_view>& titles, const std::vector<std::vector<std::string>>& rows) {
  if (rows.empty()) return {};
  std::string out = fmt::format("<div class=\"scroll{}\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">\n<table>\n<caption>{}</caption>\n<thead><tr>", titles.size() < 3 ? " narrow" : "", caption, caption);
  for (const std::string_view title : titles) out += fmt::format("<th scope=\"col\"{}>{}</th>", title.starts_with('#') ? " class=\"number\"" : "", title.starts_with('#') ? title.substr(1) : title);
  out += "</tr></thead>\n<tbody>\n";
  for (const auto& row : rows) {
    out += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) out += fmt::format("<td{}>{}</td>", titles[i].starts_with('#') ? " class=\"number\"" : "", row[i]);
    out += "</tr>\n";
  }
  return out + "</tbody>\n</table>\n</div>\n";
}

}  // namespace mcpscan::report
