#include "ingest/text/log_parser.h"

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

LogParser::LogParser(const DialectSet& dialects, const ParserOptions& options, const Limits& limits) : state_(std::make_unique<State>()) {
  State& state = *state_;
  state.dialects = dialects.state_->dialects;
  state.options = options;
  state.limits = limits;
  if (Result<Zone> zone = Zone::locate(options.time_zone)) state.time.zone = zone.take();
  state.names.emplace_back("general");
  for (std::size_t i = 0; i < state.dialects.size(); ++i) {
    const Dialect& dialect = *state.dialects[i];
    state.names.push_back(dialect.name);
    for (const PrefixRule& rule : dialect.prefixes) state.prefixes.add(own(state.owned_prefixes, rule, i + 1));
    if (!options.dialect.empty() && options.dialect != dialect.name) continue;
    for (const MessageRule& rule : dialect.messages) state.messages.add(own(state.owned_messages, rule, i + 1));
    for (const JsonRule& rule : dialect.json) state.json.push_back(&own(state.owned_json, rule, i + 1));
  }
  state.prefixes.finish();
  state.messages.finish();
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
  RecordReader(*state_, input, arena, yield, memo).read(block.bytes, block.first_line, block.offset);
}

const std::vector<std::string>& LogParser::dialects() const { return state_->names; }

model::Vantage LogParser::vantage_of(std::uint16_t dialect) const {
  return dialect == 0 || dialect > state_->dialects.size() ? model::Vantage::unknown : state_->dialects[dialect - 1u]->vantage;
}

std::string_view LogParser::enable_of(std::uint16_t dialect) const {
  return dialect == 0 || dialect > state_->dialects.size() ? std::string_view{} : std::string_view(state_->dialects[dialect - 1u]->enable);
}

}  // namespace mcpscan::ingest
