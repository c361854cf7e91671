#include "pipeline/extract.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "base/text_file.h"
#include "base/version.h"
#include "extract/bundle_draft.h"
#include "extract/key_slice.h"
#include "extract/leak_check.h"
#include "extract/part_names.h"
#include "extract/shape_file.h"
#include "pipeline/bundle_inputs.h"
#include "pipeline/incident_places.h"
#include "pipeline/named_incident.h"
#include "pipeline/same_incident.h"
#include "pipeline/share_names.h"
#include "pipeline/source_cut.h"
#include "report/report_format_registry.h"

namespace mcpscan::pipeline {
namespace fs = std::filesystem;

using extract::BundleDraft;
using extract::Manifest;
using extract::ManifestPart;
using model::Incident;
using model::Report;

namespace {

constexpr std::size_t kCallsListed = 20000, kPlacesListed = 200000;  // of a finding, of all: 80 MB at most
constexpr const char* kKeyLogName = "tls-keys.log";
constexpr std::string_view kShapeJudge = "reply_mismatch";  // the detector that judges by what replies look like
constexpr unsigned kReportWidth = 120;

// Findings name all their calls and places here, for those are what is kept.
Limits with_long_lists() {
  Limits limits;
  limits.report_calls = limits.report_evidence = kCallsListed;
  limits.report_places = kPlacesListed;
  return limits;
}

std::string as_it_stands(std::string_view text) { return std::string(text); }

// Places in the bundle's own reports are told from the bundle's folder on.
void make_relative(Report& report, const std::string& folder) {
  const std::string prefix = folder + "/";
  for (auto& input : report.inputs) {
    if (input.path.starts_with(prefix)) input.path.erase(0, prefix.size());
  }
  for (std::string& note : report.notes) {
    for (std::size_t at = note.find(prefix); at != std::string::npos; at = note.find(prefix, at)) note.erase(at, prefix.size());
  }
}

class Extraction {
 public:
  Extraction(const ExtractOptions& options, const Knowledge& knowledge, ExtractProgress progress)
      : options_(options), knowledge_(knowledge), progress_(progress), limits_(with_long_lists()) {}

  Result<ExtractResult> run() {
    if (const Status possible = begin(); !possible.ok()) return possible.error();
    ScanResult whole = scan(scan_, knowledge_, limits_, progress_);
    result_.problems = std::move(whole.problems);
    whole_ = std::move(whole.report);
    shapes_ = std::move(whole.shapes);
    auto incident = named_incident(options_.incident, "INCIDENT", whole_);
    // It may have stood in what could not be read.
    if (!incident) return result_.problems.empty() ? incident.error() : result_.problems.front();
    incident_ = *incident;
    IncidentPlaces places(whole_, *incident_, limits_);
    scan(scan_, knowledge_, limits_, progress_, &places);
    for (const Reach reach : {Reach::calls, Reach::sessions, Reach::inputs}) {
      auto done = try_reach(reach, places);
      if (!done) return done.error();
      if (*done) return std::move(result_);
    }
    // Judged as the sources were: what is known at the end may weigh otherwise than what was known when a reply came.
    if (std::exchange(with_shapes_, false) && rests_on_shapes()) {
      auto done = try_reach(Reach::inputs, places);
      if (!done) return done.error();
      if (*done) return std::move(result_);
    }
    return Error{ErrorCode::internal, "no cut of this evidence shows the incident again, not even all of it", incident_->id,
                 options_.calls_only ? "extract without --packets calls, which keeps the connections whole" : "the files themselves are the evidence; please report this with the command line"};
  }

 private:
  Status begin() {
    if (const Status possible = extract::bundle_possible(options_.folder); !possible.ok()) return possible;
    scan_ = options_.scan;
    if (std::find(scan_.inputs.begin(), scan_.inputs.end(), "-") != scan_.inputs.end()) {
      return Error{ErrorCode::invalid_argument, "standard input cannot be read a second time", "-", "put it into a file first"};
    }
    std::vector<Error> problems;
    scan_ = open_bundles(scan_, problems);
    if (!problems.empty()) return problems.front();
    scan_.hash = true;
    scan_.tell_shapes = true;
    for (ingest::InputFile& file : ingest::expand_inputs(scan_.inputs, limits_).files) files_.emplace(file.display, std::move(file));
    return {};
  }

  // True when the bundle is written.
  Result<bool> try_reach(Reach reach, IncidentPlaces& places) {
    Chosen chosen{reach, nullptr, places.told()};
    std::vector<extract::PlaceSet> kept;
    if (reach != Reach::inputs) {
      places.collect(reach);
      scan(scan_, knowledge_, limits_, progress_, &places);
      if (places.overflowed()) return false;
      kept = places.take_places();
      if (kept == tried_) return false;
      tried_ = kept;
      chosen.kept = &kept;
    }
    ShareNames names;
    auto shown = build(chosen, nullptr, as_it_stands, &names);
    if (shown && options_.share && shown->incident) shown = share(chosen, names);
    if (!shown) return shown.error();
    if (!shown->incident) return false;
    if (const Status done = finish(*shown); !done.ok()) return done.error();
    return true;
  }

  // What the inputs are cut down to.
  struct Chosen {
    Reach reach;
    const std::vector<extract::PlaceSet>* kept;  // by input; null: all inputs whole
    const std::vector<std::vector<bool>>& told;
  };

  // A draft and what a scan of it shows.
  struct Shown {
    std::unique_ptr<BundleDraft> draft;
    Manifest manifest;
    Report report;
    const Incident* incident = nullptr;  // in the report; null: the draft does not show it, or shows more than the evidence
  };

  Result<Shown> build(const Chosen& chosen, extract::ShareText* share, const Renamed& renamed, TimelineTap* tap) {
    auto draft = BundleDraft::begin(options_.folder);
    if (!draft) return draft.error();
    Shown shown{draft.take(), new_manifest(chosen.reach), {}, nullptr};
    shown.manifest.shared = share != nullptr;
    if (share) shown.manifest.reading.filter.clear();  // it names hosts, and has done its work
    if (const Status cut = cut_all(*shown.draft, chosen, share, shown.manifest); !cut.ok()) return cut.error();
    if (const Status written = write_shapes(*shown.draft, shown.manifest); !written.ok()) return written.error();
    if (const Status written = shown.draft->write(extract::kManifestName, write_manifest(shown.manifest)); !written.ok()) return written.error();
    ScanOptions again;
    again.inputs = {shown.draft->path()};
    again.rules = scan_.rules;
    again.threads = scan_.threads;
    shown.report = scan(again, knowledge_, limits_, progress_, tap).report;
    const Incident* same = find_same_incident(whole_, *incident_, shown.report, renamed);
    if (same && shows_nothing_new(whole_, shown.report, renamed)) shown.incident = same;
    return shown;
  }

  // The cut is made twice: the first time tells every name that stands in it.
  Result<Shown> share(const Chosen& chosen, const ShareNames& names) {
    extract::ShareText text(limits_);
    names.teach(text);
    {
      auto draft = BundleDraft::begin(options_.folder);
      if (!draft) return draft.error();
      Manifest ignored;
      if (const Status cut = cut_all(**draft, chosen, &text, ignored); !cut.ok()) return cut.error();
    }
    text.begin_second_pass();
    auto shown = build(chosen, &text, [&](std::string_view said) { return text.told(said); }, nullptr);
    if (text.full()) {
      return Error{ErrorCode::limit, fmt::format("more than {} different words and names cannot be shared", limits_.share_values), incident_->id, "extract without --share"};
    }
    if (!shown || !shown->incident) return shown;
    if (const Status clean = extract::check_for_leaks(shown->draft->path(), text.replaced_names()); !clean.ok()) return clean.error();
    return shown;
  }

  Manifest new_manifest(Reach reach) const {
    Manifest manifest;
    manifest.tool = std::string("mcpscan ") + kVersion;
    manifest.command = options_.command;
    for (const auto& finding : whole_.findings) {
      if (finding.id == incident_->root) manifest.rule = finding.rule;
    }
    manifest.reach = to_string(reach);
    manifest.reading = {scan_.time_zone, scan_.dialect, scan_.filter, scan_.as == model::Vantage::unknown ? std::string() : std::string(model::to_string(scan_.as)),
                        scan_.client_timeout_us, scan_.since, scan_.until};
    return manifest;
  }

  Status cut_all(const BundleDraft& draft, const Chosen& chosen, extract::ShareText* share, Manifest& manifest) {
    extract::PartNames names;
    TlsTrace tls;
    for (std::size_t input = 0; input < whole_.inputs.size(); ++input) {
      const model::InputRow& row = whole_.inputs[input];
      const auto file = files_.find(row.path);
      const bool wanted = chosen.kept == nullptr || (input < chosen.kept->size() && !(*chosen.kept)[input].empty());
      if (file == files_.end() || row.reader == "none" || !wanted) continue;
      CutJob job{file->second, row};
      if (chosen.kept) job.kept = &(*chosen.kept)[input];
      if (chosen.kept && input < chosen.told.size()) job.told = &chosen.told[input];
      job.context = options_.context;
      job.share = share;
      job.calls_only = options_.calls_only;
      const std::string name = share ? names.shared_name_of(file->second, row.reader, younger_than(file->second)) : names.name_of(file->second);
      auto part = cut_source(job, scan_, knowledge_.dialects, limits_, draft, name, tls);
      if (!part) return part.error();
      part->source = manifest.sources.size();
      part->vantage = told_place(row.path);
      const std::string path = share ? fmt::format("source-{}", manifest.sources.size() + 1) : row.path;
      manifest.sources.push_back({path, source_hash(file->second, row), row.reader, row.bytes});
      manifest.parts.push_back(part.take());
    }
    return share ? Status() : write_keys(draft, tls, manifest);
  }

  // Where the user said that this input was taken, of it alone.
  std::string told_place(const std::string& path) const {
    for (const std::string& word : {path, fs::path(path).filename().string()}) {
      if (const auto told = scan_.as_of.find(word); told != scan_.as_of.end()) return std::string(model::to_string(told->second));
    }
    return {};
  }

  // Parts of its rotated set that are younger.
  std::size_t younger_than(const ingest::InputFile& file) const {
    return static_cast<std::size_t>(std::count_if(files_.begin(), files_.end(), [&](const auto& other) {
      return !file.set_key.empty() && other.second.set_key == file.set_key && other.second.rotation < file.rotation;
    }));
  }

  // Of the file on disk, which for a member of an archive is the archive.
  static std::string source_hash(const ingest::InputFile& file, const model::InputRow& row) {
    if (!row.sha256.empty()) return row.sha256;
    auto hash = ingest::sha256_of_file(file.path);
    return hash ? hash.take() : std::string();
  }

  // Not into a shared bundle: its payloads are others, and so is how they look.
  Status write_shapes(const BundleDraft& draft, Manifest& manifest) const {
    if (manifest.shared || !with_shapes_ || shapes_.empty() || !rests_on_shapes()) return {};
    manifest.shapes = extract::kShapesName;
    return draft.write(extract::kShapesName, extract::write_shapes(shapes_));
  }

  bool rests_on_shapes() const {
    const auto& ids = incident_->findings;
    return std::any_of(whole_.findings.begin(), whole_.findings.end(), [&](const model::Finding& finding) {
      const engine::Rule* rule = knowledge_.rules.find(finding.rule);
      return rule && rule->detector && rule->detector->name == kShapeJudge && std::find(ids.begin(), ids.end(), finding.id) != ids.end();
    });
  }

  Status write_keys(const BundleDraft& draft, const TlsTrace& tls, Manifest& manifest) const {
    std::string keys = tls.secrets + "\n";
    for (const std::string& path : scan_.key_logs) {
      if (const auto text = read_text_file(path)) keys += *text + "\n";
    }
    const std::string kept = extract::slice_keys(keys, tls.randoms);
    if (kept.empty()) return {};
    manifest.key_log = kKeyLogName;
    return draft.write(kKeyLogName, kept);
  }

  Status finish(Shown& shown) {
    const BundleDraft& draft = *shown.draft;
    Manifest& manifest = shown.manifest;
    result_.incident = *shown.incident;
    make_relative(shown.report, draft.path());
    for (const auto* format : report::registered_report_formats()) {
      if (format->name != "json" && format->name != "text") continue;
      const std::string name = fmt::format("report.{}", format->ending);
      model::ReportOptions how;
      how.width = kReportWidth;
      if (const Status written = draft.write(name, model::text_of(*format, shown.report, how)); !written.ok()) return written;
      manifest.reports.push_back(name);
    }
    manifest.incident = result_.incident.id;
    manifest.title = result_.incident.title;
    if (manifest.incident != incident_->id && !manifest.shared) manifest.original_incident = incident_->id;
    if (const Status hashed = hash_parts(draft, manifest); !hashed.ok()) return hashed;
    if (const Status written = draft.write(extract::kManifestName, write_manifest(manifest)); !written.ok()) return written;
    result_.manifest = std::move(manifest);
    return shown.draft->publish();
  }

  Status hash_parts(const BundleDraft& draft, Manifest& manifest) {
    for (ManifestPart& part : manifest.parts) {
      auto hash = ingest::sha256_of_file(draft.path_of(part.path));
      if (!hash) return hash.error();
      part.sha256 = hash.take();
      part.bytes = fs::file_size(draft.path_of(part.path));
      result_.bytes += part.bytes;
      result_.source_bytes += manifest.sources[part.source].bytes;
    }
    return {};
  }

  const ExtractOptions& options_;
  const Knowledge& knowledge_;
  ExtractProgress progress_;
  const Limits limits_;
  ScanOptions scan_;
  std::map<std::string, ingest::InputFile> files_;
  std::vector<model::ToolShape> shapes_;  // learned from all of the evidence
  bool with_shapes_ = true;               // the bundle holds them
  Report whole_;
  const Incident* incident_ = nullptr;
  std::vector<extract::PlaceSet> tried_;
  ExtractResult result_;
};

}  // namespace

Result<ExtractResult> extract_incident(const ExtractOptions& options, const Knowledge& knowledge, ExtractProgress progress) {
  return Extraction(options, knowledge, progress).run();
}

}  // namespace mcpscan::pipeline
