// Manifest: what MANIFEST.json of a bundle says: which incident, out of which sources, cut how, made by which command, and how the parts are
// to be read again. Written for people and read back when a bundle is scanned; a bundle comes from somebody else, so nothing in it is
// trusted: paths stay inside the bundle, sizes are bounded.
// Owns its texts. Threads: none. Contract: docs/extract.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace mcpscan::extract {

constexpr const char* kManifestName = "MANIFEST.json";

struct ManifestSource {
  std::string path, sha256, reader;
  std::uint64_t bytes = 0;
};

struct ManifestPart {
  std::string path, sha256;                // below the bundle
  std::uint64_t bytes = 0;
  std::size_t source = 0;                  // index of the source it was cut from
  std::string unit, kept;                  // line, packet, entry; "4-9, 12"; empty: all of it
  std::uint64_t records = 0, records_of = 0;
  bool anew = false;                       // a capture written anew from what those packets carried
  std::string vantage = {};                // where the user said this input was taken; empty: not said of this one
};

// What the scan that found the incident was told, as its options have it.
struct ManifestReading {
  std::string time_zone = "UTC", dialect, filter, vantage;
  std::int64_t client_timeout_us = 0;
  Time since, until;
};

struct Manifest {
  std::string tool, command;
  std::string incident, title, rule, original_incident;
  std::string reach;                       // calls, sessions, inputs: how much had to be kept
  bool shared = false;
  ManifestReading reading;
  std::vector<ManifestSource> sources;
  std::vector<ManifestPart> parts;
  std::string key_log;                     // below the bundle; empty: none
  std::string shapes;                      // how tools' replies look (shape_file.h), below the bundle; empty: none
  std::vector<std::string> reports;
};

std::string write_manifest(const Manifest& manifest);
// The manifest of the bundle at `folder`; nothing when the folder is no bundle, an Error when it is a broken one.
Result<std::optional<Manifest>> read_manifest(const std::string& folder);

}  // namespace mcpscan::extract
