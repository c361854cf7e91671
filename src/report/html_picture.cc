#include "report/html_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "model/rivals.h"
#include "report/escape.h"
#include "report/layout.h"

namespace mcpscan::report {
namespace {

// In units of the drawing, which is as wide as a phone so that its text can be read there.
constexpr int kWidth = 360, kClient = 100, kGateway = 222, kServer = 334;
constexpr int kUntold = 20, kHeadHeight = 22, kFirstRow = 66, kRow = 34, kTail = 26;
constexpr int kBarWidth = 5, kBarStep = 8, kBars = 5;   // calls side by side on the client's lane
constexpr std::size_t kLabel = 42, kTipLine = 56;       // cells of text that fit
constexpr double kGrowth = 9, kMostGrowth = 42;         // further down a decade of milliseconds

struct Step {
  const model::StoryLine* line = nullptr;
  int y = 0;
  std::size_t call = 0;
  bool wrong = false;
};

struct Waiting {
  int from = 0, to = 0;
  bool lost = false, open = true;
};

int lane_of(model::Vantage vantage) {
  switch (vantage) {
    case model::Vantage::client:
    case model::Vantage::client_wire: return kClient;
    case model::Vantage::gateway: return kGateway;
    case model::Vantage::server_wire:
    case model::Vantage::server: return kServer;
    case model::Vantage::unknown: break;
  }
  return 0;
}

class Drawing {
 public:
  Drawing(const ReportIndex& index, const Wording& wording, const model::ReportOptions& options, const model::Incident& incident, std::size_t number)
      : index_(index), wording_(wording), options_(options), incident_(incident), number_(number) {
    for (const model::StoryLine& line : incident.picture) {
      if (steps_.size() < kMostSteps) steps_.push_back({&line, 0, call_of(line), is_wrong(line)});
    }
    lay_out();
    wait();
  }

  std::string draw() {
    out_ = fmt::format("<svg class=\"lanes\" viewBox=\"0 0 {} {}\" role=\"group\" aria-label=\"Who sent what to whom, from top to bottom\">\n", kWidth, height_);
    markers();
    lanes();
    for (std::size_t call = 0; call < waiting_.size(); ++call) bar(call);
    for (std::size_t i = 0; i < steps_.size(); ++i) step(i);
    for (std::size_t i = 0; i < steps_.size(); ++i) tip(i);
    return std::move(out_ += "</svg>\n");
  }

 private:
  template <typename... Values>
  void put(fmt::format_string<Values...> text, Values&&... values) {
    fmt::format_to(std::back_inserter(out_), text, std::forward<Values>(values)...);
  }

  // As many words as fit; the step's tip and the list beside the drawing have the rest.
  std::string shown(std::string_view raw, std::size_t cells) const {
    const auto lines = wrapped(escape_terminal(shown_text(raw, options_)), cells - 1, cells - 1);
    return escape_html(lines[0]) + (lines.size() > 1 ? "…" : "");
  }
  std::string whole(std::string_view raw) const { return escape_html(shown_text(raw, options_)); }

  // Lines about one request are about one call; a line that names none stands alone.
  std::size_t call_of(const model::StoryLine& line) {
    if (line.asked.number == 0) return waiting_.emplace_back(), waiting_.size() - 1;
    const auto [entry, fresh] = call_at_.emplace(std::pair(line.asked.input, line.asked.number), waiting_.size());
    if (fresh) waiting_.emplace_back();
    return entry->second;
  }

  static bool is_wrong(const model::StoryLine& line) { return line.mark == '!' || line.mark == 'x' || (line.mark == '<' && line.slot.number > 0); }

  // Time runs downwards: the longer nothing happens the further, by its order of magnitude.
  void lay_out() {
    int y = kFirstRow;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (i > 0) y += kRow + growth(steps_[i - 1].line->at, steps_[i].line->at);
      steps_[i].y = y;
    }
    height_ = y + kTail;
  }

  static int growth(Time from, Time to) {
    if (!from.known() || !to.known() || to <= from) return 0;
    const double milliseconds = static_cast<double>(to.us - from.us) / kMillisecond;
    return static_cast<int>(std::min(kMostGrowth, kGrowth * std::log10(1 + milliseconds)));
  }

  // From its request on a call waits until its reply, another's reply in its slot, or its end.
  void wait() {
    for (const Step& step : steps_) {
      Waiting& own = waiting_[step.call];
      if (step.line->mark == '>' && own.from == 0) own.from = step.y;
      if (step.line->mark == 'x' || step.line->mark == '!') own.lost = true;
      if (step.line->mark == '<' && step.line->slot.number == 0 && !own.lost) end(own, step.y);
      if (step.line->mark == 'x') end(own, step.y);
      if (step.line->mark == '<' && step.line->slot.number > 0) {
        own.lost = true;
        const auto slot = call_at_.find(std::pair(step.line->slot.input, step.line->slot.number));
        if (slot != call_at_.end()) end(waiting_[slot->second], step.y);
      }
    }
    for (Waiting& call : waiting_) {
      if (call.open) call.to = std::min(call.from + kUntold, height_ - 8);
    }
  }

  static void end(Waiting& call, int y) {
    if (!call.open) return;
    call.open = false;
    call.to = y;
  }

  void markers() {
    for (const char* kind : {"c0", "c1", "c2", "c3", "c4", "bad"}) {
      put("<marker id=\"{}-{}\" class=\"head {}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\"/></marker>\n", kind, number_,
          kind);
    }
  }

  void lanes() {
    lane(kClient, "client", model::Party::client);
    lane(kGateway, "gateway", model::Party::gateway);
    lane(kServer, "server", model::Party::server);
  }

  void lane(int x, std::string_view name, model::Party party) {
    const bool at_fault = incident_.fault.party == party;
    const bool seen = party != model::Party::gateway || at_fault || std::any_of(index_.report().inputs.begin(), index_.report().inputs.end(), [](const model::InputRow& input) {
                        return input.vantage == model::Vantage::gateway;
                      });
    const auto& others = incident_.fault.contributing;
    const bool let_it = std::find(others.begin(), others.end(), name) != others.end();
    const std::string_view role = at_fault ? "fault" : let_it ? "accomplice" : seen ? "plain" : "unseen";
    const int half = 26, left = std::min(x - half, kWidth - 2 * half);
    put("<line class=\"lane {}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>\n", role, x, kHeadHeight, x, height_ - 4);
    put("<rect class=\"lane-head {}\" x=\"{}\" y=\"1\" width=\"{}\" height=\"{}\" rx=\"4\"/><text class=\"lane-name {}\" x=\"{}\" y=\"16\">{}</text>\n", role, left, 2 * half, kHeadHeight - 1, role,
        left + half, name);
    if (at_fault) put("<text class=\"lane-note bad\" x=\"{}\" y=\"35\">{}</text>\n", left + half, model::to_string(incident_.fault.certainty) == "undetermined" ? "suspected" : fault_words());
    if (let_it) put("<text class=\"lane-note warn\" x=\"{}\" y=\"35\">{}</text>\n", left + half, model::names_rivals(incident_.fault) ? "perhaps" : "unguarded");
    if (role == "unseen") put("<text class=\"lane-note\" x=\"{}\" y=\"35\">if there is one</text>\n", left + half);
  }

  std::string fault_words() const { return fmt::format("at fault ({})", model::to_string(incident_.fault.certainty)); }

  int bar_x(std::size_t call) const { return kClient + static_cast<int>(call % kBars) * kBarStep - kBarWidth / 2; }

  void bar(std::size_t call) {
    const Waiting& waiting = waiting_[call];
    if (waiting.from == 0) return;
    put("<rect class=\"bar c{}{}{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n", call % kBars, waiting.lost ? " lost" : "", waiting.open ? " open" : "", bar_x(call), waiting.from, kBarWidth,
        std::max(4, waiting.to - waiting.from));
  }

  void step(std::size_t i) {
    const Step& step = steps_[i];
    const model::StoryLine& line = *step.line;
    const std::string at = line.at.known() ? wording_.clock(line.at) : std::string();
    const std::string place = line.source.number > 0 ? index_.place(line.source) : std::string();
    put("<g class=\"step s{}{}\" tabindex=\"0\" role=\"img\" aria-label=\"{} {}, {}\">\n", i, step.wrong ? " wrong" : "", at, whole(line.text), whole(place));
    put("<rect class=\"hit\" x=\"0\" y=\"{}\" width=\"{}\" height=\"26\" rx=\"4\"/>\n", step.y - 17, kWidth);
    if (!at.empty()) put("<text class=\"clock\" x=\"2\" y=\"{}\">{}</text>\n", step.y + 3, at);
    if (i > 0) waited(steps_[i - 1], step);
    if (line.mark == '>') arrow(step, kClient, kServer);
    else if (line.mark == '<') arrow(step, kServer, landing(step));
    else if (line.mark == '!') dropped(step);
    else if (line.mark == 'x') given_up(step);
    else put("<text class=\"label\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", (kClient + kServer) / 2, step.y - 5, shown(line.text, kLabel));
    seen_at(step);
    put("</g>\n");
  }

  // Long waits are told between the clocks, since distance alone tells orders of magnitude only.
  void waited(const Step& before, const Step& step) {
    if (!before.line->at.known() || !step.line->at.known() || step.line->at.us - before.line->at.us < 10 * kSecond) return;
    put("<text class=\"wait\" x=\"2\" y=\"{}\">+{}</text>\n", (before.y + step.y) / 2 + 3, format_duration(step.line->at.us - before.line->at.us));
  }

  // Where a reply ends: at the bar of the call that took it.
  int landing(const Step& step) const {
    const auto slot = call_at_.find(std::pair(step.line->slot.input, step.line->slot.number));
    return bar_x(step.line->slot.number > 0 && slot != call_at_.end() ? slot->second : step.call) + kBarWidth + 1;
  }

  void arrow(const Step& step, int from, int to) {
    const int start = from == kClient ? bar_x(step.call) + kBarWidth : from, end = to == kServer ? to - 1 : to;
    put("<line class=\"arrow c{}{}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" marker-end=\"url(#{}-{})\"/>\n", step.call % kBars, step.wrong ? " bad" : "", start, step.y - 2, end, step.y + 2,
        step.wrong ? std::string("bad") : fmt::format("c{}", step.call % kBars), number_);
    put("<text class=\"label{}\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", step.wrong ? " bad" : "", (kClient + kBars * kBarStep + kServer) / 2, step.y - 6, shown(step.line->text, kLabel));
  }

  void cross(int x, int y) { put("<path class=\"cross\" d=\"M{} {}l8 8m0 -8l-8 8\"/>\n", x - 4, y - 4); }

  // The reply sets out and arrives nowhere: the hole is what is dashed.
  void dropped(const Step& step) {
    const int hole = (kGateway + kServer) / 2;
    put("<line class=\"arrow bad\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/><line class=\"hole\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>\n", kServer, step.y, hole + 5, step.y, hole - 5, step.y,
        bar_x(step.call) + kBarWidth, step.y);
    cross(hole, step.y);
    put("<text class=\"label bad\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", (kClient + kBars * kBarStep + kServer) / 2, step.y - 6, shown(step.line->text, kLabel));
  }

  void given_up(const Step& step) {
    cross(bar_x(step.call) + kBarWidth / 2, step.y);
    put("<text class=\"label bad\" x=\"{}\" y=\"{}\">{}</text>\n", kClient + kBars * kBarStep + 2, step.y + 4, shown(step.line->text, kLabel));
  }

  void seen_at(const Step& step) {
    const auto& inputs = index_.report().inputs;
    if (step.line->source.number == 0 || step.line->source.input >= inputs.size()) return;
    const int x = lane_of(inputs[step.line->source.input].vantage);
    if (x > 0) put("<circle class=\"seen\" cx=\"{}\" cy=\"{}\" r=\"2.5\"/>\n", x, step.y);
  }

  std::string quote_of(const model::SourceRef& place) const {
    for (const std::string& id : incident_.findings) {
      const model::Finding* finding = index_.finding(id);
      if (finding == nullptr) continue;
      for (const model::Evidence& evidence : finding->evidence) {
        if (evidence.source.input == place.input && evidence.source.number == place.number && !evidence.text.empty()) return evidence.text;
      }
    }
    return {};
  }

  // Behind everything else, so that nothing is drawn over it; shown by its step's hover or focus.
  void tip(std::size_t i) {
    const Step& step = steps_[i];
    const std::string quote = step.line->source.number > 0 ? escape_terminal(shown_text(quote_of(step.line->source), options_)) : std::string();
    std::vector<std::string> lines{shown(step.line->text, kTipLine)};
    if (step.line->source.number > 0) lines.push_back(shown(index_.place(step.line->source), kTipLine));
    auto pieces = wrapped(quote, kTipLine, kTipLine);
    if (pieces.size() > 3) pieces.resize(3), pieces.back() += "…";
    for (const std::string& piece : pieces) if (!piece.empty()) lines.push_back(escape_html(piece));
    const int high = static_cast<int>(lines.size()) * 12 + 8;
    const int top = step.y + 12 + high > height_ ? std::max(0, step.y - 20 - high) : step.y + 12;
    put("<g class=\"tip t{}\" aria-hidden=\"true\"><rect x=\"20\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"4\"/>", i, top, kWidth - 22, high);
    for (std::size_t k = 0; k < lines.size(); ++k) put("<text class=\"{}\" x=\"27\" y=\"{}\">{}</text>", k == 0 ? "tip-head" : "tip-line", top + 14 + static_cast<int>(k) * 12, lines[k]);
    put("</g>\n");
  }

  const ReportIndex& index_;
  const Wording& wording_;
  const model::ReportOptions& options_;
  const model::Incident& incident_;
  std::size_t number_;
  std::vector<Step> steps_;
  std::vector<Waiting> waiting_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::size_t> call_at_;
  int height_ = 0;
  std::string out_;
};

}  // namespace

std::string draw_incident(const ReportIndex& index, const Wording& wording, const model::ReportOptions& options, const model::Incident& incident, std::size_t number) {
  if (incident.picture.empty()) return {};
  return Drawing(index, wording, options, incident, number).draw();
}

}  // namespace mcpscan::report
