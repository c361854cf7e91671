// Writes a capture anew from the exchanges that were read out of one: plain HTTP/1.1 over TCP, whatever carried them, with shared texts or as
// they stood, at the times of the originals. A connection keeps its exchanges as long as they come one after the other; what ran beside them, as HTTP/2 and
// pipelining do, gets connections of its own. Only the fields that MCP and framing need are written; no other header is.
// How an exchange ended is written too: FIN and RST by the same side, holes where bytes were missing.
// Threads: one. Memory: what is written, once. Source: RFC 9112; WHATWG HTML 9.2.6 for where an event ends.
#pragma once

#include "extract/exchange_book.h"
#include "extract/part.h"
#include "extract/share_text.h"

namespace mcpscan::extract {

// `text` null: names and payloads stay; never who a principal was.
void write_plain_capture(const ExchangeBook& book, ShareText* text, PartSink& sink);

}  // namespace mcpscan::extract
