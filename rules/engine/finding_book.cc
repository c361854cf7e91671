#include "engine/finding_book.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <tuple>

#include "base/hash.h"
#include "model/run_record.h"

namespace mcpscan::engine {

using model::Certainty;
using model::Evidence;
using model::Finding;
using model::FindingDraft;

namespace {

constexpr std::size_t kPictureLines = 12;
constexpr std::int64_t kRelayUs = 100 * kMillisecond;

// A session is the same however its id is spelled.
std::string plain_session(std::string_view session) {
  std::string plain;
  for (const char c : session) {
    if (c != '-') plain += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  }
  return plain;
}

void stretch(Finding& finding, Time at) {
  if (!at.known()) return;
  if (!finding.first.known() || at < finding.first) finding.first = at;
  if (!finding.last.known() || at > finding.last) finding.last = at;
}

Time moment_of(const model::FindingCall& call) { return call.requested_at.known() ? call.requested_at : call.replied_at; }

bool same_place(const Evidence& a, const Evidence& b) {
  return std::tie(a.source.input, a.source.number, a.source.offset) == std::tie(b.source.input, b.source.number, b.source.offset);
}

}  // namespace

std::string finding_id(std::string_view rule, std::string_view detail, std::string_view session, model::Direction requestor, std::string_view discriminator) {
  const std::string what = fmt::format("{}\x1f{}\x1f{}\x1f{}\x1f{}", rule, detail, plain_session(session), static_cast<int>(requestor), discriminator);
  return fmt::format("{:016x}", hash_bytes(what));
}

BookedFinding* FindingBook::entry(const Rule& rule, const FindingDraft& draft) {
  std::string id = finding_id(rule.id, draft.detail_is_note ? std::string_view() : std::string_view(draft.detail), draft.session, draft.requestor, draft.discriminator);
  const auto found = by_id_.find(id);
  if (found != by_id_.end()) return &findings_[found->second];
  if (findings_.size() >= limits_.findings) {
    ++left_out_;
    return nullptr;
  }
  by_id_.emplace(id, findings_.size());
  BookedFinding& booked = findings_.emplace_back();
  booked.rule = &rule;
  booked.finding.id = std::move(id);
  booked.finding.rule = rule.id;
  booked.finding.level = draft.level.value_or(rule.level);
  booked.finding.session = draft.session;
  booked.finding.detail = draft.detail;
  booked.finding.fault = draft.fault;
  booked.discriminator = draft.discriminator;
  booked.requestor = draft.requestor;
  booked.detail_is_note = draft.detail_is_note;
  return &booked;
}

void FindingBook::add(const Rule& rule, FindingDraft draft, std::uint32_t hop) {
  BookedFinding* const booked = entry(rule, draft);
  if (!booked) return;
  booked->seen_at.insert(hop);
  absorb(*booked, draft, hop);
}

// A proxy sends a call on at once, with the id it has, and so the reply.
bool FindingBook::is_relayed(BookedFinding& into, const FindingDraft& draft, std::uint32_t hop) {
  const bool names_call = draft.call && draft.call->id.view().present();
  if (hop != 0 && !names_call) return is_relayed_moment(into, draft, hop);
  if (hop == 0 || draft.count > 1 || !moment_of(*draft.call).known()) return false;
  for (std::size_t i = 0; i < into.hops.size(); ++i) {
    const model::FindingCall& call = into.finding.calls[i];
    if (into.hops[i] == 0 || into.hops[i] == hop || !moment_of(call).known() || std::abs(moment_of(call).us - moment_of(*draft.call).us) > kRelayUs) continue;
    if (call.id.view() != draft.call->id.view() || call.method != draft.call->method || call.tool != draft.call->tool) continue;
    if (!into.relayed.emplace(i, hop).second) continue;
    into.relayed_calls.emplace_back(i, *draft.call);
    return true;
  }
  return false;
}

bool FindingBook::is_relayed_moment(BookedFinding& into, const FindingDraft& draft, std::uint32_t hop) {
  if (!draft.at.known()) return false;
  const auto other = std::find_if(into.moments.begin(), into.moments.end(), [&](const auto& moment) { return moment.first != hop && std::abs(moment.second.us - draft.at.us) <= kRelayUs; });
  if (other != into.moments.end()) return into.moments.erase(other), true;
  if (into.moments.size() < kMoments) into.moments.emplace_back(hop, draft.at);
  return false;
}

void FindingBook::absorb(BookedFinding& into, FindingDraft& draft, std::uint32_t hop) {
  Finding& finding = into.finding;
  if (is_relayed(into, draft, hop)) {
    stretch(finding, draft.at);
    return add_evidence(finding, draft.evidence);
  }
  finding.level = std::max(finding.level, draft.level.value_or(into.rule->level));
  finding.count += draft.count;
  if (draft.session.empty() && !draft.call && into.stated.size() < kMoments) into.stated.push_back(draft.at);
  if (draft.detail_is_note && !draft.detail.empty()) finding.detail = draft.detail;
  if (draft.fault.certainty > finding.fault.certainty) finding.fault = draft.fault;
  stretch(finding, draft.at);
  count_by_time(into, draft);
  if (draft.call) {
    if (finding.calls.size() < room_for(limits_.report_calls)) {
      ++places_;
      finding.calls.push_back(std::move(*draft.call));
      into.hops.push_back(hop);
    } else {
      ++finding.calls_left_out;
    }
  }
  add_evidence(finding, draft.evidence);
  if (!draft.tally_key.empty()) finding.tally[draft.tally_key] += draft.count;
  if (into.cause_rule.empty()) into.cause_rule = draft.cause_rule, into.cause_id = draft.cause_id, into.cause_session = draft.cause_session;
  if (into.picture.empty()) into.first_lines = std::min(draft.picture.size(), kPictureLines);
  for (model::StoryLine& line : draft.picture) {
    if (into.picture.size() < kPictureLines) into.picture.push_back(std::move(line));
  }
}

void FindingBook::add_evidence(Finding& finding, std::vector<Evidence>& evidence_of_draft) {
  for (Evidence& evidence : evidence_of_draft) {
    const bool known = !finding.evidence.empty() && same_place(finding.evidence.back(), evidence);
    if (known) continue;
    if (finding.evidence.size() < room_for(limits_.report_evidence)) {
      ++places_;
      finding.evidence.push_back(std::move(evidence));
    } else {
      ++finding.evidence_left_out;
    }
  }
}

// What tells no time happened about when its call did. Beyond the bound the last quarter counts for all that follow.
void FindingBook::count_by_time(BookedFinding& into, const FindingDraft& draft) {
  const Time at = draft.at.known() || !draft.call ? draft.at : moment_of(*draft.call);
  const std::int64_t quarter = model::quarter_or_none(at);
  const bool room = into.quarters.size() < kQuarters || into.quarters.contains(quarter);
  into.quarters[room ? quarter : into.quarters.rbegin()->first] += draft.count;
}

void FindingBook::drop(FunctionRef<bool(const BookedFinding&)> is_void) {
  std::erase_if(findings_, [&](const BookedFinding& booked) { return is_void(booked); });
  by_id_.clear();
  for (std::size_t i = 0; i < findings_.size(); ++i) by_id_.emplace(findings_[i].finding.id, i);
}

void FindingBook::take(BookedFinding&& theirs) {
  const auto found = by_id_.find(theirs.finding.id);
  if (found != by_id_.end()) return join(findings_[found->second].finding, theirs.finding);
  if (findings_.size() >= limits_.findings) return void(++left_out_);
  by_id_.emplace(theirs.finding.id, findings_.size());
  findings_.push_back(std::move(theirs));
}

void FindingBook::merge(FindingBook&& other) {
  left_out_ += other.left_out_;
  places_ += other.places_;
  if (findings_.empty()) findings_.reserve(other.findings_.size());
  for (BookedFinding& theirs : other.findings_) take(std::move(theirs));
}

void FindingBook::rename_sessions(const std::map<std::string, std::string>& names) {
  std::vector<BookedFinding> all;
  all.swap(findings_);
  findings_.reserve(all.size());
  by_id_.clear();
  for (BookedFinding& booked : all) {
    model::Finding& finding = booked.finding;
    if (const auto name = names.find(finding.session); name != names.end()) {
      finding.session = name->second;
      finding.id = finding_id(finding.rule, booked.detail_is_note ? std::string_view() : std::string_view(finding.detail), finding.session, booked.requestor, booked.discriminator);
    }
    take(std::move(booked));
  }
}

BookedFinding* FindingBook::give_session(std::string_view rule, const std::string& session) {
  for (std::size_t i = 0; i < findings_.size(); ++i) {
    model::Finding& finding = findings_[i].finding;
    if (finding.rule != rule || !finding.session.empty()) continue;
    const std::string id = finding_id(rule, finding.detail, session, model::Direction::unknown, {});
    const bool plain = finding.id == finding_id(rule, finding.detail, {}, model::Direction::unknown, {});
    if (!plain || by_id_.contains(id)) continue;
    by_id_.erase(finding.id);
    by_id_.emplace(id, i);
    finding.id = id;
    finding.session = session;
    return &findings_[i];
  }
  return nullptr;
}

void FindingBook::join(Finding& mine, const Finding& theirs) const {
  mine.count = std::max(mine.count, theirs.count);
  mine.level = std::max(mine.level, theirs.level);
  if (theirs.fault.certainty > mine.fault.certainty) mine.fault = theirs.fault;
  stretch(mine, theirs.first);
  stretch(mine, theirs.last);
  const std::size_t room = limits_.report_evidence - std::min(limits_.report_evidence, mine.evidence.size());
  const std::size_t taken = std::min(room, theirs.evidence.size());
  mine.evidence.insert(mine.evidence.end(), theirs.evidence.begin(), theirs.evidence.begin() + static_cast<std::ptrdiff_t>(taken));
  mine.evidence_left_out += theirs.evidence_left_out + theirs.evidence.size() - taken;
  for (const auto& [key, count] : theirs.tally) mine.tally[key] = std::max(mine.tally[key], count);
  if (mine.calls.size() + mine.calls_left_out >= theirs.calls.size() + theirs.calls_left_out) return;
  mine.calls = theirs.calls;
  mine.calls_left_out = theirs.calls_left_out;
}

}  // namespace mcpscan::engine
