// Rotation: what a file name says about its place in a rotated set (app.log, app.log.1, app.log.2.gz, app.log-20261128.gz,
// app-2026-11-28.log, capture.pcap3, capture_00003.pcapng, mcp1.log). Names only: nothing is opened. Pure functions, any thread.
// logrotate's, Python logging's, winston's, lumberjack's, tcpdump's and Claude Desktop's ways of naming.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/input_set.h"

namespace mcpscan::ingest {

struct RotationName {
  std::string base;           // the name without number, date and compression ending
  std::int64_t rotation = 0;  // larger = older; 0 the live file
  std::int64_t number = -1;   // of a capture's file, which is one more for the next; -1: not told
};

// `name` is the last part of a path.
RotationName rotation_of(std::string_view name);

// Sets set_key and rotation of each file and brings the members of a set together, oldest first, at the place of the first one;
// different logs keep their order.
void order_rotated_sets(std::vector<InputFile>& files);

}  // namespace mcpscan::ingest
