#include "report/shared_timeline.h"

#include "report/redact.h"
#include "report/share.h"

namespace mcpscan::report {

const model::Session* SharedTimeline::shared(const model::TimelineRow& row) {
  if (!row.session) return nullptr;
  if (label_ == row.session->label && tracker_ == row.tracker && session_.index == row.session->index && session_.client_name == row.session->client_name) return &session_;
  label_ = row.session->label;
  tracker_ = row.tracker;
  session_ = *row.session;
  session_.label = label_.find(' ') == std::string::npos ? names_.of(label_) : names_.text(label_);
  return &session_;
}

void SharedTimeline::row(const model::TimelineRow& row) {
  model::TimelineRow told = row;
  told.session = shared(row);
  input_ = names_.text(row.input.substr(row.input.find_last_of('/') + 1));
  text_ = names_.text(mask_secrets(row.text));
  told.input = input_;
  told.text = text_;
  told.what = names_.text(mask_secrets(row.what));
  writer_->row(told);
}

void SharedTimeline::finish(const model::Report& report) {
  model::Report told = report;
  pseudonymise(told, names_);
  writer_->finish(told);
}

}  // namespace mcpscan::report
