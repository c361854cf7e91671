#include "pipeline/proxy_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "pipeline/report_assembly.h"

namespace mcpscan::pipeline {
namespace {

using engine::BookedFinding;
using model::CloseReason;
using model::Finding;

constexpr std::string_view kGivenUp = "gateway-timeout", kEnded = "backend-exit", kLost = "lost-reply";
constexpr std::int64_t kSameUs = 2 * kSecond;  // error logs write whole seconds

// One request as another input shows it: `of` is the finding that it is part of.
struct Shown {
  Time at;
  BookedFinding* of = nullptr;
  bool lost = false;   // its response began, and ended without the reply
  bool taken = false;
};

bool is_statement(const BookedFinding& booked) {
  const Finding& finding = booked.finding;
  const bool known = finding.rule == kGivenUp || finding.rule == kEnded;
  return known && finding.session.empty() && finding.calls.empty() && booked.stated.size() == finding.count;
}

// Findings by what names a call of theirs.
class CallsOf {
 public:
  explicit CallsOf(engine::FindingBook& book) {
    for (BookedFinding& booked : book.findings()) {
      const Finding& finding = booked.finding;
      if (finding.rule != kLost && finding.rule != kGivenUp) continue;
      for (const model::FindingCall& call : finding.calls) found_.emplace(Key{finding.rule, finding.session, call.requested_at.us, call.id.value}, &booked);
    }
  }

  BookedFinding* find(std::string_view rule, std::string_view session, const session::CallRecord& record) const {
    const auto found = found_.find({rule, session, record.requested.us, record.id});
    return found == found_.end() ? nullptr : found->second;
  }

 private:
  using Key = std::tuple<std::string_view, std::string_view, std::int64_t, std::string_view>;
  std::map<Key, BookedFinding*> found_;
};

// In order of time.
std::vector<Shown> shown_by(const std::vector<std::unique_ptr<Source>>& sources, const Source& but) {
  std::vector<Shown> all;
  for (const auto& source : sources) {
    if (source.get() == &but) continue;
    engine::FindingBook& book = source->engine.book();
    const CallsOf calls(book);
    for (const session::CallRecord& record : source->ledger.records()) {
      const bool lost = record.closed == CloseReason::stream_closed || record.closed == CloseReason::connection_reset;
      if (!record.on_wire || !record.ended.known() || (!lost && record.closed != CloseReason::refused)) continue;
      BookedFinding* const of = calls.find(lost ? kLost : kGivenUp, source->ledger.session(record), record);
      if (of) all.push_back({record.ended, of, lost});
    }
    for (BookedFinding& booked : book.findings()) {  // an access log tells of exchanges
      if (source->wire || booked.finding.rule != kGivenUp || is_statement(booked)) continue;
      for (const auto& [hop, at] : booked.moments) all.push_back({at, &booked});
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const Shown& a, const Shown& b) { return a.at < b.at; });
  return all;
}

// The first that nobody spoke of in [from, to); null where there is none, or they are of several findings.
Shown* one_between(std::int64_t from, std::int64_t to, bool lost_only, std::vector<Shown>& all, bool& any) {
  Shown* first = nullptr;
  for (auto each = std::lower_bound(all.begin(), all.end(), from, [](const Shown& a, std::int64_t us) { return a.at.us < us; }); each != all.end() && each->at.us < to; ++each) {
    if (each->taken || (lost_only && !each->lost)) continue;
    any = true;
    if (first && first->of != each->of) return nullptr;
    if (!first) first = &*each;
  }
  return first;
}

// The request that was over when the words were written, in that second or near it.
Shown* request_of(Time at, bool ended_by_server, std::vector<Shown>& all) {
  bool any = false;
  if (!at.known()) return nullptr;
  Shown* const within = one_between(at.us, at.us + kSecond, ended_by_server, all, any);
  return any ? within : one_between(at.us - kSameUs, at.us + kSameUs + 1, ended_by_server, all, any);
}

// How many calls of a finding each side is said to have ended.
struct Word {
  std::uint64_t by_gateway = 0, by_server = 0;
};

std::string said(const Word& word) {
  const std::string gave_up = fmt::format("of {} that it gave up", word.by_gateway), ended = fmt::format("of {} that the server ended it", word.by_server);
  return word.by_server == 0 ? gave_up : word.by_gateway == 0 ? ended : gave_up + ", " + ended;
}

// Only what nobody is named for with more than a guess, and only where the words tell of every call of it. A wire before the proxy takes that for
// the server, and names it for certain.
void attribute(Finding& finding, const Word& word) {
  const bool all = word.by_gateway + word.by_server == finding.count;
  const bool mistaken = all && word.by_server == 0 && finding.fault.party == model::Party::server && finding.fault.certainty == model::Certainty::strong;
  if (finding.fault.certainty > model::Certainty::weak && !mistaken) return;
  if (all && word.by_server == 0) finding.fault = {model::Party::gateway, model::Certainty::weak, {}, "its own log says that it gave up on the server: its limit was over before the reply came"};
  else if (all && word.by_gateway == 0) finding.fault = {model::Party::server, model::Certainty::strong, {}, "the proxy's own log says that the server ended the response before its reply was out"};
  else if (finding.fault.certainty == model::Certainty::undetermined) finding.fault.reason = fmt::format("the response came through a proxy and ended without the reply; the proxy's own log says {}", said(word));
}

void take_place(const model::Evidence& place, Finding& to, const Limits& limits) {
  if (to.evidence.size() < limits.report_evidence) to.evidence.push_back(place);
  else ++to.evidence_left_out;
}

// The occurrences that another input shows go; true when none is left.
bool lay_beside(BookedFinding& statement, std::vector<Shown>& all, std::map<BookedFinding*, Word>& words, const Limits& limits) {
  Finding& finding = statement.finding;
  const bool by_server = finding.rule == kEnded, each_has_place = finding.evidence.size() == statement.stated.size();
  std::vector<model::Evidence> left;
  std::vector<Time> times;
  for (std::size_t i = 0; i < statement.stated.size(); ++i) {
    Shown* const request = request_of(statement.stated[i], by_server, all);
    if (request) {
      request->taken = true;
      if (request->lost) ++(by_server ? words[request->of].by_server : words[request->of].by_gateway);
      if (each_has_place) take_place(finding.evidence[i], request->of->finding, limits);
      continue;
    }
    times.push_back(statement.stated[i]);
    if (each_has_place) left.push_back(std::move(finding.evidence[i]));
  }
  if (times.empty()) return true;
  finding.count = times.size();
  finding.first = *std::min_element(times.begin(), times.end());
  finding.last = *std::max_element(times.begin(), times.end());
  if (each_has_place) finding.evidence = std::move(left);
  statement.stated = std::move(times);
  return false;
}

}  // namespace

void lay_proxy_words_beside(const std::vector<std::unique_ptr<Source>>& sources, const Limits& limits) {
  for (const auto& source : sources) {
    const auto& findings = source->engine.book().findings();
    if (source->wire || std::none_of(findings.begin(), findings.end(), is_statement)) continue;
    std::vector<Shown> all = shown_by(sources, *source);
    if (all.empty()) continue;
    std::map<BookedFinding*, Word> words;
    std::vector<std::string> gone;
    for (BookedFinding& booked : source->engine.book().findings()) {
      if (is_statement(booked) && lay_beside(booked, all, words, limits)) gone.push_back(booked.finding.id);
    }
    for (auto& [booked, word] : words) attribute(booked->finding, word);
    source->engine.book().drop([&](const BookedFinding& booked) { return std::find(gone.begin(), gone.end(), booked.finding.id) != gone.end(); });
  }
}

}  // namespace mcpscan::pipeline
