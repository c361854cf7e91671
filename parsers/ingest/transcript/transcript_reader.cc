#include "ingest/transcript/transcript_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/hash.h"
#include "base/json_digest.h"
#include "ingest/text/char_class.h"
#include "ingest/transcript/client_words.h"

namespace mcpscan::ingest {
namespace {

std::uint64_t digest_of(const ShownText& shown) { return shown.any ? hash_bytes(shown.text) : 0; }

bool is_codex(const JsonMembers& members) { return members.find("payload").type == JsonType::object && !members.find("message").present(); }

}  // namespace

TranscriptForm TranscriptReader::form() const {
  if (forms_[1] + forms_[2] == 0) return TranscriptForm::unknown;
  return forms_[1] >= forms_[2] ? TranscriptForm::claude_code : TranscriptForm::codex;
}

void TranscriptReader::read_line(std::string_view line, bool cut, const model::SourceRef& place, Arena& arena, Yield yield) {
  while (!line.empty() && (is_blank(line.back()) || line.back() == '\r')) line.remove_suffix(1);
  while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
  if (line.empty()) return books_.ignore("blank");
  if (cut) return books_.malform("line-too-long");
  JsonMembers members;
  if (!members.read(line)) return break_line(line, members.stopped_at(), place);
  if (members.consumed() != line.size()) return break_line(line, members.consumed(), place);
  read_members(members, place, arena, yield);
}

void TranscriptReader::break_line(std::string_view line, std::size_t column, const model::SourceRef& place) {
  books_.malform("broken-json");
  const char* how = column >= line.size() ? "the JSON object ends too early, behind" : "no JSON object from";
  anomalies_.add({"broken-json", fmt::format("line {}: {} column {}", place.number, how, std::min(column, line.size()) + 1), place});
}

void TranscriptReader::read_members(const JsonMembers& members, const model::SourceRef& place, Arena& arena, Yield yield) {
  TranscriptLine line;
  TranscriptRecord record;
  Told told;
  record.source = place;
  const auto on_event = [&](const ToolEvent& event) {
    if (event.call.size() > limits_.id_bytes) return void(told.too_long = true);
    if (!record.at.known()) stamp(line.at, record.at);
    record.quote = event.quote.substr(0, limits_.evidence_text_bytes);
    record.outcome = {};
    record.outcome.call = event.call;
    record.outcome.conversation = line.conversation.empty() ? std::string_view(conversation_) : line.conversation;
    record.outcome.agent = line.agent;
    record.outcome.sidechain = line.sidechain;
    record.outcome.arguments_digest = json_digest(event.arguments, arena);
    event.is_start ? take_start(event, record, told, yield) : take_end(event, record, told, yield);
  };
  if (is_codex(members)) read_codex_line(members, arena, line, on_event);
  else read_claude_line(members, arena, line, on_event);
  if (line.form == TranscriptForm::codex && !line.conversation.empty()) conversation_ = line.conversation;
  ++forms_[static_cast<std::size_t>(line.form)];
  if (!record.at.known()) stamp(line.at, record.at);
  enter(told);
}

void TranscriptReader::stamp(std::string_view text, Time& at) {
  if (text.empty() || !times_.read_whole(text, at)) return;
  if (!first_.known() || at < first_) first_ = at;
  if (!last_.known() || at > last_) last_ = at;
}

TranscriptCall& TranscriptReader::start_of(const ToolEvent& event, const TranscriptRecord& record) {
  const std::uint64_t forgotten = calls_.forgotten();
  TranscriptCall& call = calls_.add(event.call);
  if (calls_.forgotten() != forgotten) {
    anomalies_.add({"transcript-calls-bound", fmt::format("more than {} tool calls (transcript_calls): the oldest were forgotten", limits_.transcript_calls), record.source});
  }
  call.is_mcp = event.names_mcp;
  call.tool = head(event.tool);
  call.server = head(event.server);
  call.arguments = event.names_mcp ? head(event.arguments) : std::string_view{};
  call.arguments_digest = record.outcome.arguments_digest;
  return call;
}

void TranscriptReader::take_start(const ToolEvent& event, TranscriptRecord& record, Told& told, Yield yield) {
  const TranscriptCall* known = calls_.find(event.call);
  const bool same = known != nullptr && known->tool == head(event.tool) && known->arguments_digest == record.outcome.arguments_digest;
  if (same && known->started_seen && known->started == record.at) return void(told.repeated = true);
  TranscriptCall& call = start_of(event, record);
  call.started = record.at;
  call.started_at = record.source;
  call.started_seen = true;
  if (!event.names_mcp) return void(told.other = true);
  model::OutcomeFacts& outcome = record.outcome;
  outcome.is_start = true;
  outcome.tool = call.tool;
  outcome.server = call.server;
  outcome.arguments = call.arguments;
  outcome.started = call.started;
  outcome.started_at = call.started_at;
  told.yielded = true;
  yield(record);
}

void TranscriptReader::take_end(const ToolEvent& event, TranscriptRecord& record, Told& told, Yield yield) {
  TranscriptCall* call = calls_.find(event.call);
  if (call == nullptr) call = &start_of(event, record);
  else if (!call->is_mcp && call->started_seen && !event.names_mcp) return void(told.other = true);
  else if (call->ended) return void(told.repeated = true);
  model::OutcomeFacts& outcome = record.outcome;
  outcome.tool = event.tool.empty() ? std::string_view(call->tool) : head(event.tool);
  outcome.server = event.server.empty() ? std::string_view(call->server) : head(event.server);
  outcome.arguments = call->arguments;
  outcome.arguments_digest = call->arguments_digest;
  outcome.started = call->started;
  outcome.started_at = call->started_at;
  if (event.duration_us >= 0 && record.at.known()) outcome.started.us = record.at.us - event.duration_us;
  fill_shown(event, outcome);
  told.yielded = true;
  yield(record);
  call->ended = true;
  call->arguments.clear();
  call->arguments.shrink_to_fit();
}

void TranscriptReader::fill_shown(const ToolEvent& event, model::OutcomeFacts& outcome) const {
  outcome.is_error = event.is_error;
  const ClientWord word = client_word(event.shown.text, event.is_error);
  outcome.timed_out = word == ClientWord::timed_out;
  outcome.stopped = word == ClientWord::stopped;
  outcome.no_answer = outcome.stopped || word == ClientWord::no_answer;
  outcome.not_sent = word == ClientWord::not_sent;
  outcome.replaced = word == ClientWord::replaced;
  const bool beside = outcome.replaced && event.payload.any && client_word(event.payload.text, false) == ClientWord::none;
  const ShownText& payload = beside ? event.payload : event.shown;
  outcome.text = head(payload.text);
  if (!outcome.replaced || beside) outcome.digest = digest_of(payload);
}

void TranscriptReader::enter(const Told& told) {
  if (told.yielded) return books_.use();
  if (told.too_long) return books_.malform("id-too-long");
  books_.ignore(told.repeated ? "repeated" : told.other ? "other-tool" : "conversation");
}

}  // namespace mcpscan::ingest
