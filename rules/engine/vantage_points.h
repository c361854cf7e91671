// The vantage points of one path as the judges of hops see them: the records behind the calls that findings name, which record is which at
// the next point, and which of them the findings of a point accuse of what.
// Ownership: the path owns books, ledgers and alignments. Threads: one. Bound: that of the ledgers.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "engine/first_divergence.h"

namespace mcpscan::engine {

constexpr std::uint32_t kAlone = session::Alignment::kAlone;

// The record behind a call that a finding names: session, id and time say which.
class RecordIndex {
 public:
  explicit RecordIndex(const session::CallLedger& ledger);
  std::uint32_t find(const model::Finding& finding, const model::FindingCall& call) const;

 private:
  std::unordered_map<std::uint64_t, std::uint32_t> by_call_;
};

// A vantage point with what its findings say of which record.
struct VantagePoint {
  explicit VantagePoint(Witness& w);

  bool accuses(const std::string& rule, std::uint32_t record) const;
  const session::CallRecord& record(std::uint32_t i) const { return witness.ledger->records()[i]; }
  // Of a book that several points share: whether the finding was made here. What names no call is known by its hop.
  bool shows(const BookedFinding& booked) const;
  // The last call of that id in that session.
  std::uint32_t newest(const std::string& session, const model::FindingCall& call) const;
  bool complete() const { return !witness.ledger->saw_gap() && witness.ledger->left_out() == 0; }

  Witness& witness;
  RecordIndex index;
  std::unordered_map<std::string, std::unordered_set<std::uint32_t>> accused;
  std::unordered_set<std::uint32_t> hops;  // of its calls
  std::unordered_map<std::uint32_t, std::string> lost_as;  // the finding, if not the session, under which a call is told as lost

 private:
  void accuse(const BookedFinding& booked, std::uint32_t record);
};

class VantagePoints {
 public:
  explicit VantagePoints(VantagePath& path);

  std::size_t size() const { return points_.size(); }
  VantagePoint& operator[](std::size_t at) { return points_[at]; }
  const VantagePoint& operator[](std::size_t at) const { return points_[at]; }
  // One whose place is not known lies neither inside nor outside of another: it confirms, and tells no hop.
  bool is_placed(std::size_t at) const { return points_[at].witness.vantage != model::Vantage::unknown; }
  const session::Alignment& alignment(std::size_t outer, std::size_t inner) const { return path_.to_inner[outer][inner - outer - 1]; }
  std::uint32_t outer_record(std::size_t outer, std::size_t at, std::uint32_t inner) const;
  // The inner point was not looked at when this call was made: by its clock, before its evidence or behind it.
  bool is_uncovered(std::size_t outer, std::uint32_t record, std::size_t inner) const;

 private:
  VantagePath& path_;
  std::vector<VantagePoint> points_;
};

// What tells findings of lost calls apart, besides their session.
std::string loss_of(const BookedFinding& booked);

// Leaves a fault that names a party where the new one names none; nothing is proven by an incomplete witness.
void set_fault(BookedFinding& booked, model::Fault fault, bool complete);

}  // namespace mcpscan::engine
