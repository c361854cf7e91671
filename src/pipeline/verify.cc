#include "pipeline/verify.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

namespace mcpscan::pipeline {

using model::Finding;
using model::Level;

namespace {

constexpr std::int64_t kLateByUs = 200 * kMillisecond;  // a late reply must be later than a round trip and 50 ms

struct FaultEntry {
  FaultClass fault;
  std::string_view words, rule, why_not;
  bool needs_two;
};
constexpr std::array<FaultEntry, kFaultClasses> kFaults{{
    {FaultClass::swap, "two replies of different tools exchanged", "reply-mismatch", "no two calls of different tools overlap with their bodies in the evidence", true},
    {FaultClass::swap_of_one_tool, "two replies of one tool exchanged", "reply-mismatch", "no two calls of one tool overlap with their bodies in the evidence", true},
    {FaultClass::wrong_id, "a reply under an id that nobody used", "orphan-reply", "no answered tools/call", false},
    {FaultClass::id_type, "a reply whose id became a string", "id-type-drift", "no answered tools/call with a number for its id", false},
    {FaultClass::duplicate_id, "two calls in flight under one id", "duplicate-request-id", "no two calls overlap", true},
    {FaultClass::lost, "a reply that never comes", "lost-reply", "no session goes on for the client's timeout after a call", false},
    {FaultClass::late, "a reply after the client gave up", "late-reply", "no call took 200 ms", false},
    {FaultClass::wrong_channel, "a reply on another call's stream", "wrong-channel-reply", "the evidence does not tell streams, or no two calls overlap", true},
    {FaultClass::duplicate_reply, "a second, different reply", "duplicate-reply", "no answered tools/call", false},
}};

using CallKey = std::pair<std::string, std::string>;  // session, id token

bool overlap(const SurveyedCall& first, const SurveyedCall& second) {
  return first.source == second.source && first.session == second.session && second.request < first.reply;
}

// The call's answer before the other's: on whose stream it can still come.
bool may_pair(FaultClass fault, const SurveyedCall& a, const SurveyedCall& b) {
  const bool bodies = a.payload != 0 && b.payload != 0 && a.payload != b.payload;
  switch (fault) {
    case FaultClass::swap: return bodies && a.tool != b.tool;
    case FaultClass::swap_of_one_tool: return bodies && a.tool == b.tool;
    case FaultClass::wrong_channel: return a.exchange != 0 && b.exchange != 0 && a.exchange != b.exchange;
    default: return true;
  }
}

class Verifier {
 public:
  using Progress = FunctionRef<void(const std::string&, std::uint64_t)>;
  Verifier(const ScanOptions& options, const Knowledge& knowledge, const Limits& limits, std::size_t most, Progress progress)
      : options_(options), knowledge_(knowledge), limits_(limits), most_(most), progress_(progress) {}

  VerifyResult run() {
    CallSurvey survey(limits_);
    ScanResult clean = read(&survey);
    result_.problems = std::move(clean.problems);
    calls_ = survey.take();
    describe(clean.report, survey);
    for (const Finding& finding : clean.report.findings) known_.emplace(finding.id, finding.count);
    for (const FaultEntry& entry : kFaults) {
      VerifyRow row;
      row.fault = entry.words;
      row.rule = entry.rule;
      const std::vector<Seed> seeds = spread(entry.needs_two ? pairs(entry.fault) : singles(entry.fault, survey));
      if (seeds.empty()) row.why_not = entry.why_not;
      else check(entry.fault, seeds, row);
      result_.rows.push_back(std::move(row));
    }
    return std::move(result_);
  }

 private:
  ScanResult read(TimelineTap* tap) { return scan(options_, knowledge_, limits_, progress_, tap); }

  void describe(const model::Report& report, const CallSurvey& survey) {
    std::set<std::pair<std::size_t, std::uint32_t>> sessions;
    for (const SurveyedCall& call : calls_) sessions.emplace(call.source, call.session);
    result_.calls = calls_.size();
    result_.sessions = sessions.size();
    result_.calls_left_out = survey.calls_left_out();
    result_.findings = static_cast<std::uint64_t>(std::count_if(report.findings.begin(), report.findings.end(), [](const Finding& f) { return f.level > Level::informational; }));
  }

  // Neighbours in the order of requests that overlap; no call has a part in two.
  std::vector<Seed> pairs(FaultClass fault) const {
    std::vector<Seed> seeds;
    for (std::size_t i = 0; i + 1 < calls_.size(); ++i) {
      const SurveyedCall& a = calls_[i];
      const SurveyedCall& b = calls_[i + 1];
      if (!overlap(a, b) || !fits_memory(a) || !fits_memory(b) || !may_pair(fault, a, b)) continue;
      const bool first_answered_first = a.reply < b.reply || fault != FaultClass::wrong_channel;
      seeds.push_back(first_answered_first ? Seed{a, b, {}} : Seed{b, a, {}});
      ++i;
    }
    return seeds;
  }

  bool fits_memory(const SurveyedCall& call) const { return call.reply_bytes <= limits_.verify_reply_bytes; }

  std::vector<Seed> singles(FaultClass fault, const CallSurvey& survey) const {
    std::vector<Seed> seeds;
    for (const SurveyedCall& call : calls_) {
      const Time last = survey.last_of(call);
      if (fault == FaultClass::lost && (!last.known() || last.us - call.requested.us <= options_.client_timeout_us)) continue;
      if (fault == FaultClass::late && (!call.replied.known() || call.replied.us - call.requested.us < kLateByUs)) continue;
      seeds.push_back({call, {}, std::to_string(9'000'000'000'000 + static_cast<std::int64_t>(seeds.size()))});
    }
    return seeds;
  }

  // Evenly over the evidence.
  std::vector<Seed> spread(std::vector<Seed> seeds) const {
    if (seeds.size() <= most_) return seeds;
    std::vector<Seed> chosen;
    for (std::size_t i = 0; i < most_; ++i) chosen.push_back(std::move(seeds[i * seeds.size() / most_]));
    return chosen;
  }

  void check(FaultClass fault, const std::vector<Seed>& seeds, VerifyRow& row) {
    ReplyKeeper replies(seeds);
    if (fault == FaultClass::swap || fault == FaultClass::swap_of_one_tool) read(&replies);
    FaultSeeder seeder(fault, seeds, replies);
    const model::Report report = read(&seeder).report;
    std::set<CallKey> touched;
    for (const Seed& seed : seeds) {
      const std::set<CallKey> own = keys_of(seed);
      touched.insert(own.begin(), own.end());
      row.found += std::any_of(report.findings.begin(), report.findings.end(), [&](const Finding& f) { return f.rule == row.rule && concerns(f, own); });
    }
    row.seeded = seeds.size();
    for (const Finding& finding : report.findings) {
      if (finding.level == Level::informational || is_known(finding) || !strange_to(finding, touched)) continue;
      ++row.false_alarms;
      if (std::find(row.accused.begin(), row.accused.end(), finding.rule) == row.accused.end()) row.accused.push_back(finding.rule);
    }
  }

  static std::set<CallKey> keys_of(const Seed& seed) {
    std::set<CallKey> keys{{seed.call.label, seed.call.id.value}};
    if (seed.other.request != 0) keys.emplace(seed.other.label, seed.other.id.value);
    if (!seed.false_id.empty()) keys.emplace(std::string(), seed.false_id);
    return keys;
  }

  static bool concerns(const Finding& finding, const std::set<CallKey>& keys) {
    return std::any_of(finding.calls.begin(), finding.calls.end(), [&](const auto& call) {
      return keys.contains({finding.session, call.id.value}) || keys.contains({std::string(), call.id.value});  // ids that nobody used name no session
    });
  }

  // The evidence's own finding, no larger than it was.
  bool is_known(const Finding& finding) const {
    const auto found = known_.find(finding.id);
    return found != known_.end() && finding.count <= found->second;
  }

  // None of its calls was seeded; a finding without calls is the seeds' where its session has one.
  static bool strange_to(const Finding& finding, const std::set<CallKey>& touched) {
    if (!finding.calls.empty()) return !concerns(finding, touched);
    return std::none_of(touched.begin(), touched.end(), [&](const CallKey& key) { return key.first == finding.session; });
  }

  const ScanOptions& options_;
  const Knowledge& knowledge_;
  const Limits& limits_;
  std::size_t most_;
  Progress progress_;
  std::vector<SurveyedCall> calls_;
  std::map<std::string, std::uint64_t> known_;  // findings of the evidence itself: id, count
  VerifyResult result_;
};

}  // namespace

VerifyResult verify(const ScanOptions& options, const Knowledge& knowledge, const Limits& limits, std::size_t most, FunctionRef<void(const std::string&, std::uint64_t)> progress) {
  return Verifier(options, knowledge, limits, most, progress).run();
}

}  // namespace mcpscan::pipeline
