// --format csv: the timeline for a spreadsheet: RFC 4180 with the line ends of Unix, a header line, a line an event; no cell can act as a formula. What was found
// is not in it: findings are no events and have columns of their own.
#include <array>

#include "report/escape.h"
#include "report/report_index.h"
#include "report/timeline_format_registry.h"

namespace mcpscan::report {
namespace {

using model::TimelineRow;

constexpr std::string_view kHeader =
    "at,event,session,client,server,sender,rpc_id,method,tool,outcome,started,took_us,stream,status,what,input,place,number,offset,text\n";

std::string time_cell(Time at) { return at.known() ? format_rfc3339(at) : std::string(); }
std::string number_cell(std::int64_t number) { return number < 0 ? std::string() : std::to_string(number); }

std::string_view place_word(model::PlaceKind kind) {
  constexpr std::array<std::string_view, 3> kWords{"line", "packet", "entry"};
  return kWords[static_cast<std::size_t>(kind)];
}

class CsvTimeline : public model::TimelineWriter {
 public:
  CsvTimeline(const model::ReportOptions& options, model::TimelineFormatEntry::Out out) : options_(options), out_(std::move(out)) { out_(kHeader); }

  void row(const TimelineRow& row) override {
    line_.clear();
    first_ = true;
    add(time_cell(row.at));
    add(model::to_string(row.kind));
    add(row.session ? shown_id(row.session->label, options_) : std::string());
    add(row.session ? shown_text(row.session->client_name, options_) : std::string());
    add(row.session ? shown_text(row.session->server_name, options_) : std::string());
    add(row.sent == model::Direction::client_to_server ? "client" : row.sent == model::Direction::server_to_client ? "server" : "");
    add(shown_text(row.id.raw, options_));
    add(shown_text(row.method, options_));
    add(shown_text(row.tool, options_));
    add(row.outcome);
    add(time_cell(row.started));
    add(number_cell(row.took_us));
    add(row.stream == model::StreamKind::unknown ? std::string_view() : model::to_string(row.stream));
    add(row.status > 0 ? std::to_string(row.status) : std::string());
    add(shown_text(row.what, options_));
    add(shown_text(row.input, options_));
    add(row.source.number > 0 ? place_word(row.source.kind) : std::string_view());
    add(row.source.number > 0 ? std::to_string(row.source.number) : std::string());
    add(row.source.number > 0 ? std::to_string(row.source.offset) : std::string());
    add(shown_text(row.text, options_));
    line_ += '\n';
    out_(line_);
  }

  void finish(const model::Report&) override {}

 private:
  void add(std::string_view cell) {
    if (!first_) line_ += ',';
    first_ = false;
    append_csv_cell(line_, cell);
  }

  model::ReportOptions options_;
  model::TimelineFormatEntry::Out out_;
  std::string line_;
  bool first_ = true;
};

}  // namespace

extern const model::TimelineFormatEntry kTimelineAsCsv;
const model::TimelineFormatEntry kTimelineAsCsv{"csv", "csv", "for a spreadsheet: a line an event",
                                                [](const model::ReportOptions& options, model::TimelineFormatEntry::Out out) -> std::unique_ptr<model::TimelineWriter> {
                                                  return std::make_unique<CsvTimeline>(options, std::move(out));
                                                }};

}  // namespace mcpscan::report
