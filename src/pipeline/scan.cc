#include "pipeline/scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <map>
#include <set>

#include "base/data_file.h"
#include "base/hash.h"
#include "base/version.h"
#include "ingest/flow_file.h"
#include "ingest/input_set.h"
#include "ingest/raw_file.h"
#include "ingest/text/csv_records.h"
#include "ingest/text/json_records.h"
#include "pipeline/bundle_inputs.h"
#include "pipeline/capture_intake.h"
#include "pipeline/chosen_findings.h"
#include "pipeline/har_scan.h"
#include "pipeline/http_dump_scan.h"
#include "pipeline/input_head.h"
#include "pipeline/log_scan.h"
#include "pipeline/otlp_scan.h"
#include "pipeline/record_lines.h"
#include "pipeline/repeated_lines.h"
#include "pipeline/report_assembly.h"
#include "pipeline/source_set.h"
#include "pipeline/time_window.h"
#include "pipeline/transcript_scan.h"

namespace mcpscan::pipeline {

using ingest::FormatKind;
using ingest::InputFile;

namespace {

// When the file was last written; unknown for pipes. Tells the year of times that name none.
Time last_written(const InputFile& file) {
  std::error_code error;
  if (file.path.empty()) return {};
  const auto at = std::filesystem::last_write_time(file.path, error);
  if (error) return {};
  const auto system = std::chrono::file_clock::to_sys(at);
  return {std::chrono::duration_cast<std::chrono::microseconds>(system.time_since_epoch()).count()};
}

// What a file may be called where something is said of a single input: as it was given, or by its own name.
std::array<std::string, 2> names_of(const InputFile& file) { return {file.display, std::filesystem::path(file.member.empty() ? file.display : file.member).filename().string()}; }

class Scan {
 public:
  using Progress = FunctionRef<void(const std::string&, std::uint64_t)>;
  Scan(const ScanOptions& options, const Knowledge& knowledge, const Limits& limits, Progress progress, TimelineTap* tap, RunRecorder* recorder)
      : options_(options), knowledge_(knowledge), limits_(limits), progress_(progress), tap_(recorder ? recorder : tap), recorder_(recorder),
        sources_(options, knowledge.rules, limits, tap_), captures_(options, limits, numbers_, sources_, result_.report) {}

  ScanResult run() {
    result_.report.version = kVersion;
    captures_.load_keys(result_.problems);
    ingest::InputSet set = ingest::expand_inputs(options_.inputs, limits_);
    for (ingest::InputProblem& problem : set.problems) {
      if (problem.named) {
        result_.problems.push_back(std::move(problem.error));
      } else {
        result_.report.notes.push_back(problem.display + ": " + problem.error.what);
      }
    }
    check_places(set.files);
    sources_.expect(set.files.size());
    repeated_ = std::make_unique<RepeatedLines>(set.files, knowledge_.dialects, limits_);
    for (const InputFile& file : set.files) {
      const std::size_t before = result_.report.inputs.size();
      number_ = static_cast<std::size_t>(&file - set.files.data());
      follows_ = number_ + 1 < set.files.size() && !file.set_key.empty() && set.files[number_ + 1].set_key == file.set_key;
      captures_.turn_to(file);
      read(file);
      if (tap_ && result_.report.inputs.size() > before) tap_->on_input_read(result_.report.inputs.back());
    }
    captures_.end();
    for (std::size_t i = 0; i < sources_.all().size(); ++i) finish(i);
    engine::Engine* const joint = sources_.joint();
    if (joint) joint->finish();
    if (options_.tell_shapes) tell_shapes();
    for (const auto& source : sources_.all()) source->vantage = result_.report.inputs[source->inputs.front()].vantage;
    result_.exoneration = assemble_report(sources_.all(), joint, knowledge_.rules, {options_.session, options_.tool, options_.client, options_.rules, options_.min_level, options_.exonerate, options_.since, options_.until}, limits_, result_.report,
                                          recorder_ ? &result_.assembled : nullptr);
    if (const Status there = session_there(options_.session, sources_.all()); !there.ok()) result_.problems.push_back(there.error());
    if (options_.tuning) options_.tuning->apply(result_.report);
    return std::move(result_);
  }

 private:
  // The evidence of the source ends here.
  void finish(std::size_t number) {
    Source& source = *sources_.all()[number];
    if (recorder_) recorder_->end_evidence(number, source.tracker, source.gate.get());
    if (source.gate) source.gate->release(), set_quiet(source, false);
    source.tracker.finish(&source.times);
    source.engine.finish();
    if (recorder_) recorder_->close_source(number, source.engine.book()), recorder_->remember_shapes(number, source.engine.shapes());
  }

  void set_quiet(Source& source, bool quiet) {
    source.engine.set_quiet(quiet);
    if (sources_.joint()) sources_.joint()->set_quiet(quiet);
    recorder_->set_quiet(quiet);
  }

  void tell_shapes() {
    std::map<std::uint64_t, model::ToolShape> best;
    for (const auto& source : sources_.all()) {
      for (model::ToolShape& shape : source->engine.shapes()) {
        model::ToolShape& kept = best[shape.tool];
        if (shape.replies > kept.replies) kept = std::move(shape);
      }
    }
    for (auto& [tool, shape] : best) result_.shapes.push_back(std::move(shape));
  }

  void read(const InputFile& file) {
    const auto input = static_cast<std::uint32_t>(result_.report.inputs.size());
    auto opened = ingest::open_input(file, input, limits_);
    if (!opened) {
      if (file.named) {
        result_.problems.push_back(opened.error());
      } else {
        result_.report.notes.push_back(opened.error().to_string());
      }
      return;
    }
    std::string head = read_head(**opened);
    const FormatKind kind = ingest::probe_format(head);
    const bool as_log = plain_log_ = is_plain_log(kind, head);
    start_ = {};
    start_compressed_ = (*opened)->compressed() || (*opened)->recoded();
    if (recorder_ && !begin_recording(file, head, as_log)) return;
    model::InputRow& row = result_.report.inputs.emplace_back();
    row.path = file.display;
    if (tap_) tap_->on_input(row);
    if (!recorder_ && is_copy(file, head)) {
      row.reader = "none";
      row.place_word = "record";
      return;
    }
    if (as_log && begins_as_another(file, row)) {
      row.reader = "none";
    } else if (kind == FormatKind::capture) {
      read_capture(file, input, std::move(head), **opened, row);
    } else if (kind == FormatKind::har) {
      read_har(file, input, std::move(head), **opened, row);
    } else if (kind == FormatKind::binary || kind == FormatKind::empty) {
      leave_unread(kind, head, **opened, row);
    } else if (kind == FormatKind::transcript) {
      read_transcript(file, input, std::move(head), **opened, row);
    } else if (const ingest::RecordForm* form = kind == FormatKind::otlp ? ingest::record_form(head) : nullptr) {
      read_otlp(file, input, *form, std::move(head), **opened, row);
    } else if (Replayed replayed(head, **opened); const auto lines = record_lines(head, replayed, limits_)) {
      row.place_word = "entry";
      row.reader = "none";
      plain_log_ = start_compressed_ = !recorder_;  // its places are those of the lines, which nothing can seek
      if (!plain_log_ || !begins_as_another(file, row)) read_log(file, input, read_head(*lines), *lines, row);
    } else if (is_http_dump(head)) {
      scan_http_dump(**opened, std::move(head), input, {options_.time_zone, options_.since, options_.until}, limits_, numbers_, sources_.of(file, true, input).sink,
                     row, [&](std::uint64_t read) { progress_(file.display, bytes_before_ + read); });
    } else {
      read_log(file, input, std::move(head), **opened, row);
    }
    if (recorder_) end_recording(file, as_log, row);
    set_outside_apart(options_.since, options_.until, row);
    row.bytes = (*opened)->bytes_on_disk();
    bytes_before_ += row.bytes;
    row.anomalies.merge((*opened)->anomalies());
    if (kind == FormatKind::empty && !row.anomalies.empty()) row.error = row.anomalies.entries().begin()->second.text;
    row.vantage = place_of(file, row.vantage);
    if ((options_.hash || options_.exonerate != model::Party::unknown) && !file.path.empty()) hash(file, row);
  }

  // Text whose records are lines that only ever get more.
  static bool is_plain_log(FormatKind kind, const std::string& head) {
    return (kind == FormatKind::log || kind == FormatKind::otlp) && !ingest::record_form(head) && !ingest::is_csv_of_records(head) && !ingest::is_yaml_of_records(head) && !is_http_dump(head) && head.find('\0') == std::string::npos;
  }

  // False where an earlier run has read all of it.
  bool begin_recording(const InputFile& file, const std::string& head, bool as_log) {
    start_ = recorder_->begin_file(file, head, as_log, start_compressed_, std::filesystem::absolute(SourceSet::name_of(file, !as_log)).lexically_normal().string());
    read_bytes_ = read_lines_ = 0;
    newest_first_ = false;
    return !start_.unchanged;
  }

  void end_recording(const InputFile& file, bool as_log, const model::InputRow& row) {
    const auto as_part = sources_.find(SourceSet::name_of(file, false));
    const auto source = as_part ? as_part : sources_.find(SourceSet::name_of(file, true));
    if (!source) return;
    recorder_->end_file(*source, sources_.all()[*source]->engine.book(), as_log ? read_bytes_ : row.bytes, read_lines_, !as_log || newest_first_);
  }

  // The rest of a log from where it is to be read; `head` gives its beginning until then.
  std::unique_ptr<ingest::RawFile> go_to_start(const InputFile& file, ByteReader& bytes, std::string& head) const {
    const std::uint64_t behind_head = start_.offset - std::min<std::uint64_t>(start_.offset, head.size());
    head.erase(0, static_cast<std::size_t>(std::min<std::uint64_t>(start_.offset, head.size())));
    if (behind_head == 0) return nullptr;
    if (file.member.empty()) {
      auto raw = ingest::RawFile::open(file.path);
      if (raw && !start_compressed_ && (*raw)->seek(start_.offset)) return raw.take();
    }
    skip(bytes, behind_head);
    return nullptr;
  }

  // As the user has it, else as it was guessed.
  model::Vantage place_of(const InputFile& file, model::Vantage guessed) const {
    for (const std::string& word : names_of(file)) {
      if (const auto told = options_.as_of.find(word); told != options_.as_of.end()) return told->second;
    }
    return options_.as != model::Vantage::unknown ? options_.as : guessed;
  }

  // A place told of an input that is not there would go unheard. What was named as an input, too, has its own error.
  void check_places(const std::vector<InputFile>& files) {
    std::set<std::string> known(options_.inputs.begin(), options_.inputs.end());
    for (const InputFile& file : files) {
      for (std::string& name : names_of(file)) known.insert(std::move(name));
    }
    for (const auto& [word, place] : options_.as_of) {
      if (!known.contains(word)) result_.problems.push_back({ErrorCode::invalid_argument, fmt::format("no input is called '{}'", word), "--as", did_you_mean(word, {known.begin(), known.end()})});
    }
  }

  // A copy of an input read before would be a second witness who saw nothing.
  bool is_copy(const InputFile& file, const std::string& head) {
    if (file.path.empty() || !file.member.empty()) return false;
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(file.path, error);
    if (error || size == 0) return false;
    const auto [known, fresh] = first_of_head_.emplace(hash_bytes(head, size), file.path);
    if (fresh) return false;
    const auto mine = ingest::sha256_of_file(file.path), theirs = ingest::sha256_of_file(known->second);
    if (!mine || !theirs || *mine != *theirs) return false;
    result_.report.notes.push_back(fmt::format("{} holds the same bytes as {}: it was read once", file.display, known->second));
    return true;
  }

  // The file goes on where another one ends, or (true) there is nothing in it that another one has not. It is then of the other's source, unless
  // its own was told something: what is left out there would be missing.
  bool begins_as_another(const InputFile& file, model::InputRow& row) {
    if (start_.known != 0) return false;
    const Repetition same = repeated_->of(number_);
    if (same.bytes == 0) return false;
    const auto mine = sources_.find(SourceSet::name_of(file, false));
    // A later run would not know where a new one belongs.
    if (!same.whole && (mine ? *mine != same.source : recorder_ != nullptr)) return false;
    if (!mine) sources_.add_name(SourceSet::name_of(file, false), same.source);
    start_.offset = read_bytes_ = same.bytes;
    start_.line = same.lines + 1, read_lines_ = same.lines;
    leave_out(same, file, row);
    return same.whole;
  }

  void leave_out(const Repetition& same, const InputFile& file, model::InputRow& row) {
    row.books.ignore("repeated", same.lines);
    result_.report.notes.push_back(note_of(same, file));
  }

  // Of the bytes on disk: a member of an archive has the archive's.
  void hash(const InputFile& file, model::InputRow& row) {
    std::string& known = digests_[file.path];
    if (known.empty()) {
      auto digest = ingest::sha256_of_file(file.path);
      if (digest) known = digest.take();
    }
    row.sha256 = known;
  }

  void read_log(const InputFile& file, std::uint32_t input, std::string head, ByteReader& bytes, model::InputRow& row) {
    Source& source = sources_.of(file, false, input);
    LogScanOptions options;
    options.parser = parser_options(options_, file);
    options.threads = options_.threads;
    options.since = options_.since;
    options.until = options_.until;
    if (recorder_) {
      if (!source.gate) {
        source.gate = std::make_unique<SettlingGate>(source.sink, [this, &source](bool quiet) { set_quiet(source, quiet); });
        recorder_->recall_sessions(source.tracker);
        source.engine.recall(recorder_->known_shapes());
      }
      source.gate->begin(start_.judged_lines);
    }
    options.first_offset = start_.offset;
    options.first_line = start_.line;
    if (start_.offset > 0) options.calibration_head = head;
    const std::size_t number = *sources_.find(SourceSet::name_of(file, false));
    const std::unique_ptr<ingest::RawFile> rest = go_to_start(file, bytes, head);
    const auto leave = [&](const Repetition& same) { leave_out(same, file, row); };
    LogWatch watch(*repeated_, number_, number, leave);
    if (plain_log_) options.looker = &watch;
    const LogScanResult result = scan_log(rest ? *rest : bytes, std::move(head), input, knowledge_.dialects, options, limits_, source.gate ? *source.gate : source.sink, row,
                                          [&](std::uint64_t read) { progress_(file.display, bytes_before_ + read); });
    read_bytes_ = start_.offset + result.decoded_bytes;
    read_lines_ = result.lines;
    newest_first_ = result.calibration.newest_first;
    if (plain_log_) repeated_->told(number_, number, newest_first_);
    row.reader = result.reader;
    row.vantage = result.vantage;
    source.times.append(result.times);
    if (!result.enable.empty()) source.enable = result.enable;
    if (result.vantage == model::Vantage::server || result.vantage == model::Vantage::gateway) source.server_log = true;
    if (row.books.used > 0 && !row.first.known()) result_.report.notes.push_back(file.display + ": no times in this log: the order of events is known, durations are not");
  }

  // Collectors write traces and logs into one file: what was passed over is read in a second go, where the input can be opened again.
  void read_otlp(const InputFile& file, std::uint32_t input, const ingest::RecordForm& form, std::string head, ByteReader& bytes, model::InputRow& row) {
    Replayed replayed(std::move(head), bytes);
    const bool more = read_otlp_records(file, input, form, replayed, row);
    if (!more) return;
    const std::string reader = row.reader;
    std::error_code error;
    auto again = !std::filesystem::is_regular_file(file.path, error) ? Result<std::unique_ptr<ingest::ByteSource>>(Error{}) : ingest::open_input(file, input, limits_);
    if (!again) return result_.report.notes.push_back(file.display + ": holds traces and logs, of which only " + reader + " was read: save it to a file to have both");
    read_otlp_records(file, input, *form.also, **again, row);
    row.reader = "otlp";
  }

  // Whether there is something else in it, too.
  bool read_otlp_records(const InputFile& file, std::uint32_t input, const ingest::RecordForm& form, ByteReader& bytes, model::InputRow& row) {
    ingest::JsonRecordLines lines(bytes, form, limits_);
    row.place_word = "entry";
    if (form.kind != ingest::RecordForm::Kind::spans) {
      read_log(file, input, read_head(lines), lines, row);
    } else {
      const auto sink_of = [&](std::string_view service, ingest::SpanSide side) -> model::ObservationSink& { return sources_.of_service(file, service, side, input).sink; };
      scan_spans(lines, input, {options_.since, options_.until}, limits_, sink_of, row, [&](std::uint64_t read) { progress_(file.display, bytes_before_ + read); });
    }
    return lines.saw_also();
  }

  // A history keeps what each file gave, and reads it alone.
  void read_capture(const InputFile& file, std::uint32_t input, std::string head, ByteReader& bytes, model::InputRow& row) {
    const Status read = captures_.read(file, input, follows_ && !recorder_, std::move(head), bytes, row, [&](std::uint64_t done) { progress_(file.display, bytes_before_ + done); });
    if (!read.ok() && file.named) result_.problems.push_back(read.error());
  }

  void read_transcript(const InputFile& file, std::uint32_t input, std::string head, ByteReader& bytes, model::InputRow& row) {
    scan_transcript(bytes, std::move(head), input, {options_.since, options_.until}, limits_, transcript_calls_, sources_.of(file, false, input).sink, row,
                    [&](std::uint64_t read) { progress_(file.display, bytes_before_ + read); });
  }

  void read_har(const InputFile& file, std::uint32_t input, std::string head, ByteReader& bytes, model::InputRow& row) {
    row.reader = "har";
    row.place_word = "entry";
    row.vantage = model::Vantage::client_wire;
    const HarScanOptions options{options_.time_zone, file.member.empty() ? file.path : std::string(), options_.threads, options_.since, options_.until};
    const Status read = scan_har(bytes, std::move(head), input, options, limits_, numbers_, sources_.of(file, true, input).sink, row,
                                 [&](std::uint64_t done) { progress_(file.display, bytes_before_ + done); });
    if (!read.ok()) row.error = read.error().what;
  }

  // Nothing here for a reader: said in the report, with how much there was.
  void leave_unread(FormatKind kind, const std::string& head, ByteReader& bytes, model::InputRow& row) {
    row.reader = "none";
    row.place_word = "entry";
    std::string rest(kHeadBytes, '\0');
    while (bytes.read(rest) > 0) {
    }
    if (kind == FormatKind::empty || head.empty()) return;
    row.error = ingest::is_flow_file(head) ? "a mitmproxy flow file: export it as HAR, `mitmdump -nr FILE --set hardump=FILE.har`" : "neither text nor a capture";
    row.books.ignore("binary");
  }

  const ScanOptions& options_;
  const Knowledge& knowledge_;
  const Limits& limits_;
  Progress progress_;
  TimelineTap* tap_;
  RunRecorder* recorder_;
  ScanResult result_;
  CaptureNumbers numbers_;
  SourceSet sources_;
  CaptureIntake captures_;
  ingest::TranscriptCalls transcript_calls_{limits_};
  std::uint64_t bytes_before_ = 0;
  std::unique_ptr<RepeatedLines> repeated_;
  // Of the file that is read.
  std::size_t number_ = 0;
  bool follows_ = false;                    // another file of its set
  ReadingStart start_;
  bool plain_log_ = false, start_compressed_ = false, newest_first_ = false;
  std::uint64_t read_bytes_ = 0, read_lines_ = 0;
  std::map<std::string, std::string> digests_;           // by path, where they are asked for
  std::map<std::uint64_t, std::string> first_of_head_;   // by size and first bytes: the path that had them first
};

}  // namespace

ingest::ParserOptions parser_options(const ScanOptions& options, const ingest::InputFile& file) {
  ingest::ParserOptions parser;
  parser.time_zone = options.time_zone;
  parser.dialect = options.dialect;
  parser.newest = last_written(file);
  return parser;
}

ScanResult scan(const ScanOptions& options, const Knowledge& knowledge, const Limits& limits, FunctionRef<void(const std::string&, std::uint64_t)> progress,
                TimelineTap* tap, RunRecorder* recorder) {
  std::vector<Error> problems;
  const ScanOptions opened = open_bundles(options, problems);
  ScanResult result = Scan(opened, knowledge, limits, progress, tap, recorder).run();
  result.problems.insert(result.problems.begin(), problems.begin(), problems.end());
  return result;
}

}  // namespace mcpscan::pipeline
