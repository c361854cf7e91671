// What --since and --until make of the books of an input: where all of it lies outside, its records are no part of what was asked for.
// Pure function, any thread.
#pragma once

#include <utility>

#include "base/time.h"
#include "model/book_reasons.h"
#include "model/finding.h"

namespace mcpscan::pipeline {

// Unknown times are no bound.
inline void set_outside_apart(Time since, Time until, model::InputRow& row) {
  const bool before = since.known() && row.last.known() && row.last < since, behind = until.known() && row.first.known() && row.first > until;
  if ((before || behind) && row.books.used > 0) row.books.ignored[model::kOutOfWindow] += std::exchange(row.books.used, 0);
}

}  // namespace mcpscan::pipeline
