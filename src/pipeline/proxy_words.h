// What a proxy's error log says of requests that another input shows as well, found by its time: nginx names there neither session nor call. That it
// gave up on a request is told once; where the response had begun and ended without its reply, the words say which side ended it. A statement
// that fits nothing else stays a finding of its own.
// Threads: one. Changes the books it is given, before they are merged; ledgers are only read.
#pragma once

#include <memory>
#include <vector>

#include "base/limits.h"

namespace mcpscan::pipeline {

struct Source;

void lay_proxy_words_beside(const std::vector<std::unique_ptr<Source>>& sources, const Limits& limits);

}  // namespace mcpscan::pipeline
