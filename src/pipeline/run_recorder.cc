#include "pipeline/run_recorder.h"

#include <algorithm>

namespace mcpscan::pipeline {

using model::FileMark;
using model::FileRecord;

namespace {

constexpr const char* kJoint = "(all sources)";
constexpr std::uint64_t kLongestRecord = Limits{}.record_bytes;

}  // namespace

ReadingStart RunRecorder::begin_file(const ingest::InputFile& file, const std::string& head, bool as_log, bool compressed, const std::string& source) {
  const ReadingStart start = known_.start_of(file, head, as_log, compressed);
  if (start.unchanged) return start;
  FileRecord& record = record_.files.emplace_back();
  record.known = start.known;
  record.replaces = start.replaces;
  record.source = source;
  if (!file.path.empty()) record.mark = known_.mark_of(file, head, as_log);
  files_.push_back({file, next_input_, compressed, 0, 0, 0, {}, {}});
  ++next_input_;
  return start;
}

std::vector<model::OccurrenceRow> RunRecorder::news_of(std::size_t source, const engine::FindingBook& book) {
  std::vector<model::OccurrenceRow> rows;
  Counts& told = told_[source];
  for (const auto& booked : book.findings()) {
    auto& quarters = told[booked.finding.id];
    for (const auto& [quarter, count] : booked.quarters) {
      std::uint64_t& before = quarters[quarter];
      if (count > before) rows.push_back({booked.finding.id, quarter, count - before});
      before = count;
    }
  }
  return rows;
}

void RunRecorder::end_file(std::size_t source, const engine::FindingBook& book, std::uint64_t bytes, std::uint64_t lines, bool whole) {
  FileRecord& record = record_.files.back();
  record.mark.whole = whole;
  record.settled.occurrences = news_of(source, book);
  files_.back().settled = traffic_.take();
  files_.back().number = source;
  files_.back().bytes = bytes;
  files_.back().lines = lines;
  last_file_[source] = record_.files.size() - 1;
}

void RunRecorder::recall_sessions(session::SessionTracker& tracker) const {
  const FileRecord& file = record_.files.back();
  const bool calls_missing = known_.has_open_calls(file.source, file.known);
  for (model::SessionMemory memory : sessions_) {
    if (memory.source != file.source) continue;
    if (calls_missing) memory.start_seen = false;  // a reply may answer a call in a file that is not read again
    tracker.recall(memory);
  }
}

std::vector<model::ToolShape> RunRecorder::known_shapes() const {
  std::vector<model::ToolShape> shapes;
  for (const model::SourceShape& known : shapes_) {
    if (known.source == record_.files.back().source) shapes.push_back(known.shape);
  }
  return shapes;
}

void RunRecorder::remember_shapes(std::size_t source, std::vector<model::ToolShape> shapes) {
  const auto last = last_file_.find(source);
  if (last == last_file_.end()) return;
  const std::string& name = record_.files[last->second].source;
  if (std::find(record_.sources.begin(), record_.sources.end(), name) == record_.sources.end()) return;
  for (model::ToolShape& shape : shapes) record_.shapes.push_back({name, std::move(shape)});
}

void RunRecorder::remember_sessions(const std::string& source, session::SessionTracker& tracker) {
  record_.sources.push_back(source);
  for (model::SessionMemory& memory : tracker.memories()) {
    memory.source = source;
    record_.sessions.push_back(std::move(memory));
  }
}

// A session with a call still open is read again from where it last had none, so that its calls and statements meet as they did; and with
// it all that follows in the files of the source.
void RunRecorder::set_resume(std::size_t last, session::SessionTracker& tracker) {
  const std::string& source = record_.files[last].source;
  std::size_t first_file = record_.files.size();
  model::SourceRef oldest;
  tracker.each_busy_session([&](const model::SourceRef& busy_since) {
    const auto file = std::find_if(files_.begin(), files_.end(), [&](const OpenFile& open) { return open.input == busy_since.input; });
    const auto number = static_cast<std::size_t>(file - files_.begin());
    if (number > first_file || number >= files_.size()) return;
    if (number < first_file || busy_since.offset < oldest.offset) oldest = busy_since;
    first_file = number;
  });
  for (std::size_t i = first_file; i < files_.size(); ++i) {
    FileMark& mark = record_.files[i].mark;
    if (record_.files[i].source != source || mark.whole) continue;
    const bool begins_here = i == first_file;
    if (begins_here && oldest.offset >= mark.bytes) continue;
    mark.resume_bytes = begins_here ? oldest.offset : 0;
    mark.resume_line = begins_here ? oldest.number : 1;
  }
}

// What the gate still holds is the newest record of the source's last file: it is read again when the file goes on, unless so much follows
// it that nothing can belong to it any more.
void RunRecorder::end_evidence(std::size_t source, session::SessionTracker& tracker, SettlingGate* gate) {
  const auto last = last_file_.find(source);
  if (last == last_file_.end()) return;
  const std::string& name = record_.files[last->second].source;
  for (std::size_t i = 0; i < files_.size(); ++i) {
    OpenFile& open = files_[i];
    if (record_.files[i].source != name || open.file.path.empty()) continue;
    const bool holds = gate && gate->holds() && gate->held_place().input == open.input;
    if (holds && open.bytes - gate->held_place().offset <= kLongestRecord) open.bytes = gate->held_place().offset, open.lines = gate->held_place().number - 1;
    known_.settle(open.file, open.bytes, open.lines, open.compressed, record_.files[i].mark);
  }
  if (!gate) return;
  set_resume(last->second, tracker);
  remember_sessions(name, tracker);
}

void RunRecorder::close_source(std::size_t source, const engine::FindingBook& book) {
  const auto last = last_file_.find(source);
  if (last == last_file_.end()) return;
  files_[last->second].open = traffic_.take();
  record_.files[last->second].open.occurrences = news_of(source, book);
}

// What a source found by itself stands with its file. What only several sources together show, or is of another session than the source knew,
// has no file of its own.
void RunRecorder::count_once(const model::Report& report, const Assembled& assembled) {
  std::map<std::string, std::uint64_t> reported;
  for (const model::Finding& finding : report.findings) reported.emplace(finding.id, finding.count);
  static const ReportedNames kSame;
  std::map<std::size_t, std::map<std::string, std::uint64_t>> counted;
  for (std::size_t i = 0; i < files_.size(); ++i) {
    const auto names = assembled.names.find(files_[i].number);
    CountedOnce once(names == assembled.names.end() ? kSame : names->second);
    once.look_at(files_[i].settled);
    once.look_at(files_[i].open);
    FileRecord& file = record_.files[i];
    file.settled.traffic = once.rows_of(std::move(files_[i].settled));
    file.open.traffic = once.rows_of(std::move(files_[i].open));
    for (model::EvidenceShare* share : {&file.settled, &file.open}) count_no_more(reported, counted[files_[i].number], share->occurrences);
  }
  const auto stands_with_file = [&](const std::string& finding) {
    return std::any_of(counted.begin(), counted.end(), [&](const auto& source) {
      const auto count = source.second.find(finding);
      return count != source.second.end() && count->second == reported.at(finding);
    });
  };
  FileRecord joint;
  joint.known = known_.number_of(kJoint);
  joint.source = joint.mark.path = kJoint;
  joint.largest = true;
  for (const model::OccurrenceRow& row : assembled.occurrences) {
    if (reported.contains(row.finding) && !stands_with_file(row.finding)) joint.settled.occurrences.push_back(row);
  }
  std::map<std::string, std::uint64_t> of_joint;
  count_no_more(reported, of_joint, joint.settled.occurrences);
  if (!joint.settled.occurrences.empty()) record_.files.push_back(std::move(joint));
}

model::RunRecord RunRecorder::take(model::Report report, const Assembled& assembled) {
  count_once(report, assembled);
  for (std::size_t i = 0; i < files_.size(); ++i) {
    FileMark& mark = record_.files[i].mark;
    if (mark.head_bytes > 0 && mark.bytes == 0 && !files_[i].file.path.empty()) known_.settle(files_[i].file, files_[i].bytes, files_[i].lines, files_[i].compressed, mark);
  }
  record_.report = std::move(report);
  return std::move(record_);
}

}  // namespace mcpscan::pipeline
