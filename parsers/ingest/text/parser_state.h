// What a LogParser knows while it parses: the pooled rules, the shape of the file, the meaning of its times. Constant during
// parse(). Internal to the log parser.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ingest/text/framing.h"
#include "ingest/text/log_parser.h"
#include "ingest/text/rule_table.h"

namespace mcpscan::ingest {

struct DialectSet::State {
  std::vector<std::shared_ptr<const Dialect>> dialects;
  std::size_t is_protected = 0;   // so many from the front keep their samples, whatever is added
};

struct LogParser::State {
  std::vector<std::shared_ptr<const Dialect>> dialects;   // index + 1 is LogRecord::dialect; 0 is the general one
  std::vector<std::string> names;
  PrefixTable prefixes;
  MessageTable messages;
  std::vector<const JsonRule*> json;
  std::vector<std::unique_ptr<PrefixRule>> owned_prefixes;   // copies that carry their dialect's index
  std::vector<std::unique_ptr<MessageRule>> owned_messages;
  std::vector<std::unique_ptr<JsonRule>> owned_json;
  FileShape shape;
  TimeContext time;
  ParserOptions options;
  Limits limits;
};

}  // namespace mcpscan::ingest
