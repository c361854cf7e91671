// What a LogParser knows while it parses: the pooled rules, the shape of the file, the meaning of its times. Constant during
// parse(). Internal to the log parser.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "ingest/text/framing.h"
#include "ingest/text/log_parser.h"
#include "ingest/text/rule_table.h"

namespace mcpscan::ingest {

// The rules of all dialects, pooled. Constant once made, and shared by the parsers of a run.
struct RulePool {
  // `forced`: the one dialect whose messages are known; empty: all.
  RulePool(std::vector<std::shared_ptr<const Dialect>> dialects, const std::string& forced);
  RulePool(const RulePool&) = delete;
  RulePool& operator=(const RulePool&) = delete;

  std::vector<std::shared_ptr<const Dialect>> dialects;   // index + 1 is LogRecord::dialect; 0 is the general one
  std::vector<std::string> names;
  PrefixTable prefixes;
  MessageTable messages;
  std::vector<const JsonRule*> json;

 private:
  std::vector<std::unique_ptr<PrefixRule>> owned_prefixes_;   // copies that carry their dialect's index
  std::vector<std::unique_ptr<MessageRule>> owned_messages_;
  std::vector<std::unique_ptr<JsonRule>> owned_json_;
};

struct DialectSet::State {
  std::vector<std::shared_ptr<const Dialect>> dialects;
  std::size_t is_protected = 0;   // so many from the front keep their samples, whatever is added

  // To pool the rules takes longer than to read a small file.
  std::shared_ptr<const RulePool> pool(const std::string& forced);

 private:
  std::mutex mutex_;
  std::shared_ptr<const RulePool> pool_;
  std::string pool_forced_;
};

struct LogParser::State {
  std::shared_ptr<const RulePool> rules;
  FileShape shape;
  TimeContext time;
  ParserOptions options;
  Limits limits;
};

}  // namespace mcpscan::ingest
