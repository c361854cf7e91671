#include "pipeline/bundle_inputs.h"

#include <filesystem>
#include <utility>

#include "base/text_file.h"
#include "extract/manifest.h"
#include "extract/shape_file.h"

namespace mcpscan::pipeline {
namespace {

// What the user asked for on top stays; what stands at its default is as in the scan that found the incident.
void read_as_then(const extract::ManifestReading& reading, ScanOptions& options) {
  const ScanOptions plain;
  if (options.time_zone == plain.time_zone && !reading.time_zone.empty()) options.time_zone = reading.time_zone;
  if (options.dialect.empty()) options.dialect = reading.dialect;
  if (options.filter.empty()) options.filter = reading.filter;
  if (options.client_timeout_us == plain.client_timeout_us && reading.client_timeout_us > 0) options.client_timeout_us = reading.client_timeout_us;
  if (!options.since.known()) options.since = reading.since;
  if (!options.until.known()) options.until = reading.until;
  if (const auto vantage = model::parse_vantage(reading.vantage); vantage && options.as == model::Vantage::unknown) options.as = *vantage;
}

void take_shapes(const std::string& path, ScanOptions& options, std::vector<Error>& problems) {
  const auto text = read_text_file(path);
  auto shapes = text ? extract::read_shapes(*text, path) : Result<std::vector<model::ToolShape>>(text.error());
  if (!shapes) return problems.push_back(shapes.error());
  for (model::ToolShape& shape : *shapes) options.shapes.push_back(std::move(shape));
}

}  // namespace

ScanOptions open_bundles(ScanOptions options, std::vector<Error>& problems) {
  const std::vector<std::string> given = std::exchange(options.inputs, {});
  for (const std::string& input : given) {
    auto manifest = extract::read_manifest(input);
    if (!manifest) {
      problems.push_back(manifest.error());
    } else if (!*manifest) {
      options.inputs.push_back(input);
    } else {
      const std::filesystem::path folder(input);
      for (const auto& part : (*manifest)->parts) {
        options.inputs.push_back((folder / part.path).string());
        if (const auto vantage = model::parse_vantage(part.vantage)) options.as_of.emplace(options.inputs.back(), *vantage);
      }
      if (!(*manifest)->key_log.empty()) options.key_logs.push_back((folder / (*manifest)->key_log).string());
      if (!(*manifest)->shapes.empty()) take_shapes((folder / (*manifest)->shapes).string(), options, problems);
      if (given.size() == 1) read_as_then((*manifest)->reading, options);
    }
  }
  return options;
}

}  // namespace mcpscan::pipeline
