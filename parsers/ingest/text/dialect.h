// Dialect: one log grammar as loaded from parsers/dialects/<name>.yml, compiled. Plain data: the tables that find the right rule
// for a line are built by RuleTable, the parts of records by RecordBuilder. Immutable once loaded; shared between threads.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/proof.h"
#include "base/result.h"
#include "ingest/text/log_record.h"
#include "ingest/text/template.h"

namespace re2 {
class RE2;
}

namespace mcpscan::ingest {

// What a client's own log says of a tool call. The words of dialect files.
enum class OutcomeWord : std::uint8_t { none, started, shown, failed, timed_out, no_answer, not_sent };

// What a recognised line means, whichever way it was recognised.
struct Meaning {
  RecordKind is = RecordKind::noise;
  model::NoticeKind notice = model::NoticeKind::message_dropped;
  bool has_notice = false;
  model::Direction direction = model::Direction::unknown;
  model::StreamKind stream = model::StreamKind::unknown;
  model::SessionKeying keying = model::SessionKeying::none;
  std::string codec;
  bool lenient = false;
  bool ends_exchange = false;  // the line is written when the response is over (else when it starts, or not told)
  std::string reason;
  OutcomeWord outcome = OutcomeWord::none;
  bool anywhere = false;       // the words may stand in any program's line
  std::string rpc_method;      // of the message that the line tells, where its words do not name it
  bool tells_all = false;      // whose process writes such a line of every message: what its other lines tell of messages are repetitions
};

struct PrefixRule {
  std::string name;                 // for people: "asctime", "claude-desktop"
  std::vector<Template> forms;      // one a way to begin
  model::SessionKeying keying = model::SessionKeying::none;
  std::size_t dialect = 0;
  bool logger_behind = false;       // the logger, and pairs, stand behind the message
};

struct JsonField {
  Field field = Field::ignore;
  std::int64_t unit_us = 1000000;   // of a bare number in a duration
  std::vector<std::string> paths;   // the first that is there
};

struct MessageRule {
  std::vector<Template> forms;
  std::shared_ptr<const re2::RE2> regex;       // instead of forms; groups are named after fields
  std::vector<std::pair<int, Field>> groups;   // of the regex
  std::string literal;                         // that the text holds when the regex, or a form found anywhere, can match
  bool anywhere = false;                       // not only at the start of the message; see RuleTable
  std::vector<std::string> loggers;
  bool logger_told = false;                    // not for records that tell no logger
  std::vector<JsonField> fields;               // of {pairs}
  Meaning meaning;
  std::size_t dialect = 0;
};

struct JsonPath {
  std::string path;
  std::uint64_t names = 0;          // name_bits() of it
};

struct JsonRule {
  std::vector<std::string> require;                          // paths that are there
  std::vector<std::vector<JsonPath>> require_one;           // and one of each of these
  std::vector<std::pair<std::string, std::string>> where;   // paths with exactly this text
  std::uint64_t names = 0;                                  // name_bits() of the paths that must all be there
  bool loose = false;    // anybody may use these names: tried last, and a line fits only where their values are those of an access line
  std::vector<JsonField> fields;
  bool is_log = true;    // only says where time, level and message are; the message is told by the message rules
  Meaning meaning;
  std::size_t dialect = 0;
};

struct Sample {
  std::string line;
  std::vector<std::pair<std::string, std::string>> fields;
  std::size_t at_line = 0;   // of the dialect file
};

struct Dialect {
  std::string name, title, reference, enable, vantage_word, path;
  model::Vantage vantage = model::Vantage::unknown;
  std::vector<PrefixRule> prefixes;
  std::vector<MessageRule> messages;
  std::vector<JsonRule> json;
  std::vector<Sample> samples, not_samples;
};

// Reads one file. Errors carry file:line, the line with a caret, and a hint.
Result<Dialect> load_dialect(std::string_view yaml, std::string_view path, Proof proof = Proof::asked);

// Names and words shared by the loader and the checks of samples.
std::string_view word_of(RecordKind kind);
std::string_view word_of(model::NoticeKind kind);
std::string_view word_of(model::Direction direction);
std::string_view word_of(model::StreamKind stream);
std::string_view word_of(model::SessionKeying keying);
std::string_view word_of(OutcomeWord outcome);

// What `record` gives for a field of a sample; the words of parsers/dialects/README.md.
std::string sample_value(const LogRecord& record, std::string_view field);
const std::vector<std::string_view>& sample_fields();

}  // namespace mcpscan::ingest
