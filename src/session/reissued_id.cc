#include "session/reissued_id.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "session/argument_echo.h"

namespace mcpscan::session {

using model::Call;
using model::CloseReason;

namespace {

constexpr std::int64_t kPatienceUs = 15 * kMinute;  // after which nothing comes any more for a call that was given up

bool is_given_up(const Call& call) {
  return call.closed == CloseReason::timed_out || call.closed == CloseReason::cancelled || call.closed == CloseReason::client_closed || call.closed == CloseReason::restarted;
}

bool may_still_be_answered(const Call& earlier, const Call& later) {
  const bool same_id = earlier.session == later.session && earlier.number < later.number && earlier.id.type == later.id.type;
  const bool timed = earlier.closed_at.known() && later.requested_at.known();
  return same_id && is_given_up(earlier) && earlier.replies == 0 && (!timed || later.requested_at.us - earlier.closed_at.us <= kPatienceUs);
}

std::vector<std::string> tokens_of(std::string_view asked) {
  std::vector<std::string> tokens;
  argument_tokens(asked, tokens);
  return tokens;
}

bool has_digit(const std::string& token) {
  return std::any_of(token.begin(), token.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// All that the earlier call asked and nothing that the later one did. Another tool's reply may hold a common word by chance, and what is asked for
// nothing in particular may be answered with anything.
bool speaks_of(const Call& earlier, const Call& later, std::string_view payload, const CallTable& calls) {
  const std::vector<std::string> first = tokens_of(calls.asked(earlier)), second = tokens_of(calls.asked(later));
  if (first.empty() || second.empty() || any_stands_in(second, payload)) return false;
  const bool all = std::all_of(first.begin(), first.end(), [payload](const std::string& token) { return stands_in(token, payload); });
  return all && (earlier.target == later.target || std::any_of(first.begin(), first.end(), has_digit));
}

}  // namespace

Call* given_up_before(CallTable& calls, const Call& later, const model::RpcMessage& reply) {
  if (later.generation == 0 || later.requestor != model::Direction::client_to_server) return nullptr;
  const bool one_too_many = later.closed == CloseReason::answered;
  const std::string_view payload = reply.text.substr(0, kEchoBytes);
  Call* found = nullptr;
  calls.each_finished_by_value(later.requestor, later.id.value, [&](Call& earlier) {
    if (may_still_be_answered(earlier, later) && (one_too_many || speaks_of(earlier, later, payload, calls))) found = &earlier;
    return found == nullptr;
  });
  return found;
}

}  // namespace mcpscan::session
