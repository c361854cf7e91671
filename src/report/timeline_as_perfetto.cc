// --format perfetto: the timeline as a Chrome trace (JSON Object Format of the Trace Event Format), which ui.perfetto.dev and
// chrome://tracing open: a process a session, calls as spans on its tracks, HTTP exchanges on tracks of their own, notices and findings as
// instants. Times are UTC microseconds. Events without a time have no place in a trace: they are counted in "otherData".
// Bound: Limits::sessions processes and kMostLanes tracks of each kind a session; what is beyond shares the last one.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "report/json_writer.h"
#include "report/report_index.h"
#include "report/session_tags.h"
#include "report/timeline_format_registry.h"

namespace mcpscan::report {
namespace {

using model::EventKind;
using model::TimelineRow;

constexpr std::size_t kMostLanes = 64;
constexpr std::uint64_t kNoticeTrack = 1, kFirstCallTrack = 10, kFirstServerTrack = 200, kFirstHttpTrack = 400;

constexpr std::string_view kNoticeName = "notices and findings";

// Spans of one track must not cross. They come in the order of their ends, so a track is free for each span that begins after its last end.
class Lanes {
 public:
  std::size_t take(std::int64_t from, std::int64_t to, bool& fresh) {
    const auto free = std::find_if(ends_.begin(), ends_.end(), [&](std::int64_t end) { return end <= from; });
    fresh = free == ends_.end() && ends_.size() < kMostLanes;
    if (fresh) return ends_.push_back(to), ends_.size() - 1;
    const std::size_t lane = free == ends_.end() ? ends_.size() - 1 : static_cast<std::size_t>(free - ends_.begin());
    ends_[lane] = std::max(ends_[lane], to);
    return lane;
  }

 private:
  std::vector<std::int64_t> ends_;
};

enum class Group : std::uint8_t { calls, server_requests, http };
struct GroupEntry {
  std::uint64_t first_track;
  std::string_view name, category;
};
constexpr std::array<GroupEntry, 3> kGroups{{{kFirstCallTrack, "calls", "call"}, {kFirstServerTrack, "server's requests", "server-request"}, {kFirstHttpTrack, "HTTP", "http"}}};

bool is_call_span(const TimelineRow& row) {
  if (row.kind == EventKind::call_closed) return true;
  return row.kind == EventKind::reply && row.started.known() && row.outcome != "late" && row.outcome != "duplicate" && row.outcome != "redelivery";
}
bool is_http_span(const TimelineRow& row) { return row.kind == EventKind::exchange_closed || row.kind == EventKind::exchange_summary; }
bool is_told_by_span(const TimelineRow& row) { return row.kind == EventKind::request || row.kind == EventKind::session_started || row.kind == EventKind::session_finished; }

class PerfettoTimeline : public model::TimelineWriter {
 public:
  PerfettoTimeline(const model::ReportOptions& options, model::TimelineFormatEntry::Out out) : options_(options), out_(std::move(out)) {
    out_("{\"displayTimeUnit\": \"ms\", \"traceEvents\": [");
    name_track("process_name", 0, 0, "findings and events of no session");
    name_track("thread_name", 0, kNoticeTrack, kNoticeName);
  }

  void row(const TimelineRow& row) override {
    if (!row.at.known()) {
      ++without_time_;
      return;
    }
    const std::uint64_t process = process_of(row);
    if (is_call_span(row) || is_http_span(row)) return write_span(row, process);
    if (!is_told_by_span(row)) write_instant(row, process);
  }

  void finish(const model::Report& report) override {
    for (const model::Finding& finding : report.findings) write_finding(finding);
    JsonWriter other;
    other.begin_object().key("tool").text("mcpscan").key("version").text(report.version).key("events_without_time").number(without_time_);
    out_("\n], \"otherData\": " + other.end_object().take() + "}\n");
  }

 private:
  std::string safe(std::string_view raw) const { return shown_text(raw, options_); }

  void write(std::string event) {
    out_(first_ ? "\n" + event : ",\n" + event);
    first_ = false;
  }

  void name_track(std::string_view what, std::uint64_t process, std::uint64_t track, std::string_view name) {
    JsonWriter json;
    json.begin_object().key("ph").text("M").key("name").text(what).key("pid").number(process).key("tid").number(track);
    json.key("args").begin_object().key("name").text(name).end_object();
    write(json.end_object().take());
  }

  std::uint64_t process_of(const TimelineRow& row) {
    const model::Session* session = row.session;
    if (!session || session->label.empty()) return 0;
    bool news = false;
    const std::uint32_t tag = tags_.of(row, news);
    if (!news) return tag;
    std::string name = "session " + shown_id(session->label, options_);
    if (!session->client_name.empty()) name += ", client " + safe(session->client_name);
    name_track("process_name", tag, 0, name);
    if (lanes_.size() > tag) return tag;
    lanes_.resize(tag + 1);
    name_track("thread_name", tag, kNoticeTrack, kNoticeName);
    return tag;
  }

  void write_span(const TimelineRow& row, std::uint64_t process) {
    const std::int64_t from = row.started.known() ? std::min(row.started.us, row.at.us) : row.at.us;
    const std::int64_t to = row.started.known() && row.took_us >= 0 ? row.started.us + row.took_us : row.at.us;
    const bool server = row.session && row.kind == EventKind::reply && row.sent == model::Direction::client_to_server;
    const Group group = is_http_span(row) ? Group::http : server ? Group::server_requests : Group::calls;
    const GroupEntry& entry = kGroups[static_cast<std::size_t>(group)];
    if (lanes_.size() <= process) lanes_.resize(process + 1);
    bool fresh = false;
    const std::size_t lane = lanes_[process][static_cast<std::size_t>(group)].take(from, std::max(from, to), fresh);
    const std::uint64_t track = entry.first_track + lane;
    if (fresh) name_track("thread_name", process, track, lane == 0 ? std::string(entry.name) : fmt::format("{} {}", entry.name, lane + 1));
    JsonWriter json;
    json.begin_object().key("ph").text("X").key("name").text(span_name(row, group)).key("cat").text(entry.category);
    json.key("ts").number(from).key("dur").number(std::max<std::int64_t>(to - from, 0)).key("pid").number(process).key("tid").number(track);
    if (row.kind == EventKind::call_closed) json.key("cname").text("terrible");
    write_args(json, row);
    write(json.end_object().take());
  }

  std::string span_name(const TimelineRow& row, Group group) const {
    if (group == Group::http) return safe(row.what.substr(0, row.what.find(',')));
    return safe(row.tool.empty() ? row.method : row.tool);
  }

  void write_instant(const TimelineRow& row, std::uint64_t process) {
    JsonWriter json;
    json.begin_object().key("ph").text("i").key("s").text("t").key("name").text(safe(row.what)).key("cat").text(model::to_string(row.kind));
    json.key("ts").number(row.at.us).key("pid").number(process).key("tid").number(kNoticeTrack);
    write_args(json, row);
    write(json.end_object().take());
  }

  void write_args(JsonWriter& json, const TimelineRow& row) const {
    json.key("args").begin_object();
    if (row.id.present()) json.key("rpc_id").text(safe(row.id.raw));
    if (!row.method.empty()) json.key("method").text(safe(row.method));
    if (!row.outcome.empty()) json.key("outcome").text(row.outcome);
    json.key("what").text(safe(row.what));
    json.key("place").text(fmt::format("{}:{}", safe(row.input), row.source.number));
    json.end_object();
  }

  // A mark at each call that a finding lists, or where it lists none at its first occurrence.
  void write_finding(const model::Finding& finding) {
    const std::uint64_t process = finding.session.empty() ? 0 : tags_.find(finding.session);
    std::vector<Time> times;
    for (const model::FindingCall& call : finding.calls) {
      if (call.requested_at.known()) times.push_back(call.requested_at);
    }
    if (times.empty() && finding.first.known()) times.push_back(finding.first);
    if (times.empty()) ++without_time_;
    for (const Time at : times) {
      JsonWriter json;
      json.begin_object().key("ph").text("i").key("s").text(process == 0 ? "g" : "p").key("name").text(safe(finding.rule)).key("cat").text("finding");
      json.key("ts").number(at.us).key("pid").number(process).key("tid").number(kNoticeTrack);
      json.key("args").begin_object().key("id").text(finding.id).key("level").text(model::to_string(finding.level)).key("fault").text(model::to_string(finding.fault.party));
      json.key("detail").text(safe(finding.detail)).end_object();
      write(json.end_object().take());
    }
  }

  model::ReportOptions options_;
  model::TimelineFormatEntry::Out out_;
  SessionTags tags_;
  std::vector<std::array<Lanes, kGroups.size()>> lanes_;  // by process
  bool first_ = true;
  std::uint64_t without_time_ = 0;
};

}  // namespace

extern const model::TimelineFormatEntry kTimelineAsPerfetto;
const model::TimelineFormatEntry kTimelineAsPerfetto{"perfetto", "trace.json", "for ui.perfetto.dev: a Chrome trace, calls as spans, findings as marks",
                                                     [](const model::ReportOptions& options, model::TimelineFormatEntry::Out out) -> std::unique_ptr<model::TimelineWriter> {
                                                       return std::make_unique<PerfettoTimeline>(options, std::move(out));
                                                     }};

}  // namespace mcpscan::report
