#include "engine/vantage_points.h"

#include <algorithm>

#include "engine/accused_calls.h"
#include "session/session_table.h"

namespace mcpscan::engine {

using model::Finding;
using model::FindingCall;
using session::CallLedger;
using session::CallRecord;

RecordIndex::RecordIndex(const CallLedger& ledger) {
  for (std::uint32_t i = 0; i < ledger.records().size(); ++i) {
    const CallRecord& record = ledger.records()[i];
    by_call_.emplace(call_key(ledger.session(record), record.id_type, record.id, record.requested), i);
  }
}

std::uint32_t RecordIndex::find(const Finding& finding, const FindingCall& call) const {
  const auto found = by_call_.find(call_key(finding.session, call.id.type, call.id.value, call.requested_at));
  return found == by_call_.end() ? kAlone : found->second;
}

VantagePoint::VantagePoint(Witness& w) : witness(w), index(*w.ledger) {
  for (const BookedFinding& booked : w.book->findings()) {
    if (booked.finding.level == model::Level::informational) continue;
    for (const FindingCall& call : booked.finding.calls) accuse(booked, index.find(booked.finding, call));
    for (const auto& [place, call] : booked.relayed_calls) accuse(booked, index.find(booked.finding, call));
  }
  for (const CallRecord& record : w.ledger->records()) hops.insert(record.hop);
}

std::string loss_of(const BookedFinding& booked) { return booked.finding.detail + '\x1f' + booked.discriminator; }

bool VantagePoint::accuses(const std::string& rule, std::uint32_t record) const {
  const auto found = accused.find(rule);
  return found != accused.end() && found->second.contains(record);
}

void VantagePoint::accuse(const BookedFinding& booked, std::uint32_t record) {
  if (record == kAlone) return;
  accused[booked.finding.rule].insert(record);
  if (booked.finding.rule == "lost-reply") lost_as.emplace(record, loss_of(booked));
}

bool VantagePoint::shows(const BookedFinding& booked) const {
  const Finding& finding = booked.finding;
  const bool own = std::any_of(finding.calls.begin(), finding.calls.end(), [&](const FindingCall& call) { return index.find(finding, call) != kAlone; });
  const bool passed = std::any_of(booked.relayed_calls.begin(), booked.relayed_calls.end(), [&](const auto& relayed) { return index.find(finding, relayed.second) != kAlone; });
  if (own || passed) return true;
  if (std::any_of(finding.calls.begin(), finding.calls.end(), [](const FindingCall& call) { return call.id.view().present(); })) return false;
  return std::any_of(booked.seen_at.begin(), booked.seen_at.end(), [&](std::uint32_t hop) { return hops.contains(hop); });
}

std::uint32_t VantagePoint::newest(const std::string& session, const FindingCall& call) const {
  const CallLedger& ledger = *witness.ledger;
  const std::string name = session::normalise_session_id(session);
  for (auto i = static_cast<std::uint32_t>(ledger.records().size()); i-- > 0;) {
    const CallRecord& record = ledger.records()[i];
    if (record.id_type == call.id.type && record.id == call.id.value && session::normalise_session_id(ledger.session(record)) == name) return i;
  }
  return kAlone;
}

VantagePoints::VantagePoints(VantagePath& path) : path_(path) {
  points_.reserve(path.points.size());
  for (Witness& witness : path.points) points_.emplace_back(witness);
}

bool VantagePoints::is_uncovered(std::size_t outer, std::uint32_t record, std::size_t inner) const {
  const session::Alignment& joined = alignment(outer, inner);
  const Witness& there = points_[inner].witness;
  const Time asked = points_[outer].record(record).requested;
  if (joined.partner[record] != kAlone || !joined.clock_known || !asked.known() || !there.first.known() || !there.last.known()) return false;
  const std::int64_t by_its_clock = asked.us + joined.offset_us, slack = joined.spread_us + kSecond;
  return by_its_clock < there.first.us - slack || by_its_clock > there.last.us + slack;
}

std::uint32_t VantagePoints::outer_record(std::size_t outer, std::size_t at, std::uint32_t inner) const {
  const std::vector<std::uint32_t>& partners = alignment(outer, at).partner;
  const auto found = std::find(partners.begin(), partners.end(), inner);
  return found == partners.end() ? kAlone : static_cast<std::uint32_t>(found - partners.begin());
}

void set_fault(BookedFinding& booked, model::Fault fault, bool complete) {
  model::Fault& told = booked.finding.fault;
  if (fault.party == model::Party::unknown && told.party != model::Party::unknown) {
    // It was named by one point alone; by what both show, others may have done it as well.
    const auto named = std::find(fault.contributing.begin(), fault.contributing.end(), model::to_string(told.party));
    if (named == fault.contributing.end() || told.certainty != model::Certainty::strong) return;
    fault.contributing.erase(named);
    told.certainty = model::Certainty::weak;
    told.contributing = std::move(fault.contributing);
    told.reason = std::move(fault.reason);
    return;
  }
  if (!complete && fault.certainty == model::Certainty::proven) fault.certainty = model::Certainty::strong;
  booked.finding.fault = std::move(fault);
}

}  // namespace mcpscan::engine
