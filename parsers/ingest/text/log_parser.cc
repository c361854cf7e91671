#include "ingest/text/log_parser.h"

#include <utility>

#include "ingest/text/record_reader.h"

namespace mcpscan::ingest {
namespace {

// A rule copied with the index of its dialect, at an address that stays.
template <typename Rule>
const Rule& own(std::vector<std::unique_ptr<Rule>>& rules, const Rule& rule, std::size_t dialect) {
  rules.push_back(std::make_unique<Rule>(rule));
  rules.back()->dialect = dialect;
  return *rules.back();
}

}  // namespace

RulePool::RulePool(std::vector<std::shared_ptr<const Dialect>> all, const std::string& forced) : dialects(std::move(all)) {
  names.emplace_back("general");
  for (std::size_t i = 0; i < dialects.size(); ++i) {
    const Dialect& dialect = *dialects[i];
    names.push_back(dialect.name);
    for (const PrefixRule& rule : dialect.prefixes) prefixes.add(own(owned_prefixes_, rule, i + 1));
    if (!forced.empty() && forced != dialect.name) continue;
    for (const MessageRule& rule : dialect.messages) messages.add(own(owned_messages_, rule, i + 1));
    for (const JsonRule& rule : dialect.json) json.push_back(&own(owned_json_, rule, i + 1));
  }
  prefixes.finish();
  messages.finish();
}

std::shared_ptr<const RulePool> DialectSet::State::pool(const std::string& forced) {
  const std::lock_guard lock(mutex_);
  if (!pool_ || pool_forced_ != forced || pool_->dialects.size() != dialects.size()) {
    pool_ = std::make_shared<const RulePool>(dialects, forced);
    pool_forced_ = forced;
  }
  return pool_;
}

LogParser::LogParser(const DialectSet& dialects, const ParserOptions& options, const Limits& limits) : state_(std::make_unique<State>()) {
  state_->rules = dialects.state_->pool(options.dialect);
  state_->options = options;
  state_->limits = limits;
  if (Result<Zone> zone = Zone::locate(options.time_zone)) state_->time.zone = zone.take();
}

LogParser::~LogParser() = default;

bool LogParser::starts_record(std::string_view previous_line, std::string_view line) const {
  return ingest::starts_record(*state_, previous_line, line);
}

void LogParser::parse(const TextBlock& block, std::uint32_t input, Arena& arena, Yield yield) const {
  ParserMemo memo;
  memo.kept = false;
  parse(block, input, arena, yield, memo);
}

void LogParser::parse(const TextBlock& block, std::uint32_t input, Arena& arena, Yield yield, ParserMemo& memo) const {
  memo.make_room();
  RecordReader(*state_, input, arena, yield, memo).read(block.bytes, block.first_line, block.offset);
}

const std::vector<std::string>& LogParser::dialects() const { return state_->rules->names; }

model::Vantage LogParser::vantage_of(std::uint16_t dialect) const {
  return dialect == 0 || dialect > state_->rules->dialects.size() ? model::Vantage::unknown : state_->rules->dialects[dialect - 1u]->vantage;
}

std::string_view LogParser::enable_of(std::uint16_t dialect) const {
  return dialect == 0 || dialect > state_->rules->dialects.size() ? std::string_view{} : std::string_view(state_->rules->dialects[dialect - 1u]->enable);
}

}  // namespace mcpscan::ingest
