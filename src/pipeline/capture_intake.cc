#include "pipeline/capture_intake.h"

#include <fmt/format.h>

#include <utility>

#include "base/text_file.h"
#include "pipeline/capture_runs.h"
#include "pipeline/input_head.h"

namespace mcpscan::pipeline {

void CaptureIntake::load_keys(std::vector<Error>& problems) {
  for (const std::string& path : options_.key_logs) {
    const Result<std::string> text = read_text_file(path);
    if (!text) {
      Error error = text.error();
      error.hint = "--keylog takes the file that SSLKEYLOGFILE named";
      problems.push_back(std::move(error));
      continue;
    }
    model::AnomalyLog anomalies;
    keys_.add(*text, path, anomalies);
    for (const auto& [kind, anomaly] : anomalies.entries()) report_.notes.push_back(fmt::format("{}: {}: {}", path, kind, anomaly.text));
  }
}

Status CaptureIntake::read(const ingest::InputFile& file, std::uint32_t input, bool follows, std::string head, ByteReader& bytes, model::InputRow& row,
                           FunctionRef<void(std::uint64_t)> progress) {
  row.place_word = "packet";
  if (capture_ && !capture_->goes_on_at(first_packet_time(head, limits_))) end();
  const bool begins = !capture_;
  if (begins) {
    source_ = &sources_.of(file, true, input);
    capture_.emplace(keys_, CaptureScanOptions{options_.filter, options_.since, options_.until, options_.threads, nullptr}, limits_, numbers_, source_->sink);
    set_ = file.set_key;
  } else {
    SourceSet::noted(*source_, input);
    if (number_ >= 0 && file.number > number_ + 1) capture_->miss_file();
  }
  const auto runs = runs_of(file, head, input, limits_);
  Replayed replayed(std::move(head), bytes);
  const auto form = runs ? capture_->read(*runs, input, follows, row, progress) : capture_->read(replayed, input, follows, row, progress);
  if (!form) {
    begins ? capture_.reset() : capture_->miss_file();
    row.reader = "none";
    row.error = form.error().what;
    return form.error();
  }
  row.reader = *form;
  row.vantage = model::Vantage::client_wire;
  input_ = input, number_ = file.number;
  if (!follows) close();
  return {};
}

void CaptureIntake::end() {
  if (!capture_) return;
  capture_->give_up(report_.inputs[input_]);
  close();
}

void CaptureIntake::close() {
  for (const std::string& note : capture_->notes()) report_.notes.push_back(report_.inputs[input_].path + ": " + note);
  capture_.reset();
}

}  // namespace mcpscan::pipeline
