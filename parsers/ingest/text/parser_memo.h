// ParserMemo: what a thread remembers of the blocks that it parsed with one LogParser. For speed alone: it changes no result.
#pragma once

#include "ingest/text/access_memo.h"
#include "ingest/text/line_memo.h"
#include "ingest/text/shape_memo.h"

namespace mcpscan::ingest {

struct ParserMemo {
  LineMemo lines;
  AccessMemo accesses;
  ShapeMemo prefixes, messages;   // of lines that `lines` does not keep
  bool kept = true;               // false: it ends with the block, and to learn does not pay

  // Before each block: what turned out too small grows, and learns anew.
  void make_room() {
    lines.make_room();
    accesses.make_room();
    prefixes.make_room();
    messages.make_room();
  }
};

}  // namespace mcpscan::ingest
