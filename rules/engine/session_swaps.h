// SessionSwaps: replies that were exchanged between two sessions of one server, or of which one strayed into another session. Most replies are
// at home where they came: they repeat their own arguments, or look like their tool's. Only one that does neither is laid beside those of
// other sessions that were in flight at the same time. The pairs tried grow with the sessions, so more is asked than within one session:
// each reply repeats what the other was asked with, or shape makes chance improbable (shape_book.h); below that it is a hint.
// Not judged: tools that neither repeat arguments nor have a form of their own; replies beyond kLoose that came while a call waited.
// Source: protocol notes ID15, SC11, C.5 P09.
// Ownership: copies; refers to the shape book and the habits, which outlive it. Threads: none. Bound: kLoose replies, kWaiting pairs.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "engine/answered_call.h"
#include "engine/echo_habits.h"
#include "engine/shape_book.h"

namespace mcpscan::engine {

class SessionSwaps {
 public:
  static constexpr std::size_t kLoose = 256;            // replies that say nothing of their own call, remembered; 20 KB each at most
  static constexpr std::size_t kPayloadBytes = 16384;   // head of each of them
  static constexpr std::size_t kWaiting = 1000;         // pairs whose tools' profiles are still to grow

  SessionSwaps(const ShapeBook& shapes, const EchoHabits& habits) : shapes_(shapes), habits_(habits) {}

  void opened() { ++open_; }
  void closed() { --open_; }
  // Whether a call of another session was in flight at the same time; `open_beside`: open calls of its own session.
  bool has_rivals(const AnsweredCall& call, std::size_t open_beside) const;

  // A reply that repeats none of its call's arguments, which are parsed, with the shape it has. The call is marked when that was told.
  void take_stranger(AnsweredCall& call, std::string_view payload, model::FindingSink& findings);
  // The shape of a reply that it remembers went into the profile of its tool.
  void note_learned(const AnsweredCall& call);
  // A call that nobody answered any more.
  void lose(const AnsweredCall& call, model::FindingSink& findings);
  void finish(model::FindingSink& findings);

 private:
  struct Loose {
    AnsweredCall call;
    std::string payload;
    bool strange = false;
  };
  struct Pair {
    AnsweredCall a, b;
    bool a_repeats_b = false, b_repeats_a = false;      // what the other alone was asked with
    std::size_t tried = 1;
  };

  bool is_strange(const AnsweredCall& call) const;
  void judge(AnsweredCall& call, std::string_view payload, bool strange, model::FindingSink& findings);
  bool tell_crosswise(const AnsweredCall& a, const AnsweredCall& b, model::FindingSink& findings) const;
  bool judge_shapes(const Pair& pair, bool last, model::FindingSink& findings);
  void hold(Pair pair, model::FindingSink& findings);

  const ShapeBook& shapes_;
  const EchoHabits& habits_;
  std::size_t open_ = 0;
  std::deque<Loose> loose_;                             // in the order they came
  std::deque<Pair> waiting_;
};

}  // namespace mcpscan::engine
