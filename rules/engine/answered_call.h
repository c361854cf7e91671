// AnsweredCall: a call and the reply it got, as far as is needed to judge whose payload that reply carries; and the drafts of findings that
// say whose it is. Judges nothing itself.
// Ownership: copies. Threads: none. Bound: a head of the request and of the reply.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/detector.h"
#include "session/reply_shape.h"

namespace mcpscan::engine {

struct AnsweredCall {
  static constexpr std::size_t kNoMember = SIZE_MAX;

  std::uint32_t handle = 0;
  std::uint32_t session_index = 0;
  std::string session;             // as findings name it
  std::uint64_t endpoint = 0;      // digest of the server's
  std::uint64_t arguments = 0;     // digest of what it was asked with; 0: not told
  std::uint64_t principal = 0;     // digest of whose session it is; 0: not told, or several
  model::FindingCall call;
  model::Evidence request, reply;  // the request's text is empty where `text` begins with it
  std::string text;                // head of the request, until its arguments are wanted
  std::size_t quoted = 0;          // how much of `text` is the evidence's
  std::vector<std::string> tokens; // what its arguments say, taken from `text` by parse_arguments()
  bool parsed = false, open = false, answered = false, collided = false, exact = false, wrong_channel = false, lost = false;
  bool own = false;                // its reply repeats its own arguments
  std::uint64_t digest = 0;        // of its reply
  std::size_t payload_of = kNoMember;  // the member of its group whose arguments its reply repeats instead
  std::uint32_t payload_handle = 0;    // that member's call
  std::string head;                // of the reply
  std::uint64_t tool = 0;          // digest of server and tool; 0: no tools/call
  std::uint32_t keys = 0;          // of its result
  bool is_result = false, told = false;
  bool loose = false;              // SessionSwaps remembers it
  bool learned = false;            // its shape went into the profile of its tool
  session::ReplyShape shape;
  Time requested, replied, ended;
};

// Takes over what the request's event says, and forgets what the object said before.
void begin_call(const model::TimelineEvent& request, AnsweredCall& call);
void parse_arguments(AnsweredCall& call);

// No reply came, and the evidence was there to show one: nothing missing from it, not its end, and nobody who waived the reply.
bool is_shown_lost(const model::Call& call);
bool overlap(const AnsweredCall& a, const AnsweredCall& b);
// Both were in flight under one id.
bool of_one_id(const AnsweredCall& a, const AnsweredCall& b);

// `got` was answered with what belongs to `owner`: calls, evidence and picture; whose fault that is, is left open.
model::FindingDraft mismatch_draft(const AnsweredCall& got, const AnsweredCall& owner);

}  // namespace mcpscan::engine
