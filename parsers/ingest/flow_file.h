// A mitmproxy flow file, told from its head: a tnetstring of a dictionary, whose first key is a word. It is not read: its bodies are mixed
// with text that would pass for a log's, and mitmproxy exports HAR.
// Threads: pure function. Source: mitmproxy io/tnetstring.py, io/io.py.
#pragma once

#include <string_view>

namespace mcpscan::ingest {

bool is_flow_file(std::string_view head);

}  // namespace mcpscan::ingest
