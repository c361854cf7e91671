#include "pipeline/record_observer.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/cut_message.h"
#include "base/hash.h"
#include "model/session_id.h"
#include "ingest/text/framing.h"
#include "ingest/text/json_scan.h"
#include "ingest/text/unlabelled_tokens.h"

namespace mcpscan::pipeline {

using ingest::LogRecord;
using ingest::RecordKind;
using model::Observation;
using model::ObservationKind;

namespace {

constexpr const char* kNotMcp = "not-mcp";
constexpr const char* kBreaksOff = "a record that holds a message breaks off";

// Who asked, where a gateway prints the headers that a login in front of it has put into the request; 0: not told.
std::uint64_t user_in(std::string_view printed) {
  constexpr std::string_view kHeaders[] = {"x-forwarded-user", "x-forwarded-email", "x-auth-request-user", "x-auth-request-email", "x-remote-user", "x-authenticated-user"};
  if (printed.find("x-") == std::string_view::npos) return 0;
  constexpr std::string_view kBetween = "'\": =", kBehind = "'\",;}\r\n";
  for (const std::string_view header : kHeaders) {
    const std::size_t at = printed.find(header);
    if (at == std::string_view::npos) continue;
    const std::size_t from = std::min(printed.find_first_not_of(kBetween, at + header.size()), printed.size());
    const std::string_view user = printed.substr(from, printed.find_first_of(kBehind, from) - from);
    if (!user.empty() && user.front() != '*') return hash_bytes(user);
  }
  return 0;
}

// What a message record prints in front of its body; empty where that is too short to be headers.
std::string_view before_body(const LogRecord& record) {
  constexpr std::size_t kShortestHeaders = 64;
  const char* const text = record.text.data();
  const bool inside = record.body.data() >= text && record.body.data() <= text + record.text.size();
  const std::size_t size = inside ? static_cast<std::size_t>(record.body.data() - text) : 0;
  return size < kShortestHeaders ? std::string_view() : record.text.substr(0, size);
}

const model::HttpFacts* peer_facts(std::string_view peer, std::uint16_t port, std::uint64_t user, Arena& arena) {
  if (peer.empty() && user == 0) return nullptr;
  model::HttpFacts http;
  http.principal = user;
  http.peer = peer;
  http.peer_port = port;
  return arena.make<model::HttpFacts>(http);
}

}  // namespace

void ParsedBlock::clear() {
  arena.reset();
  observations.clear();
  books = {};
  anomalies = {};
  std::fill(records_by_dialect.begin(), records_by_dialect.end(), 0);
  tallies_.clear();
  rich_time = Time{};
  left_out.clear();
  times.clear();
}

std::uint64_t& ParsedBlock::tally(std::string_view reason, bool malformed) {
  for (Tally& known : tallies_) {
    if (known.malformed != malformed || known.reason.size() != reason.size()) continue;
    if (known.reason.data() == reason.data() || known.reason == reason) return known.lines;
  }
  tallies_.push_back({reason, malformed, 0});
  return tallies_.back().lines;
}

void ParsedBlock::settle() {
  for (const Tally& tally : tallies_) {
    if (tally.malformed) books.malform(std::string(tally.reason), tally.lines);
    else books.ignore(std::string(tally.reason), tally.lines);
  }
  tallies_.clear();
}

Observation RecordObserver::base_of(const LogRecord& record) const {
  Observation seen;
  seen.direction = record.direction;
  seen.stream = record.stream;
  seen.keying = record.keying;
  seen.at = record.at;
  seen.source = record.source;
  if (record.kind != RecordKind::unknown && record.dialect < vantage_of_.size()) seen.vantage = vantage_of_[record.dialect];
  if (!model::is_masked_id(record.session)) seen.session = record.session;
  seen.connection = record.process;
  seen.tells_all = record.tells_all;
  seen.channel = hash_bytes(record.logger.empty() ? record.codec : record.logger, record.dialect + 1u);  // of one name, the form tells who wrote it
  seen.text = record.line.substr(0, limits_.evidence_text_bytes);
  return seen;
}

void RecordObserver::observe(const LogRecord& record, ParsedBlock& block) {
  if (!record.rich_time) return tell(record, block);
  const std::size_t told = block.observations.size();
  tell(record, block);
  if (record.at.known()) return void(block.rich_time = record.at);
  for (std::size_t i = told; i < block.observations.size(); ++i) block.left_out.push_back(i);
}

void RecordObserver::tell(const LogRecord& record, ParsedBlock& block) {
  block.times.note(record.at);
  if (record.malformed) return malform(record, block);
  const bool by_dialect = record.kind != RecordKind::unknown && record.dialect + 1u < block.records_by_dialect.size();
  if (by_dialect) ++block.records_by_dialect[record.dialect];
  if (record.kind == RecordKind::noise) return block.ignore(record.reason, record.lines);
  if (record.kind == RecordKind::unknown) return observe_unknown(record, block);
  tell_known(record, block);
}

void RecordObserver::tell_known(const LogRecord& record, ParsedBlock& block) {
  Observation seen = base_of(record);
  if (!record.at.known()) seen.not_before = block.times.last();
  switch (record.kind) {
    case RecordKind::unknown:
    case RecordKind::noise:
      return;
    case RecordKind::message:
      seen.http = peer_facts(record.peer, record.peer_port, user_in(before_body(record)), block.arena);
      if (record.told == nullptr) {
        return observe_body(record, record.body, app::codec_named(record.codec).value_or(app::Codec::automatic), record.codec_lenient, seen, block);
      }
      seen.message = record.told;
      block.observations.push_back(seen);
      return block.books.use(record.lines);
    case RecordKind::exchange:
      return observe_exchange(record, seen, block);
    case RecordKind::notice:
    case RecordKind::context:
      seen.kind = ObservationKind::notice;
      seen.notice = record.notice == nullptr || !record.notice->key.empty() || record.body.empty() ? record.notice : with_id_of_body(record, block);
      if (seen.notice != nullptr && seen.notice->kind == model::NoticeKind::session_not_found && seen.notice->reason.empty()) seen.notice = with_own_words(record, *seen.notice, block);
      break;
    case RecordKind::outcome:
      seen.kind = ObservationKind::outcome;
      seen.outcome = record.outcome;
      break;
  }
  const bool names_session = record.kind == RecordKind::context && !record.session.empty() && seen.notice == nullptr;
  if (names_session) seen.kind = ObservationKind::context;
  if (seen.http != nullptr || seen.notice != nullptr || seen.outcome != nullptr || names_session) block.observations.push_back(seen);
  block.books.use(record.lines);
}

// An access line: the request that it holds or names, when that came; the error that answered it; then the exchange as a whole, which
// carries the same number. A reply that the client posted answers something which no access line shows.
void RecordObserver::observe_exchange(const LogRecord& record, Observation seen, ParsedBlock& block) {
  seen.http = record.http;
  Observation request = seen;
  request.kind = ObservationKind::message;
  request.direction = model::Direction::client_to_server;
  request.of_access_line = true;
  request.exchange = hash_combine(hash_bytes("access line", record.source.input), record.source.offset) | 1;
  if (record.http->started.known()) request.at = record.http->started;
  const auto tell = [&](const model::RpcMessage& message) {
    if (message.kind != model::MessageKind::request && message.kind != model::MessageKind::notification) return;
    request.message = block.arena.make<model::RpcMessage>(message);
    block.observations.push_back(request);
    seen.exchange = request.exchange;
    seen.of_access_line = true;
  };
  if (record.told != nullptr) tell(*record.told);
  if (!record.body.empty()) reader_.read(record.body, app::codec_named(record.codec).value_or(app::Codec::automatic), false, block.arena, tell);
  if (seen.of_access_line && record.told_reply != nullptr) {
    Observation reply = seen;
    reply.kind = ObservationKind::message;
    reply.direction = model::Direction::server_to_client;
    reply.message = record.told_reply;
    block.observations.push_back(reply);
  }
  seen.kind = ObservationKind::exchange_summary;
  seen.notice = record.notice;  // the proxy's own word for why it ended the exchange
  block.observations.push_back(seen);
  block.books.use(record.lines);
}

void RecordObserver::malform(const LogRecord& record, ParsedBlock& block) {
  block.malform(record.reason, record.lines);
  if (record.reason != ingest::kBadJson) return;
  ingest::JsonMembers members;
  members.read(record.line);
  block.anomalies.add({std::string(record.reason), fmt::format("the JSON breaks off at column {}", members.stopped_at() + 1), record.source});
  if (record.line.find("jsonrpc") != std::string_view::npos || app::holds_cut_message(record.line, limits_.json_depth)) tell_gap(base_of(record), kBreaksOff, false, block);
}

// What a statement without a quoted error says is its own text.
const model::Notice* RecordObserver::with_own_words(const LogRecord& record, const model::Notice& told, ParsedBlock& block) {
  auto* notice = block.arena.make<model::Notice>(told);
  notice->reason = record.text.substr(0, limits_.evidence_text_bytes);
  return notice;
}

// A statement about a message that it quotes: the id and the error are the message's; of an answer that nobody waits for the second key is the
// id as it stood.
const model::Notice* RecordObserver::with_id_of_body(const LogRecord& record, ParsedBlock& block) {
  auto* notice = block.arena.make<model::Notice>(*record.notice);
  reader_.read(record.body, app::codec_named(record.codec).value_or(app::Codec::automatic), true, block.arena, [notice](const model::RpcMessage& message) {
    if (!notice->key.empty()) return;
    notice->key = message.id.value;
    if (notice->kind == model::NoticeKind::unknown_reply_id) notice->second_key = message.id.raw;
    notice->reason = message.reason;
  });
  return notice;
}

void RecordObserver::observe_body(const LogRecord& record, std::string_view body, app::Codec codec, bool lenient, const Observation& base, ParsedBlock& block) {
  std::uint64_t messages = 0;
  const std::size_t first = block.observations.size();
  const auto outcome = reader_.read(body, codec, lenient, block.arena, [&](const model::RpcMessage& message) {
    Observation seen = base;
    seen.kind = ObservationKind::message;
    seen.message = block.arena.make<model::RpcMessage>(message);
    block.observations.push_back(seen);
    ++messages;
  });
  app::note_bounds(outcome, record.source, block.anomalies);
  if (!record.second_body.empty()) observe_partner(record, first, base, block);
  if (outcome.cut_lines) tell_gap(base, "the log cuts a text that holds several messages", true, block);
  if (messages > 0) return block.books.use(record.lines);
  if (outcome.malformed || outcome.truncated || app::holds_cut_message(body, limits_.json_depth)) tell_gap(base, kBreaksOff, false, block);
  if (outcome.other_events > 0) return block.ignore("keep-alive", record.lines);
  if (outcome.malformed) return block.malform("broken-body", record.lines);
  if (outcome.truncated) return block.malform("truncated-body", record.lines);
  block.ignore(kNotMcp, record.lines);
}

// The other half of a call that the record shows whole. What is no such half is the same message once more, or some other text.
void RecordObserver::observe_partner(const LogRecord& record, std::size_t first, const Observation& base, ParsedBlock& block) {
  reader_.read(record.second_body, app::Codec::automatic, false, block.arena, [&](const model::RpcMessage& message) {
    const auto begin = block.observations.begin() + static_cast<std::ptrdiff_t>(first);
    const auto is_reply = [](const model::RpcMessage& each) { return each.kind == model::MessageKind::result || each.kind == model::MessageKind::error; };
    const auto pairs = [&](const Observation& each) {
      const model::MessageKind asks = is_reply(message) ? each.message->kind : message.kind;
      return asks == model::MessageKind::request && is_reply(message) != is_reply(*each.message);
    };
    if (std::none_of(begin, block.observations.end(), pairs)) return;
    Observation seen = base;
    seen.kind = ObservationKind::message;
    seen.message = block.arena.make<model::RpcMessage>(message);
    block.observations.insert(is_reply(message) ? block.observations.end() : begin, seen);
  });
}

// Of what a record held where it breaks off nothing is known, and where its text held several messages, of what follows neither.
void RecordObserver::tell_gap(const Observation& base, std::string_view reason, bool whole_input, ParsedBlock& block) {
  Observation gap = base;
  gap.kind = ObservationKind::gap;
  gap.gap = block.arena.make<model::GapFacts>(std::uint64_t{0}, reason, whole_input);
  block.observations.push_back(gap);
}

// No dialect knows this line: the general one looks for a JSON-RPC message anywhere in it, and for words around it.
void RecordObserver::observe_unknown(const LogRecord& record, ParsedBlock& block) {
  const app::FoundBody found = app::find_body(record.text);
  if (found.position == std::string_view::npos) {
    if (!app::holds_cut_message(record.text, limits_.json_depth)) return block.ignore(kNotMcp, record.lines);
    tell_gap(base_of(record), kBreaksOff, false, block);
    return block.malform("truncated-body", record.lines);
  }
  if (!block.records_by_dialect.empty()) ++block.records_by_dialect.back();
  const std::string_view before = record.text.substr(0, found.position);
  const ingest::Surroundings around = surroundings_.of(before);
  Observation seen = base_of(record);
  if (seen.direction == model::Direction::unknown) seen.direction = around.direction;
  if (seen.session.empty()) seen.session = around.session, seen.keying = around.keying;
  if (seen.session.empty() && tokens_are_sessions_) {
    seen.session = ingest::token_of(before, record.logger);
    if (!seen.session.empty()) seen.keying = model::SessionKeying::mcp_session_id;
    // Which layout an id fits depends on its first letter, and it is no logger, whose messages another one may repeat.
    if (!seen.session.empty()) seen.channel = hash_bytes(seen.session == record.logger ? std::string_view() : record.logger, 1);
  }
  const std::string_view peer = record.peer.empty() ? around.peer : record.peer;
  seen.http = peer_facts(peer, record.peer.empty() ? around.peer_port : record.peer_port, user_in(before), block.arena);
  const std::size_t first = block.observations.size();
  observe_body(record, record.text.substr(found.position), found.codec, false, seen, block);
  if (!around.of_failure || record.direction != model::Direction::unknown) return;
  for (std::size_t i = first; i < block.observations.size(); ++i) {
    Observation& told = block.observations[i];
    if (told.message != nullptr && told.message->kind == model::MessageKind::error) told.direction = model::Direction::unknown;
  }
}

}  // namespace mcpscan::pipeline
