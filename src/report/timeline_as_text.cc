// --format text: the timeline for a person: a line an event, with its session's short name and its place; a session is told when it first
// appears, a day when it begins. The findings stand below, with their incidents.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/page.h"
#include "report/report_index.h"
#include "report/session_tags.h"
#include "report/timeline_format_registry.h"
#include "report/utf8.h"

namespace mcpscan::report {
namespace {

using model::TimelineRow;

constexpr std::size_t kIndent = 2, kClock = 12, kTag = 5;
constexpr std::size_t kTextStart = kIndent + kClock + kIndent + kTag + 1 + 2;
constexpr std::size_t kNarrowestText = 30;  // below it the place goes under the text
constexpr std::size_t kShortPath = 28;      // a path up to this long stands in every place

class TextTimeline : public model::TimelineWriter {
 public:
  TextTimeline(const model::ReportOptions& options, model::TimelineFormatEntry::Out out) : options_(options), out_(std::move(out)) {}

  void row(const TimelineRow& row) override {
    Page page(options_);
    tell_day(page, row.at);
    tell_input(page, row.input);
    const std::string tag = tag_of(page, row);
    ++rows_;
    const std::string clock = row.at.known() ? clock_of(row.at) : std::string(kClock, ' ');
    const std::string start = fmt::format("{:{}}{}{:{}}{} {} ", "", kIndent, clock, "", kIndent, padded(tag, kTag), row.mark);
    write_line(page, start, page.text(row.what), place_of(page, row), style_of_row(row));
    out_(page.take());
  }

  void finish(const model::Report& report) override {
    Page page(options_);
    const ReportIndex index(report);
    if (rows_ == 0) page.line("No event of the evidence is in this part of the timeline.");
    if (!report.findings.empty()) page.line(""), page.line("What was found", Style::heading);
    for (const model::Incident* incident : index.incidents()) {
      page.paragraph(kIndent, page.id(incident->id) + "  ", fmt::format("{}  {}", model::to_string(incident->level), page.text(incident->title)), 2 * kIndent, style_of(incident->level));
    }
    for (const model::Finding* finding : index.lone_findings()) {
      const std::string session = finding->session.empty() ? std::string() : " in " + page.id(finding->session);
      page.paragraph(kIndent, page.text(finding->rule) + "  ", fmt::format("{}  {}{}", model::to_string(finding->level), counted(finding->count, "time"), session), 2 * kIndent, style_of(finding->level));
    }
    out_(page.take());
  }

 private:
  void tell_day(Page& page, Time at) {
    if (!at.known()) return;
    const std::int64_t day = options_.zone.day_of(at);
    if (told_day_ && day == day_) return;
    day_ = day;
    told_day_ = true;
    const CivilTime civil = options_.zone.civil(at);
    page.line(fmt::format("{:04}-{:02}-{:02} {}", civil.year, civil.month, civil.day, options_.zone.name()), Style::heading);
  }

  // A long path is told once where its rows begin; they then give the number only.
  void tell_input(Page& page, std::string_view input) {
    if (input == input_) return;
    input_ = input;
    short_ = input.size() <= kShortPath;
    if (!short_) page.paragraph(0, "in ", page.text(input_), kIndent, Style::dim);
  }

  std::string clock_of(Time at) const {
    const CivilTime c = options_.zone.civil(at);
    return fmt::format("{:02}:{:02}:{:02}.{:03}", c.hour, c.minute, c.second, c.microsecond / 1000);
  }

  // S7; a session beyond those that have short names is told on a line of its own each time.
  std::string tag_of(Page& page, const TimelineRow& row) {
    if (!row.session || row.session->label.empty()) return {};
    bool fresh = false;
    const std::uint32_t tag = tags_.of(row, fresh);
    const std::string name = tag == 0 ? std::string("S") : fmt::format("S{}", tag);
    if (fresh || tag == 0) page.paragraph(kIndent, name + "  ", page.id(row.session->label) + peers(page, *row.session), 2 * kIndent, Style::dim);
    return name;
  }

  static std::string peers(const Page& page, const model::Session& session) {
    std::string text;
    if (!session.client_name.empty()) text += ", client " + page.text(session.client_name);
    if (!session.server_name.empty()) text += ", server " + page.text(session.server_name);
    return text;
  }

  std::string place_of(const Page& page, const TimelineRow& row) const {
    constexpr std::array<std::string_view, 3> kWords{"line", "packet", "entry"};
    const std::string name = short_ ? page.text(input_) : std::string();
    if (row.source.number == 0) return name;
    if (short_ && row.source.kind == model::PlaceKind::line) return fmt::format("{}:{}", name, row.source.number);
    return fmt::format("{}{}{} {}", name, short_ ? " " : "", kWords[static_cast<std::size_t>(row.source.kind)], row.source.number);
  }

  static Style style_of_row(const TimelineRow& row) {
    if (row.mark == 'x' && row.outcome != "refused" && row.outcome != "cancelled" && row.outcome != "evidence_ends") return Style::high;
    if (row.mark == '!') return Style::medium;
    return row.mark == '.' ? Style::dim : Style::plain;
  }

  // A place that does not fit beside its text goes under it, whole.
  static void write_line(Page& page, const std::string& start, const std::string& what, const std::string& place, Style style) {
    const std::size_t beside = text_width(place) + kIndent;
    const bool fits = kTextStart + kNarrowestText + beside <= page.width();
    const std::size_t room = page.width() - kTextStart - (fits ? beside : 0);
    const auto pieces = wrapped(what, room, page.width() - kTextStart);
    const std::string side = fits ? std::string(room - text_width(pieces[0]) + kIndent, ' ') + page.painted(place, Style::dim) : std::string();
    page.line(start + page.painted(pieces[0], style) + side);
    for (std::size_t i = 1; i < pieces.size(); ++i) page.line(std::string(kTextStart, ' ') + page.painted(pieces[i], style));
    if (!fits) page.line(std::string(kTextStart, ' ') + page.painted(place, Style::dim));
  }

  model::ReportOptions options_;
  model::TimelineFormatEntry::Out out_;
  SessionTags tags_;
  std::string input_;
  bool short_ = true;
  std::int64_t day_ = 0;
  bool told_day_ = false;
  std::uint64_t rows_ = 0;
};

}  // namespace

extern const model::TimelineFormatEntry kTimelineAsText;
const model::TimelineFormatEntry kTimelineAsText{"text", "txt", "for a person: a line an event, then what was found",
                                                 [](const model::ReportOptions& options, model::TimelineFormatEntry::Out out) -> std::unique_ptr<model::TimelineWriter> {
                                                   return std::make_unique<TextTimeline>(options, std::move(out));
                                                 }};

}  // namespace mcpscan::report
