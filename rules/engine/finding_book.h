// FindingBook: drafts of equal identity become one finding. A finding's id is a digest of what it is (rule, detail, session,
// requestor, discriminator), never of a path, line, time or count, so that it survives rotation, reruns and more evidence.
// Bounded: Limits::findings findings, report_calls calls and report_evidence places each, report_places of both in all; the rest is counted.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/function_ref.h"
#include "base/limits.h"
#include "engine/rule.h"
#include "model/detector.h"

namespace mcpscan::engine {

struct BookedFinding {
  model::Finding finding;
  const Rule* rule = nullptr;
  std::string cause_rule, cause_id, cause_session;
  std::string discriminator;             // of its id, as is who asked
  model::Direction requestor = model::Direction::unknown;
  bool detail_is_note = false;
  std::vector<model::StoryLine> picture;
  std::size_t first_lines = 0;           // of them those of the first occurrence
  std::vector<std::uint32_t> hops;       // for each of finding.calls the hop that showed it
  std::set<std::pair<std::size_t, std::uint32_t>> relayed;  // calls, by their place, that another hop showed too
  std::vector<std::pair<std::size_t, model::FindingCall>> relayed_calls;  // the same places, and how that hop showed the call
  std::set<std::uint32_t> seen_at;       // all hops that showed it; 0: one that was not told
  std::vector<std::pair<std::uint32_t, Time>> moments;      // hop and time of what names no call, and was not shown by another hop; kMoments
  std::vector<Time> stated;              // when, one for each occurrence that names neither session nor call; kMoments
  std::map<std::int64_t, std::uint64_t> quarters;  // occurrences by quarter of an hour since 1970, or model::kNoQuarter; FindingBook::kQuarters
};

class FindingBook {
 public:
  static constexpr std::size_t kMoments = 1024;
  static constexpr std::size_t kQuarters = 3072;  // quarters of an hour a finding is counted by; 32 days

  explicit FindingBook(const Limits& limits) : limits_(limits) {}

  // `hop`: which of the servers that know the session had the call, a proxy and what is behind it; 0: not told. The same call at both
  // hops is one, with both places; so is what names no call.
  void add(const Rule& rule, model::FindingDraft draft, std::uint32_t hop = 0);
  // Drops the findings of which `is_void` is true.
  void drop(FunctionRef<bool(const BookedFinding&)> is_void);
  // The same traffic seen at another vantage point: equal findings are one, with the larger count and both places.
  void merge(FindingBook&& other);
  // The findings of these sessions are those of others: what the same session is called elsewhere.
  void rename_sessions(const std::map<std::string, std::string>& names);
  // The finding of that rule which names no session is one of `session`: another input shows which it is about. Null: there is none.
  BookedFinding* give_session(std::string_view rule, const std::string& session);
  // In order of first appearance.
  std::vector<BookedFinding>& findings() { return findings_; }
  const std::vector<BookedFinding>& findings() const { return findings_; }
  std::uint64_t left_out() const { return left_out_; }

 private:
  void take(BookedFinding&& theirs);
  BookedFinding* entry(const Rule& rule, const model::FindingDraft& draft);
  void absorb(BookedFinding& into, model::FindingDraft& draft, std::uint32_t hop);
  static bool is_relayed_moment(BookedFinding& into, const model::FindingDraft& draft, std::uint32_t hop);
  static bool is_relayed(BookedFinding& into, const model::FindingDraft& draft, std::uint32_t hop);
  void add_evidence(model::Finding& finding, std::vector<model::Evidence>& evidence);
  static void count_by_time(BookedFinding& into, const model::FindingDraft& draft);
  // How many of a finding's `most` places may be listed, now that so many are.
  std::size_t room_for(std::size_t most) const { return places_ < limits_.report_places ? most : std::min(most, kFewPlaces); }
  void join(model::Finding& mine, const model::Finding& theirs) const;

  static constexpr std::size_t kFewPlaces = 3;  // of a finding, once the book as a whole lists enough

  const Limits& limits_;
  std::size_t places_ = 0;  // calls and places listed in all
  std::vector<BookedFinding> findings_;
  std::map<std::string, std::size_t> by_id_;
  std::uint64_t left_out_ = 0;
};

// The finding's id for this identity.
std::string finding_id(std::string_view rule, std::string_view detail, std::string_view session, model::Direction requestor, std::string_view discriminator);

}  // namespace mcpscan::engine
