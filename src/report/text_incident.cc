#include "report/text_incident.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/utf8.h"

namespace mcpscan::report {
namespace {

constexpr std::size_t kIndent = 2;
constexpr std::size_t kPictureIndent = 4;
constexpr std::size_t kClock = 12;         // HH:MM:SS.mmm
constexpr std::size_t kNarrowestText = 26; // below it the place goes under the text
constexpr std::size_t kKeyCells = 40;      // of a tally's key where several stand in one line

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return result;
}

void write_title(Page& page, const model::Incident& incident) {
  const std::string level = upper(model::to_string(incident.level));
  const std::string id = page.id(incident.id);
  const std::size_t start = level.size() + kIndent;
  const std::size_t room = page.width() - start;
  const std::size_t beside = text_width(id) + kIndent + 16 < room ? room - text_width(id) - kIndent : room;
  const auto lines = wrapped(page.text(incident.title), beside, beside);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string line = i == 0 ? page.painted(level, style_of(incident.level)) + std::string(kIndent, ' ') : std::string(start, ' ');
    const bool with_id = i == 0 && beside < room;
    line += page.painted(with_id ? padded(lines[i], beside) : lines[i], Style::heading);
    page.line(with_id ? line + std::string(kIndent, ' ') + page.painted(id, Style::dim) : line);
  }
  if (beside == room) page.paragraph(start, "", id, start);
}

// A place that does not fit beside its text goes under it, whole: it must stay something to click or to search for.
class Picture {
 public:
  Picture(Page& page, const ReportIndex& index, const Wording& wording, const std::vector<model::StoryLine>& lines) : page_(page), index_(index), wording_(wording), lines_(lines) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      place_width_ = std::max(place_width_, text_width(place(lines[i])));
      delta_width_ = std::max(delta_width_, text_width(delta(i)));
      timed_ = timed_ || lines[i].at.known();
    }
    const std::size_t fixed = text_start() + (delta_width_ > 0 ? kIndent + delta_width_ : 0);
    beside_ = fixed + kIndent + place_width_ + kNarrowestText <= page.width();
    text_width_ = page.width() - fixed - (beside_ ? kIndent + place_width_ : 0);
    fit_to_longest();
  }

  void write() {
    const std::size_t shown = page_.rows(lines_.size());
    for (std::size_t i = 0; i < shown; ++i) {
      write_date(i);
      write_line(i);
    }
    if (shown < lines_.size()) page_.line(fmt::format("{:{}}and {} more", "", kPictureIndent, thousands(lines_.size() - shown)), Style::dim);
  }

 private:
  std::size_t text_start() const { return kPictureIndent + (timed_ ? kClock + kIndent : 0) + 2; }

  std::string place(const model::StoryLine& line) const {
    return line.source.number == 0 ? std::string() : page_.text(index_.place(line.source));
  }

  std::string delta(std::size_t i) const {
    if (i == 0 || !lines_[i].at.known() || !lines_[i - 1].at.known()) return {};
    const std::int64_t us = lines_[i].at.us - lines_[i - 1].at.us;
    if (us == 0) return "+0 ms";
    return (us > 0 ? "+" : "") + format_duration(us);
  }

  // The text column is no wider than its longest text, so that places stand near what they prove.
  void fit_to_longest() {
    std::size_t longest = 0;
    for (const auto& line : lines_) longest = std::max(longest, text_width(page_.text(line.text)));
    text_width_ = std::min(text_width_, longest);
  }

  void write_date(std::size_t i) {
    if (!wording_.several_days() || !lines_[i].at.known()) return;
    const std::string date = wording_.date(lines_[i].at);
    if (date == date_) return;
    date_ = date;
    page_.line(std::string(kPictureIndent, ' ') + date, Style::dim);
  }

  void write_line(std::size_t i) {
    const model::StoryLine& line = lines_[i];
    const auto pieces = wrapped(page_.text(line.text), text_width_, text_width_);
    std::string start(kPictureIndent, ' ');
    if (timed_) start += padded(line.at.known() ? wording_.clock(line.at) : std::string(), kClock + kIndent);
    start += page_.text(std::string_view(&line.mark, 1)) + ' ';
    std::string side = side_text(i);
    page_.line(start + (side.empty() ? pieces[0] : padded(pieces[0], text_width_) + std::string(kIndent, ' ') + side));
    const std::string under(text_start(), ' ');
    for (std::size_t k = 1; k < pieces.size(); ++k) page_.line(under + pieces[k]);
    if (!beside_ && !place(line).empty()) page_.paragraph(text_start(), "", place(line), text_start());
  }

  std::string side_text(std::size_t i) const {
    std::string side = beside_ ? padded(place(lines_[i]), place_width_) : std::string();
    const std::string after = delta(i);
    if (!after.empty()) side += std::string(side.empty() ? 0 : kIndent, ' ') + padded_left(after, delta_width_);
    while (side.ends_with(' ')) side.pop_back();
    return side;
  }

  Page& page_;
  const ReportIndex& index_;
  const Wording& wording_;
  const std::vector<model::StoryLine>& lines_;
  std::size_t place_width_ = 0, delta_width_ = 0, text_width_ = 0;
  bool timed_ = false, beside_ = true;
  std::string date_;
};

// Without a picture the root's evidence says where to look.
void write_evidence(Page& page, const ReportIndex& index, const model::Finding* root) {
  if (root == nullptr) return;
  const std::size_t shown = page.rows(root->evidence.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& evidence = root->evidence[i];
    page.paragraph(kPictureIndent, page.text(index.place(evidence.source)) + "  ", page.text(evidence.text), kPictureIndent + kIndent);
  }
  const std::uint64_t more = root->evidence.size() - shown + root->evidence_left_out;
  if (more > 0) page.line(fmt::format("{:{}}and {} more", "", kPictureIndent, thousands(more)), Style::dim);
}

// As `sort | uniq -c` over the log would have counted: few rows in a line, many in a column.
void write_tally(Page& page, const TallyOfRule& tally) {
  const auto& [rule, rows] = tally;
  const std::string label = page.text(rule) + " by key:  ";
  if (rows.size() <= kWordsInLine) {
    std::vector<std::string> parts;
    for (const auto& [key, count] : rows) parts.push_back(fmt::format("{} {}", thousands(count), shortened(page.text(key), kKeyCells)));
    return page.paragraph(kIndent, label, fmt::format("{}", fmt::join(parts, ",  ")), kPictureIndent);
  }
  page.paragraph(kIndent, label, "", kPictureIndent);
  const std::size_t shown = page.rows(rows.size());
  std::uint64_t left = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i >= shown) {
      left += rows[i].second;
    } else {
      page.line(fmt::format("{:>11} {}", thousands(rows[i].second), shortened(page.text(rows[i].first), page.width() - 12)));
    }
  }
  if (shown < rows.size()) page.line(fmt::format("{:>11} under {}", thousands(left), counted(rows.size() - shown, "more key")), Style::dim);
}

void write_labelled(Page& page, std::string_view label, const std::string& text) {
  if (!text.empty()) page.paragraph(kIndent, label, text, kPictureIndent);
}

}  // namespace

void write_places(Page& page, const ReportIndex& index, const Wording& wording, const model::Incident& incident) {
  if (incident.picture.empty()) {
    write_evidence(page, index, index.finding(incident.root));
  } else {
    Picture(page, index, wording, incident.picture).write();
  }
}

void write_incident(Page& page, const ReportIndex& index, const Wording& wording, const model::Incident& incident) {
  page.blank();
  write_title(page, incident);
  if (!incident.story.empty()) page.paragraph(kIndent, "", page.text(incident.story), kIndent);
  write_labelled(page, "Fault: ", wording.fault(incident.fault));
  write_places(page, index, wording, incident);
  for (const std::string& note : incident.notes) page.paragraph(kIndent, "", page.text(note), kPictureIndent);
  write_labelled(page, "Touched: ", wording.reach(incident));
  write_labelled(page, "Led to: ", wording.consequences(incident));
  for (const TallyOfRule& tally : wording.tallies(incident)) write_tally(page, tally);
  write_labelled(page, "Fix: ", page.text(incident.fix));
  write_labelled(page, "More: ", wording.more_command(incident));
}

}  // namespace mcpscan::report
