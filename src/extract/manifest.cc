#include "extract/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "report/json_writer.h"

namespace mcpscan::extract {
namespace {

using report::JsonWriter;
using Json = nlohmann::json;

constexpr const char* kForm = "mcpscan-bundle/1";
constexpr std::uintmax_t kMostBytes = 64u << 20;  // 100,000 parts of 600 bytes

// Empty texts are left out.
void member(JsonWriter& json, std::string_view key, std::string_view text) {
  if (!text.empty()) json.key(key).text(text);
}

void write_reading(JsonWriter& json, const ManifestReading& reading) {
  json.key("reading").begin_object();
  member(json, "tz", reading.time_zone);
  json.key("client_timeout_us").number(reading.client_timeout_us);
  member(json, "as", reading.vantage);
  member(json, "dialect", reading.dialect);
  member(json, "filter", reading.filter);
  if (reading.since.known()) json.key("since_us").number(reading.since.us);
  if (reading.until.known()) json.key("until_us").number(reading.until.us);
  json.end_object();
}

void write_source(JsonWriter& json, const ManifestSource& source) {
  json.begin_object();
  json.key("path").text(source.path);
  json.key("bytes").number(source.bytes);
  member(json, "sha256", source.sha256);
  json.key("reader").text(source.reader);
  json.end_object();
}

void write_part(JsonWriter& json, const ManifestPart& part) {
  json.begin_object();
  json.key("path").text(part.path);
  json.key("bytes").number(part.bytes);
  json.key("sha256").text(part.sha256);
  json.key("source").number(static_cast<std::uint64_t>(part.source));
  if (part.records_of > 0) json.key("records").number(part.records).key("of").number(part.records_of);
  member(json, "unit", part.unit);
  member(json, "kept", part.kept);
  if (part.anew) json.key("written_anew").boolean(true);
  member(json, "as", part.vantage);
  json.end_object();
}

// A path that stays below the bundle, whatever it says.
bool is_inside(const std::string& path) {
  const std::filesystem::path plain = std::filesystem::path(path).lexically_normal();
  return !path.empty() && plain.is_relative() && *plain.begin() != "..";
}

std::string text_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

void take_number(const Json& object, const char* key, std::int64_t& to) {
  const auto found = object.find(key);
  if (found != object.end() && found->is_number_integer()) to = found->get<std::int64_t>();
}

bool fill(const Json& json, Manifest& manifest) {
  if (!json.is_object() || text_of(json, "form") != kForm) return false;
  manifest.key_log = text_of(json, "key_log");
  if (!manifest.key_log.empty() && !is_inside(manifest.key_log)) return false;
  manifest.shapes = text_of(json, "shapes");
  if (!manifest.shapes.empty() && !is_inside(manifest.shapes)) return false;
  const Json reading = json.value("reading", Json::object());
  if (!reading.is_object()) return false;
  manifest.reading = {text_of(reading, "tz"), text_of(reading, "dialect"), text_of(reading, "filter"), text_of(reading, "as"), 0, {}, {}};
  take_number(reading, "client_timeout_us", manifest.reading.client_timeout_us);
  take_number(reading, "since_us", manifest.reading.since.us);
  take_number(reading, "until_us", manifest.reading.until.us);
  const auto parts = json.find("parts");
  if (parts == json.end() || !parts->is_array()) return false;
  for (const Json& part : *parts) {
    if (!part.is_object() || !is_inside(text_of(part, "path"))) return false;
    manifest.parts.emplace_back().path = text_of(part, "path");
    manifest.parts.back().vantage = text_of(part, "as");
  }
  return true;
}

}  // namespace

std::string write_manifest(const Manifest& manifest) {
  JsonWriter json;
  json.begin_object(JsonWriter::Form::lines);
  json.key("form").text(kForm);
  json.key("tool").text(manifest.tool);
  json.key("command").text(manifest.command);
  json.key("incident").begin_object();
  json.key("id").text(manifest.incident);
  member(json, "id_in_the_sources", manifest.original_incident);
  json.key("rule").text(manifest.rule).key("title").text(manifest.title).end_object();
  json.key("shared").boolean(manifest.shared);
  json.key("kept").text(manifest.reach);
  write_reading(json, manifest.reading);
  json.key("sources").begin_list(JsonWriter::Form::lines);
  for (const ManifestSource& source : manifest.sources) write_source(json, source);
  json.end_list().key("parts").begin_list(JsonWriter::Form::lines);
  for (const ManifestPart& part : manifest.parts) write_part(json, part);
  json.end_list();
  member(json, "key_log", manifest.key_log);
  member(json, "shapes", manifest.shapes);
  json.key("reports").begin_list();
  for (const std::string& report : manifest.reports) json.text(report);
  json.end_list().end_object();
  return json.take() + "\n";
}

Result<std::optional<Manifest>> read_manifest(const std::string& folder) {
  const std::filesystem::path path = std::filesystem::path(folder) / kManifestName;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return std::optional<Manifest>();
  const Error broken{ErrorCode::malformed, "this is not a manifest that can be read", path.string(), "give the files below evidence/ one by one instead"};
  if (std::filesystem::file_size(path, error) > kMostBytes || error) return broken;
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  // Another program's MANIFEST.json makes no bundle of a folder.
  if (text.find(kForm) == std::string::npos) return std::optional<Manifest>();
  std::optional<Manifest> manifest(std::in_place);
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded() || !fill(json, *manifest)) return broken;
  return manifest;
}

}  // namespace mcpscan::extract
