// AccusedCalls: the calls that findings name, found by session, id and time.
// Owns copies of what it compares. Threads: one. Bound: the calls that findings list.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>

#include "base/hash.h"
#include "model/finding.h"
#include "session/call_ledger.h"
#include "session/session_table.h"

namespace mcpscan::engine {

// What tells one call from another across findings and ledgers.
inline std::uint64_t call_key(const std::string& session, model::IdType type, const std::string& id, Time requested) {
  const std::uint64_t what = hash_bytes(id, static_cast<std::uint64_t>(type));
  return hash_combine(hash_combine(hash_bytes(session::normalise_session_id(session)), what), static_cast<std::uint64_t>(requested.us));
}

class AccusedCalls {
 public:
  void add(const model::Finding& finding) {
    for (const model::FindingCall& call : finding.calls) keys_.insert(call_key(finding.session, call.id.type, call.id.value, call.requested_at));
  }
  bool names(const std::string& session, const session::CallRecord& record) const { return keys_.contains(call_key(session, record.id_type, record.id, record.requested)); }

 private:
  std::unordered_set<std::uint64_t> keys_;
};

}  // namespace mcpscan::engine
