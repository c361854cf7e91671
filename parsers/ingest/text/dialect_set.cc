#include <fmt/format.h>

#include <algorithm>

#include "ingest/text/parser_state.h"

namespace mcpscan::ingest {
namespace {

constexpr std::size_t kShownBytes = 160;

// What a set of dialects makes of one sample.
struct Reading {
  std::string dialect, message, logger;
  std::vector<std::pair<std::string, std::string>> values;
  bool unknown = false;
};

Reading read_sample(LogParser& parser, const Sample& sample, const std::vector<std::string>& fields) {
  parser.calibrate(sample.line);
  TextBlock block;
  block.bytes.assign(sample.line);
  Arena arena;
  Reading reading;
  bool first = true;
  parser.parse(block, 0, arena, [&](const LogRecord& record) {
    if (!first) return;
    first = false;
    reading.dialect = parser.dialects()[record.dialect];
    reading.message = record.text.substr(0, kShownBytes);
    reading.logger = record.logger;
    reading.unknown = record.kind == RecordKind::unknown;
    for (const std::string& field : fields) reading.values.emplace_back(field, sample_value(record, field));
  });
  return reading;
}

std::string place(const Dialect& dialect, const Sample& sample) { return fmt::format("{}:{}", dialect.path, sample.at_line); }

// No message matched: what there was to match, so that a person sees why.
Error unknown_sample(const Reading& reading, std::string where) {
  return {ErrorCode::malformed, fmt::format("no message of a dialect matches the sample; behind framing and prefix stands\n    {}\n    of logger '{}'", reading.message, reading.logger),
          std::move(where), reading.logger.empty() ? "compare it with `match`; a message with `logger` needs a prefix that tells it" : "compare it with `match` and `logger`"};
}

Status check_sample(LogParser& parser, const Dialect& dialect, const Sample& sample) {
  std::vector<std::string> fields;
  for (const auto& [field, value] : sample.fields) fields.push_back(field);
  const Reading reading = read_sample(parser, sample, fields);
  for (std::size_t i = 0; i < sample.fields.size() && i < reading.values.size(); ++i) {
    if (reading.values[i].second == sample.fields[i].second) continue;
    const bool of_message = sample.fields[i].first != "at" && sample.fields[i].first != "logger" && sample.fields[i].first != "level";
    if (reading.unknown && of_message) return unknown_sample(reading, place(dialect, sample));
    return Error{ErrorCode::malformed,
                 fmt::format("the sample gives {} '{}', not '{}'", sample.fields[i].first, reading.values[i].second, sample.fields[i].second),
                 place(dialect, sample), "either the rule or the sample is wrong"};
  }
  if (reading.dialect == dialect.name) return {};
  return Error{ErrorCode::malformed, fmt::format("the sample is read by dialect '{}'", reading.dialect), place(dialect, sample),
               "make the rule more specific, or leave the line to that dialect"};
}

Status check_not_sample(LogParser& parser, const Dialect& dialect, const Sample& sample) {
  const Reading reading = read_sample(parser, sample, {"is"});
  if (reading.dialect != dialect.name || reading.values.empty() || reading.values[0].second == "unknown") return {};
  return Error{ErrorCode::malformed, fmt::format("the not_sample is taken for {}", reading.values[0].second), place(dialect, sample),
               "make the rule more specific"};
}

Status check_dialect(LogParser& parser, const Dialect& dialect) {
  for (const Sample& sample : dialect.samples) {
    if (Status status = check_sample(parser, dialect, sample); !status) return status;
  }
  for (const Sample& sample : dialect.not_samples) {
    if (Status status = check_not_sample(parser, dialect, sample); !status) return status;
  }
  return {};
}

// `newcomer` must leave the samples of `dialect` as they are.
Status check_left_alone(LogParser& parser, const Dialect& dialect, const Dialect& newcomer) {
  for (const Sample& sample : dialect.samples) {
    if (check_sample(parser, dialect, sample)) continue;
    return Error{ErrorCode::malformed, fmt::format("it takes or changes a line of dialect '{}':\n    {}", dialect.name, sample.line.substr(0, kShownBytes)), newcomer.path,
                 "match more of the text, or bind the message to its logger"};
  }
  return {};
}

}  // namespace

DialectSet::DialectSet() : state_(std::make_shared<State>()) {}
DialectSet::~DialectSet() = default;
DialectSet::DialectSet(DialectSet&&) noexcept = default;

Status DialectSet::add(std::string_view yaml, std::string_view path, Proof proof) {
  Result<Dialect> loaded = load_dialect(yaml, path, proof);
  if (!loaded) return loaded.error();
  if (contains(loaded->name) || loaded->name == "general") {
    return Error{ErrorCode::invalid_argument, fmt::format("a dialect named '{}' is loaded already", loaded->name), std::string(path), "give it another name"};
  }
  if (proof == Proof::given) {
    state_->dialects.push_back(std::make_shared<const Dialect>(loaded.take()));
    return {};
  }
  // The samples are checked against the set as it will be: a copy that replaces it only when they pass.
  auto next = std::make_shared<State>();
  next->dialects = state_->dialects;
  next->is_protected = state_->is_protected;
  next->dialects.push_back(std::make_shared<const Dialect>(loaded.take()));
  DialectSet candidate;
  candidate.state_ = next;
  LogParser parser(candidate, ParserOptions{}, Limits{});
  if (Status status = check_dialect(parser, *next->dialects.back()); !status) return status;
  for (std::size_t i = 0; i < next->is_protected; ++i) {
    if (Status status = check_left_alone(parser, *next->dialects[i], *next->dialects.back()); !status) return status;
  }
  state_ = std::move(next);
  return {};
}

void DialectSet::protect() { state_->is_protected = state_->dialects.size(); }

std::vector<Error> DialectSet::check_samples() const {
  std::vector<Error> errors;
  LogParser parser(*this, ParserOptions{}, Limits{});
  for (const auto& dialect : state_->dialects) {
    for (const Sample& sample : dialect->samples) {
      if (Status status = check_sample(parser, *dialect, sample); !status) errors.push_back(status.error());
    }
    for (const Sample& sample : dialect->not_samples) {
      if (Status status = check_not_sample(parser, *dialect, sample); !status) errors.push_back(status.error());
    }
  }
  return errors;
}

std::vector<DialectSet::Summary> DialectSet::summaries() const {
  std::vector<Summary> result;
  for (const auto& dialect : state_->dialects) {
    result.push_back({dialect->name, dialect->title, dialect->reference, dialect->vantage_word, dialect->enable, dialect->samples.size(), dialect->not_samples.size()});
  }
  return result;
}

bool DialectSet::contains(std::string_view name) const {
  return std::any_of(state_->dialects.begin(), state_->dialects.end(), [name](const auto& dialect) { return dialect->name == name; });
}

}  // namespace mcpscan::ingest
