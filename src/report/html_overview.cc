#include "report/html_overview.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "report/layout.h"

namespace mcpscan::report {
namespace {

using model::ActivityCounts;
using model::ActivityRow;
using model::ActivityStretch;

constexpr int kHigh = 20, kNoticesAt = 22, kNoticesHigh = 3;
constexpr std::size_t kTicks = 4;

std::uint64_t unanswered(const ActivityCounts& counts) { return counts.timeouts + counts.lost; }

void add(ActivityCounts& to, const ActivityCounts& from) {
  to.calls += from.calls;
  to.timeouts += from.timeouts;
  to.lost += from.lost;
  to.notices += from.notices;
}

ActivityCounts sum_of(const ActivityRow& row) {
  ActivityCounts sum;
  for (const ActivityStretch& stretch : row.stretches) add(sum, stretch.counts);
  return sum;
}

std::string told(const ActivityCounts& counts) {
  std::string text = counted(counts.calls, "call");
  if (counts.timeouts > 0) text += fmt::format(", {} given up", thousands(counts.timeouts));
  if (counts.lost > 0) text += fmt::format(", {} lost", thousands(counts.lost));
  if (counts.notices > 0) text += fmt::format(", {}", counted(counts.notices, "undelivered reply logged", "undelivered replies logged"));
  return text;
}

class Chart {
 public:
  Chart(const ReportIndex& index, const Wording& wording) : wording_(wording), activity_(index.report().activity), step_(activity_.stretch_us) {
    first_ = activity_.first.us - ((activity_.first.us % step_) + step_) % step_;
    stretches_ = (activity_.last.us - first_) / step_ + 1;
  }

  std::string draw() {
    std::vector<const ActivityRow*> rows;
    ActivityRow all;
    std::vector<ActivityCounts> totals(static_cast<std::size_t>(stretches_));
    for (const ActivityRow& row : activity_.rows) {
      rows.push_back(&row);
      for (const ActivityStretch& stretch : row.stretches) {
        const std::int64_t at = (stretch.at.us - first_) / step_;
        if (at >= 0 && at < stretches_) add(totals[static_cast<std::size_t>(at)], stretch.counts);
      }
    }
    for (std::size_t i = 0; i < totals.size(); ++i) all.stretches.push_back({{first_ + static_cast<std::int64_t>(i) * step_}, totals[i]});
    std::stable_sort(rows.begin(), rows.end(), [](const ActivityRow* a, const ActivityRow* b) {
      const ActivityCounts x = sum_of(*a), y = sum_of(*b);
      return std::tuple(a->session.empty(), unanswered(y), y.calls) < std::tuple(b->session.empty(), unanswered(x), x.calls);
    });
    out_ = "<div class=\"day\">\n";
    row("All sessions", all);
    const std::size_t shown = std::min(rows.size(), kSessionsDrawn);
    for (std::size_t i = 0; rows.size() > 1 && i < shown; ++i) row(rows[i]->session.empty() ? "the others together" : wording_.safe_id(rows[i]->session), *rows[i]);
    axis();
    out_ += "</div>\n";
    if (rows.size() > shown) out_ += fmt::format("<p class=\"more\">and {} with fewer faults</p>\n", counted(rows.size() - shown, "more session"));
    return std::move(out_);
  }

 private:
  void row(const std::string& name, const ActivityRow& row) {
    const ActivityCounts sum = sum_of(row);
    std::uint64_t peak = 1;
    for (const ActivityStretch& stretch : row.stretches) peak = std::max({peak, stretch.counts.calls, unanswered(stretch.counts)});
    out_ += fmt::format("<div class=\"day-row\"><span class=\"day-name\">{}</span>", name);
    out_ += fmt::format("<svg class=\"bars\" viewBox=\"0 0 {} {}\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{}: {}\">", stretches_, kNoticesAt + kNoticesHigh, name, told(sum));
    for (const ActivityStretch& stretch : row.stretches) bar(stretch, peak);
    out_ += fmt::format("</svg><span class=\"day-sum\">{}</span></div>\n", told(sum));
  }

  void bar(const ActivityStretch& stretch, std::uint64_t peak) {
    const ActivityCounts& counts = stretch.counts;
    if (counts.calls + unanswered(counts) + counts.notices == 0) return;
    const std::int64_t x = (stretch.at.us - first_) / step_;
    const auto high = [&](std::uint64_t count) { return count == 0 ? 0.0 : std::max(1.0, kHigh * static_cast<double>(count) / static_cast<double>(peak)); };
    const double calls = high(counts.calls), bad = high(unanswered(counts));
    out_ += fmt::format("<g><title>{}: {}</title>", wording_.period(stretch.at, {stretch.at.us + step_}), told(counts));
    if (calls > 0) out_ += fmt::format("<rect class=\"calls\" x=\"{}.06\" y=\"{:.2f}\" width=\".88\" height=\"{:.2f}\"/>", x, kHigh - calls, calls);
    if (bad > 0) out_ += fmt::format("<rect class=\"bad\" x=\"{}.06\" y=\"{:.2f}\" width=\".88\" height=\"{:.2f}\"/>", x, kHigh - bad, bad);
    if (counts.notices > 0) out_ += fmt::format("<rect class=\"notice\" x=\"{}.06\" y=\"{}\" width=\".88\" height=\"{}\"/>", x, kNoticesAt, kNoticesHigh);
    out_ += "</g>";
  }

  void axis() {
    out_ += "<div class=\"day-axis\" aria-hidden=\"true\"><span class=\"ticks\">";
    for (std::size_t i = 0; i <= kTicks; ++i) {
      const std::int64_t at = first_ + static_cast<std::int64_t>(i) * stretches_ / static_cast<std::int64_t>(kTicks) * step_;
      out_ += fmt::format("<span>{}</span>", wording_.tick({at}, stretches_ * step_));
    }
    out_ += "</span></div>\n";
  }

  const Wording& wording_;
  const model::Activity& activity_;
  std::int64_t step_, first_ = 0, stretches_ = 0;
  std::string out_;
};

// 0 to 100 on a scale of orders of magnitude from a millisecond on.
double on_scale(std::int64_t us, std::int64_t longest) {
  const double all = std::log10(1 + static_cast<double>(std::max<std::int64_t>(longest, 10 * kMillisecond)) / kMillisecond);
  return 100 * std::log10(1 + static_cast<double>(std::max<std::int64_t>(us, 0)) / kMillisecond) / all;
}

}  // namespace

std::string draw_activity(const ReportIndex& index, const Wording& wording) {
  const model::Activity& activity = index.report().activity;
  if (activity.stretch_us <= 0 || activity.rows.empty()) return {};
  return Chart(index, wording).draw();
}

std::string draw_latency(const model::ToolRow& tool, std::int64_t longest) {
  if (tool.median_us < 0) return {};
  const double median = on_scale(tool.median_us, longest), p99 = on_scale(tool.p99_us, longest), most = on_scale(tool.longest_us, longest);
  return fmt::format("<svg class=\"latency\" viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect class=\"track\" x=\"0\" y=\"4.5\" width=\"100\" height=\"1\"/>"
                     "<rect class=\"most\" x=\"{:.2f}\" y=\"1\" width=\"1\" height=\"8\"/><rect class=\"range\" x=\"{:.2f}\" y=\"2.5\" width=\"{:.2f}\" height=\"5\"/></svg>",
                     std::min(99.0, most), median, std::max(1.0, p99 - median));
}

}  // namespace mcpscan::report
