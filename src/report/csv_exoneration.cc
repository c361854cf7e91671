#include "report/csv_exoneration.h"

#include <array>

#include "report/escape.h"

namespace mcpscan::report {

using model::Exoneration;

namespace {

enum Column : std::size_t { kRecord, kWhat, kTime, kSession, kSlowCall, kConnections, kTimedOut, kLandedIn, kBatches, kCalls, kRight, kOwnPayload, kLeft, kWrong, kPlace, kDetail, kColumns };
constexpr std::array<std::string_view, kColumns> kTitles{"record", "what", "time", "session", "slow_call", "connections", "reported_timed_out", "payload_landed_in", "batches",
                                                         "calls", "right", "own_payload", "left", "wrong", "place", "detail"};
using Row = std::array<std::string, kColumns>;

class ProofTable {
 public:
  ProofTable(const ReportIndex& index, const model::ReportOptions& options) : index_(index), options_(options) {}

  std::string write(const Exoneration& proof) {
    append_csv_row(out_, kTitles);
    verdict(proof);
    for (const auto& refusal : proof.refusals) told("refusal", text(refusal.reason), shown_id(refusal.finding, options_));
    for (const auto& check : proof.checks) write(check);
    for (const std::string& limit : proof.limits) told("limit", text(limit), {});
    for (const auto& batch : proof.batches) write(batch);
    if (proof.batches_left_out > 0) told("left-out", std::to_string(proof.batches_left_out), "batches beyond the bound");
    for (const auto& row : proof.sweep) write(row);
    for (const model::InputRow& input : index_.report().inputs) told("input", text(input.path), shown_id(input.sha256, options_));
    return std::move(out_);
  }

 private:
  std::string text(std::string_view raw) const { return shown_text(raw, options_); }

  void line(const Row& row) { append_csv_row(out_, row); }

  void told(std::string_view record, std::string what, std::string detail) {
    Row row;
    row[kRecord] = record;
    row[kWhat] = std::move(what);
    row[kDetail] = std::move(detail);
    line(row);
  }

  void verdict(const Exoneration& proof) {
    Row row;
    row[kRecord] = proof.cleared ? "cleared" : "not-cleared";
    row[kWhat] = model::to_string(proof.party);
    if (proof.first.known()) row[kTime] = format_rfc3339(proof.first);
    row[kCalls] = std::to_string(proof.calls);
    row[kPlace] = text(proof.judged_at);
    line(row);
  }

  void write(const Exoneration::Check& check) {
    Row row;
    row[kRecord] = "check";
    row[kWhat] = text(check.what);
    row[kCalls] = std::to_string(check.of);
    row[kRight] = std::to_string(check.held);
    row[kDetail] = text(check.note);
    line(row);
  }

  void write(const Exoneration::Batch& batch) {
    Row row;
    row[kRecord] = "batch";
    if (batch.at.known()) row[kTime] = format_rfc3339(batch.at);
    row[kSession] = shown_id(batch.session, options_);
    row[kSlowCall] = batch.position;
    row[kConnections] = batch.mode;
    for (const std::string& call : batch.timed_out) row[kTimedOut] += (row[kTimedOut].empty() ? "" : "; ") + text(call);
    row[kLandedIn] = text(batch.landed_in);
    row[kBatches] = "1";
    row[kPlace] = text(index_.place(batch.source));
    counts(row, batch.size, batch.right, batch.repeats_own, batch.left, batch.wrong);
  }

  void write(const Exoneration::SweepRow& sweep) {
    Row row;
    row[kRecord] = "batches";
    row[kWhat] = "of " + std::to_string(sweep.size);
    row[kSlowCall] = sweep.position;
    row[kConnections] = sweep.mode;
    row[kBatches] = std::to_string(sweep.batches);
    counts(row, sweep.calls, sweep.right, sweep.repeats_own, sweep.left, sweep.wrong);
  }

  void counts(Row& row, std::uint64_t calls, std::uint64_t right, std::uint64_t own, std::uint64_t left, std::uint64_t wrong) {
    row[kCalls] = std::to_string(calls);
    row[kRight] = std::to_string(right);
    row[kOwnPayload] = std::to_string(own);
    row[kLeft] = std::to_string(left);
    row[kWrong] = std::to_string(wrong);
    line(row);
  }

  const ReportIndex& index_;
  const model::ReportOptions& options_;
  std::string out_;
};

}  // namespace

std::string csv_exoneration(const ReportIndex& index, const Exoneration& proof, const model::ReportOptions& options) { return ProofTable(index, options).write(proof); }

}  // namespace mcpscan::report
