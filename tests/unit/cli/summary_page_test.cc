#include <catch2/catch.hpp>

#include <openssl/evp.h>

#include <nlohmann/json.hpp>

#include "report/summary_format_registry.h"

using namespace mcpscan;

namespace {

// Every text of it is hostile.
model::Summary hostile() {
  const std::string text = "<script>alert(1)</script> \x1b[31m \xe2\x80\xae | [x](http://e) =1+1 Authorization: Bearer abcdef123456";
  model::Summary summary;
  summary.zone = "UTC";
  summary.has_evidence = true;
  summary.to = {kDay};
  summary.from = {0};
  model::SummaryIncident incident;
  incident.id = "inc-1";
  incident.title = incident.client = incident.fix = incident.place = incident.fault.reason = text;
  incident.rule = "lost-reply";
  incident.fault.party = model::Party::client;
  incident.first = incident.last = {0};
  incident.count.day = 3;
  summary.incident_list.push_back(incident);
  model::SummaryRow row;
  row.name = text;
  row.requests.day = 3;
  for (auto* list : {&summary.clients, &summary.servers, &summary.tools, &summary.session_list}) list->rows.push_back(row);
  summary.problems.push_back({text, "kind", text, 2});
  summary.not_judged.push_back({"late-reply", model::RuleState::partly, text, text});
  return summary;
}

std::string written(std::string_view format, const model::Summary& summary) {
  for (const auto* entry : report::registered_summary_formats()) {
    if (entry->name == format) return entry->write(summary, {});
  }
  return {};
}

bool has(const std::string& text, std::string_view what) { return text.find(what) != std::string::npos; }

}  // namespace

TEST_CASE("no text of a summary acts on a terminal, a page or Markdown, and no token is shown in any format") {
  for (const char* format : {"text", "md", "html", "json"}) {
    const std::string text = written(format, hostile());
    REQUIRE_FALSE(text.empty());
    CHECK_FALSE(has(text, "\x1b"));
    CHECK_FALSE(has(text, "\xe2\x80\xae"));
    CHECK_FALSE(has(text, "abcdef123456"));
  }
  CHECK_FALSE(has(written("html", hostile()), "<script"));
  CHECK_FALSE(has(written("md", hostile()), "[x](http"));
  CHECK(nlohmann::json::parse(written("json", hostile()))["incidents"].size() == 1);
}

TEST_CASE("the page of a summary has no script and no reference outside, and allows its own style only, by its digest") {
  const std::string page = written("html", hostile());
  for (const char* what : {"<script", "src=", "href=", "url(", "@import"}) CHECK_FALSE(has(page, what));
  const std::size_t begin = page.find("<style>") + 7, end = page.find("</style>");
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  REQUIRE(EVP_Digest(page.data() + begin, end - begin, digest, &size, EVP_sha256(), nullptr) == 1);
  unsigned char text[2 * EVP_MAX_MD_SIZE];
  EVP_EncodeBlock(text, digest, static_cast<int>(size));
  CHECK(has(page, "style-src 'sha256-" + std::string(reinterpret_cast<const char*>(text)) + "'"));
}
