#include "report/exoneration_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/layout.h"

namespace mcpscan::report {

using model::Exoneration;
using model::Party;

namespace {

std::string hop(Party party) { return std::string(model::to_string(party)); }

std::string_view claim(Party party) {
  switch (party) {
    case Party::server: return "every reply that could be checked left it under the id of its own request, on that request's own stream, and nothing speaks for a payload that is another call's";
    case Party::gateway: return "every reply that could be checked came out of it under the id of its own request, on that request's own stream, with the payload that went in";
    case Party::client: return "its requests had ids of their own, and its record shows every reply that could be checked under the call that its wire gave it to";
    case Party::network:
    case Party::unknown: break;
  }
  return "nothing speaks against it";
}

std::string scope(const Exoneration& proof, const Wording& wording) {
  std::string text = counted(proof.calls, "request");
  if (proof.tools_calls > 0) text += fmt::format(" ({} tools/call)", thousands(proof.tools_calls));
  text += " in " + counted(proof.sessions, "session");
  const std::string when = wording.period(proof.first, proof.last);
  return when.empty() ? text : text + ", " + when;
}

bool has_something_to_tell(const Exoneration::Batch& batch) { return batch.wrong > 0 || !batch.timed_out.empty() || !batch.landed_in.empty(); }

std::string time_of(const Exoneration::Batch& batch, const Wording& wording) {
  if (!batch.at.known()) return "-";
  return wording.several_days() ? wording.date(batch.at).substr(5) + ' ' + wording.clock(batch.at) : wording.clock(batch.at);
}

}  // namespace

Labelled exoneration_verdict(const Exoneration& proof, const Wording& wording) {
  const std::string where = proof.judged_at.empty() ? std::string() : " Judged at " + wording.safe(proof.judged_at) + '.';
  if (!proof.cleared) {
    return {"NOT CLEARED", fmt::format("{} does not prove the {} innocent.{}{}", proof.of_part ? "The part of this evidence that was chosen" : "This evidence", hop(proof.party), proof.calls > 0 ? " It holds " + scope(proof, wording) + "." : "", where)};
  }
  return {"CLEARED", fmt::format("On {} the {} is innocent: {}. Checked: {}.{}", proof.of_part ? "the part of this evidence that was chosen" : "this evidence", hop(proof.party), claim(proof.party), scope(proof, wording), where)};
}

std::string check_share(const Exoneration::Check& check) { return fmt::format("{} of {}", thousands(check.held), thousands(check.of)); }

std::string check_words(const Exoneration::Check& check, const Wording& wording) {
  return check.note.empty() ? check.what : fmt::format("{} ({})", check.what, wording.safe(check.note));
}

std::string exoneration_refusal(const Exoneration::Refusal& refusal, const ReportIndex& index, const Wording& wording) {
  const std::string reason = wording.safe(refusal.reason);
  if (refusal.finding.empty()) return reason;
  for (const model::Incident* incident : index.incidents()) {
    if (std::find(incident->findings.begin(), incident->findings.end(), refusal.finding) != incident->findings.end()) return fmt::format("{}: {}", reason, wording.safe_id(incident->id));
  }
  return fmt::format("{}: finding {}", reason, wording.safe_id(refusal.finding));
}

std::vector<std::string> batch_cells(const Exoneration::Batch& batch, const Wording& wording) {
  std::vector<std::string> timed_out;
  for (const std::string& call : batch.timed_out) timed_out.push_back(wording.safe(call));
  std::vector<std::string> evidence{fmt::format("{} of {} right", batch.right, batch.size)};
  if (batch.repeats_own > 0) evidence.push_back(fmt::format("{} own payload", batch.repeats_own));
  if (batch.left > 0) evidence.push_back(fmt::format("{} left", batch.left));
  if (batch.wrong > 0) evidence.push_back(fmt::format("{} wrong", batch.wrong));
  return {time_of(batch, wording),
          thousands(batch.size),
          batch.position,
          batch.mode,
          timed_out.empty() ? "-" : fmt::format("{}", fmt::join(timed_out, ", ")),
          batch.landed_in.empty() ? "-" : wording.safe(batch.landed_in),
          fmt::format("{}", fmt::join(evidence, ", "))};
}

std::vector<const Exoneration::Batch*> batches_to_show(const Exoneration& proof) {
  std::vector<const Exoneration::Batch*> list;
  for (const Exoneration::Batch& batch : proof.batches) list.push_back(&batch);
  std::stable_partition(list.begin(), list.end(), [](const Exoneration::Batch* batch) { return has_something_to_tell(*batch); });
  return list;
}

std::vector<std::string> sweep_cells(const Exoneration::SweepRow& row) {
  return {thousands(row.size), row.position, row.mode, thousands(row.batches), thousands(row.calls), thousands(row.right), thousands(row.repeats_own), thousands(row.left), thousands(row.wrong)};
}

std::string batches_heading(const Exoneration& proof) {
  const std::uint64_t all = proof.batches.size() + proof.batches_left_out;
  const std::string heading = counted(all, "batch of concurrent calls", "batches of concurrent calls");
  return proof.batches_left_out == 0 ? heading : fmt::format("{} (the first {} are kept)", heading, thousands(proof.batches.size()));
}

std::vector<std::string> how_to_read(const Exoneration& proof) {
  if (proof.batches.empty()) return {};
  return {"A batch is a run of tool calls of one session that were in flight together, or that a client with one connection sent one right after the other. "
          "A call is slow where it took twice as long as the middle one of its batch.",
          "Right: the reply came under its own id and on its own stream. Own payload: it repeats a value that no other call of the batch asked with. "
          "Left: the client gave up or hung up before the reply. Wrong: a finding that is not another hop's names the call."};
}

}  // namespace mcpscan::report
