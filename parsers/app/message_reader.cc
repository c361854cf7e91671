#include "app/message_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/codec_guess.h"
#include "app/json_skipper.h"
#include "app/json_text.h"
#include "app/json_verdict.h"
#include "app/literal_json.h"
#include "app/message_head.h"
#include "app/message_tail.h"
#include "app/python_text.h"
#include "app/sse_text.h"
#include "base/hash.h"
#include "base/json_escapes.h"
#include "base/text_head.h"

namespace mcpscan::app {

namespace {

using model::MessageKind;
using model::RpcMessage;

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::uint32_t kOdd = kBroken | kControlByte | kBadEscape | kSuspectByte;

bool is_rpc(const RpcMessage& message, bool has_version, bool lenient) {
  if (has_version || is_mcp_method(message.method)) return true;
  if (!lenient) return false;
  if (!message.method.empty()) return message.id.present() || message.digest != 0;
  return message.id.present() && (message.kind == MessageKind::result || message.kind == MessageKind::error);
}

RpcMessage no_message(std::string_view text, std::uint32_t defects) {
  RpcMessage message;
  message.defects = defects;
  message.text = text;
  return message;
}

// What was not seen may stand in the missing part: nothing is held against a partial message, and a method that no
// notification has makes it a request.
void settle_partial(RpcMessage& message) {
  if ((message.defects & model::kTruncated) != 0) message.defects &= ~(model::kNoVersion | model::kNeitherMember | model::kBadError);
  const bool named_notification = message.method.substr(0, 14) == "notifications/";
  if (message.kind == MessageKind::notification && !named_notification) message.kind = MessageKind::request;
}

// The head of a long text and a digest of all of it: two texts stay two, and one stays itself wherever it is read.
std::string_view shortened(std::string_view text, Arena& arena) {
  constexpr std::size_t kHead = 64;
  return arena.copy(fmt::format("{}... ({} bytes, {:016x})", text_head(text, kHead), text.size(), hash_bytes(text)));
}

std::size_t skip_blanks(std::string_view text) { return std::min(text.find_first_not_of(" \t\r\n"), text.size()); }

}  // namespace

struct MessageReader::State {
  explicit State(const Limits& l) : limits(l) {}

  // The messages of one text, before anything is delivered: a batch's size is known at its end.
  struct Scan {
    std::vector<RpcMessage> messages;
    std::uint32_t faults = 0;
    std::uint32_t over_limit = 0;
    std::size_t consumed = 0;
    bool is_batch = false;
    bool any_rpc = false;
  };

  void scan(std::string_view json, bool lenient, Arena& arena);
  void scan_object(JsonSkipper& in, bool lenient, Arena& arena);
  void scan_batch(JsonSkipper& in, bool lenient, Arena& arena);
  std::string_view scan_repaired(std::string_view json, bool lenient, Arena& arena);
  std::uint32_t judge_text(std::string_view json, ReadOutcome& outcome);
  void apply_defects(std::string_view text, std::uint32_t defects, Arena& arena);
  void read_json(std::string_view json, bool lenient, Arena& arena, Yield yield, ReadOutcome& outcome);
  void deliver(bool lenient, Arena& arena, Yield yield, ReadOutcome& outcome);
  bool shorten(RpcMessage& message, Arena& arena) const;
  void read_events(std::string_view text, bool lenient, Arena& arena, Yield yield, ReadOutcome& outcome);
  void read_lines(std::string_view text, bool lenient, Arena& arena, Yield yield, ReadOutcome& outcome);
  void read_python_bytes(std::string_view body, bool lenient, Arena& arena, Yield yield, ReadOutcome& outcome);
  void read_json_string(std::string_view body, bool lenient, Arena& arena, Yield yield, ReadOutcome& outcome);
  using LiteralReader = LiteralRead(std::string_view, std::size_t, std::string&);
  void read_literal(std::string_view body, LiteralReader* to_json, bool lenient, Arena& arena, Yield yield, ReadOutcome& outcome);
  void read_as(std::string_view body, Codec codec, bool lenient, Arena& arena, Yield yield, ReadOutcome& outcome);

  Limits limits;
  JsonVerdict verdict;
  Scan scanned;
  std::string literal;                // scratch
  std::uint32_t carrier_defects = 0;  // what the way from a printed literal to JSON has cost
};

void MessageReader::State::scan_object(JsonSkipper& in, bool lenient, Arena& arena) {
  const char* start = in.position();
  RpcMessage& message = scanned.messages.emplace_back();
  const bool has_version = read_head(in, arena, message);
  scanned.any_rpc |= is_rpc(message, has_version, lenient);
  message.text = in.stopped() ? in.left(start) : in.since(start);
}

void MessageReader::State::scan_batch(JsonSkipper& in, bool lenient, Arena& arena) {
  scanned.is_batch = true;
  in.elements([&] {
    if (scanned.messages.size() >= limits.batch_messages) {
      in.value();
      ++scanned.over_limit;
    } else if (in.peek() == '{') {
      scan_object(in, lenient, arena);
    } else {
      const JsonToken token = in.value();
      if (token) scanned.messages.push_back(no_message(token.raw, model::kNeitherMember | model::kNoVersion));
    }
  });
}

void MessageReader::State::scan(std::string_view json, bool lenient, Arena& arena) {
  scanned.messages.clear();
  scanned.over_limit = 0;
  scanned.is_batch = scanned.any_rpc = false;
  JsonSkipper in(json, limits.json_depth);
  in.skip_space();
  if (in.peek() == '{') scan_object(in, lenient, arena);
  else if (in.peek() == '[') scan_batch(in, lenient, arena);
  else in.value();
  scanned.faults = in.faults();
  scanned.consumed = in.stopped() ? json.size() : in.offset();
}

// What the text as a whole is, once its members were seen. Fills the outcome; the defects are those of the messages concerned.
std::uint32_t MessageReader::State::judge_text(std::string_view json, ReadOutcome& outcome) {
  const std::uint32_t faults = scanned.faults;
  const std::uint32_t deep = (carrier_defects & model::kTooDeep) | ((faults & kDeep) != 0 ? model::kTooDeep : 0u);
  const bool says_broken = (carrier_defects & model::kNotJson) != 0;
  const bool is_cut = (faults & (kCut | kCutMarker)) != 0 || (carrier_defects & model::kTruncated) != 0;
  bool is_broken = says_broken;
  // Deep texts are beyond the parser too; cut ones it cannot but refuse.
  if (!is_broken && !is_cut && (faults & kOdd) != 0) {
    is_broken = deep != 0 ? (faults & kBroken) != 0 : !verdict.is_json(json.substr(0, scanned.consumed));
  }
  if (is_cut ? !says_broken : is_broken && has_cut_marker(json)) {
    outcome.truncated = true;
    return deep | model::kTruncated;
  }
  outcome.malformed |= is_broken;
  return deep | (is_broken ? model::kNotJson : 0u);
}

// Reads a text that parsers refuse for its encoding again from a copy with U+FFFD in the bad places.
std::string_view MessageReader::State::scan_repaired(std::string_view json, bool lenient, Arena& arena) {
  const std::size_t consumed = scanned.consumed;
  const std::string_view copy = repaired_copy(json.substr(0, consumed), arena);
  scan(copy, lenient, arena);
  for (RpcMessage& message : scanned.messages) message.defects |= model::kRepairedText;
  return copy;
}

void MessageReader::State::read_json(std::string_view json, bool lenient, Arena& arena, Yield yield, ReadOutcome& outcome) {
  if (skip_blanks(json) == json.size()) return;
  scan(json, lenient, arena);
  const std::size_t consumed = scanned.consumed;
  std::string_view text = json;
  const bool bad_encoding = (scanned.faults & kHighBytes) != 0 && !is_utf8(json.substr(0, consumed));
  if (bad_encoding || (scanned.faults & kLoneSurrogate) != 0) text = scan_repaired(json, lenient, arena);
  const std::uint32_t defects = judge_text(text, outcome);
  outcome.consumed = consumed;
  if (scanned.messages.empty() && (defects & model::kNotJson) != 0 && lenient) {
    scanned.messages.push_back(no_message(text, 0));
    scanned.any_rpc = true;
  }
  if (defects != 0) apply_defects(text, defects, arena);
  deliver(lenient, arena, yield, outcome);
}

void MessageReader::State::apply_defects(std::string_view text, std::uint32_t defects, Arena& arena) {
  const bool stopped = (scanned.faults & (kCut | kBroken)) != 0;
  for (RpcMessage& message : scanned.messages) {
    // A cut or a break concerns the member it stands in, which is the last one read; a cut mark may stand in any.
    if (stopped && &message != &scanned.messages.back()) continue;
    message.defects |= defects;
    const bool truncated = (defects & model::kTruncated) != 0;
    if (truncated) message.digest = message.arguments_digest = 0, message.content_texts = {}, message.structured = {};
    if (!stopped) continue;
    if (truncated && !scanned.is_batch && !message.id.present()) scanned.any_rpc |= recover_tail(text, arena, message);
    settle_partial(message);
  }
}

// Whoever pairs calls keeps ids and names for as long as a call is open.
bool MessageReader::State::shorten(RpcMessage& message, Arena& arena) const {
  constexpr std::size_t kRawBytes = 8;  // a byte of an id has six in its token at most
  bool any = false;
  for (std::string_view* text : {&message.method, &message.target, &message.protocol_version, &message.peer_name, &message.peer_version}) {
    if (text->size() <= limits.id_bytes) continue;
    *text = shortened(*text, arena);
    any = true;
  }
  for (model::RpcId* id : {&message.id, &message.related, &message.progress_token}) {
    if (id->value.size() <= limits.id_bytes && id->raw.size() <= kRawBytes * limits.id_bytes) continue;
    id->value = shortened(id->value, arena);
    id->raw = shortened(id->raw, arena);
    any = true;
  }
  return any;
}

void MessageReader::State::deliver(bool lenient, Arena& arena, Yield yield, ReadOutcome& outcome) {
  const bool no_objects = std::none_of(scanned.messages.begin(), scanned.messages.end(),
                                       [](const RpcMessage& message) { return message.text.substr(0, 1) == "{"; });
  if (!scanned.any_rpc && !(lenient && scanned.is_batch && no_objects)) return;
  if (scanned.messages.empty()) {
    if ((scanned.faults & (kCut | kBroken)) != 0) return;
    scanned.messages.push_back(no_message("[]", model::kNeitherMember | model::kNoVersion));
  }
  const auto size = static_cast<std::uint32_t>(scanned.messages.size());
  outcome.is_batch |= scanned.is_batch;
  outcome.over_limit += scanned.over_limit;
  outcome.messages += size;
  for (std::uint32_t i = 0; i < size; ++i) {
    RpcMessage& message = scanned.messages[i];
    if (scanned.is_batch) message.batch_size = size + scanned.over_limit, message.batch_index = i;
    outcome.shortened += shorten(message, arena);
    outcome.too_deep += (message.defects & model::kTooDeep) != 0;
    yield(message);
  }
}

void MessageReader::State::read_events(std::string_view text, bool lenient, Arena& arena, Yield yield, ReadOutcome& outcome) {
  const SseCounts counts = for_each_sse_event(text, arena, [&](const SseTextEvent& event) {
    const std::uint32_t before = outcome.messages;
    if (event.type.empty() || event.type == "message") read_json(event.data, lenient, arena, yield, outcome);
    if (outcome.messages == before) ++outcome.other_events;
  });
  outcome.other_events += counts.comments + counts.without_data;
}

// What was read or written at once holds a message a line.
void MessageReader::State::read_lines(std::string_view text, bool lenient, Arena& arena, Yield yield, ReadOutcome& outcome) {
  for (std::size_t at = 0, before = 0; at < text.size(); at += skip_blanks(text.substr(at))) {
    before = outcome.messages;
    read_json(text.substr(at), lenient, arena, yield, outcome);
    outcome.cut_lines |= at > 0 && outcome.truncated;
    at += outcome.consumed;
    if (outcome.messages == before || text.substr(at, 1) != "\n") return;
  }
}

void MessageReader::State::read_python_bytes(std::string_view body, bool lenient, Arena& arena, Yield yield, ReadOutcome& outcome) {
  const PythonBytes bytes = unescape_python_bytes(body, arena);
  if (!bytes.found) {
    outcome.malformed = true;
    return;
  }
  const std::size_t start = skip_blanks(bytes.content);
  const char first = start < bytes.content.size() ? bytes.content[start] : '\0';
  if (first == '{' || first == '[') read_lines(bytes.content, lenient, arena, yield, outcome);
  else read_events(bytes.content, lenient, arena, yield, outcome);
  outcome.consumed = bytes.consumed;
}

// What a string holds may be any body, a string again included; each level halves the backslashes.
void MessageReader::State::read_json_string(std::string_view body, bool lenient, Arena& arena, Yield yield, ReadOutcome& outcome) {
  constexpr int kMaxLevels = 4;
  std::string_view text = body;
  Codec codec = Codec::json_string;
  for (int level = 0; level < kMaxLevels && codec == Codec::json_string; ++level) {
    text.remove_prefix(skip_blanks(text));
    if (text.substr(0, 1) == "\"") text.remove_prefix(1);
    text = decode_escapes(text.substr(0, string_content_end(text)), arena);
    codec = codec_of(text);
  }
  if (codec == Codec::json_string || codec == Codec::json) read_lines(text, lenient, arena, yield, outcome);
  else read_as(text, codec, lenient, arena, yield, outcome);
  outcome.consumed = body.size();
}

void MessageReader::State::read_literal(std::string_view body, LiteralReader* to_json, bool lenient, Arena& arena, Yield yield,
                                        ReadOutcome& outcome) {
  literal.clear();
  const LiteralRead read = to_json(body, limits.json_depth, literal);
  // A literal that breaks off gives JSON that ends too early; only a cut one may be excused for it.
  const bool broken = read.end == LiteralEnd::broken && !has_cut_marker(body);
  carrier_defects = (read.too_deep ? model::kTooDeep : 0u) | (read.elided ? model::kTruncated : 0u) | (broken ? model::kNotJson : 0u);
  read_json(arena.copy(literal), lenient, arena, yield, outcome);
  carrier_defects = 0;
  outcome.consumed = read.consumed;
}

void MessageReader::State::read_as(std::string_view body, Codec codec, bool lenient, Arena& arena, Yield yield, ReadOutcome& outcome) {
  switch (codec) {
    case Codec::automatic: return read_as(body, codec_of(body), lenient, arena, yield, outcome);
    case Codec::json: return read_json(body, lenient, arena, yield, outcome);
    case Codec::json_string: return read_json_string(body, lenient, arena, yield, outcome);
    case Codec::sse: return read_events(body, lenient, arena, yield, outcome);
    case Codec::python_bytes:
    case Codec::python_bytes_sse: return read_python_bytes(body, lenient, arena, yield, outcome);
    case Codec::python_repr: return read_literal(body, python_to_json, lenient, arena, yield, outcome);
    case Codec::js_inspect: return read_literal(body, js_to_json, lenient, arena, yield, outcome);
    case Codec::java_record: return read_literal(body, java_to_json, lenient, arena, yield, outcome);
  }
}

void note_bounds(const ReadOutcome& outcome, const model::SourceRef& source, model::AnomalyLog& anomalies) {
  const auto note = [&](const char* kind, const char* text, std::uint64_t count) {
    if (count > 0) anomalies.add({kind, text, source, count});
  };
  note("batch-too-long", "a batch has more than batch_messages messages; those beyond are not read", outcome.over_limit);
  note("json-too-deep", "a message is nested deeper than json_depth; only its head was read", outcome.too_deep);
  note("id-too-long", "an id or name has more than id_bytes bytes; it is told by its head and a digest", outcome.shortened);
}

MessageReader::MessageReader(const Limits& limits) : state_(std::make_unique<State>(limits)) {}
MessageReader::~MessageReader() = default;
MessageReader::MessageReader(MessageReader&&) noexcept = default;
MessageReader& MessageReader::operator=(MessageReader&&) noexcept = default;

ReadOutcome MessageReader::read(std::string_view body, Codec codec, bool lenient, Arena& arena, Yield yield) {
  ReadOutcome outcome;
  const std::size_t mark = body.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;  // RFC 8259 section 8.1: nobody may write one, and it may be ignored
  body.remove_prefix(mark);
  outcome.consumed = body.size();
  state_->read_as(body, codec, lenient, arena, yield, outcome);
  outcome.consumed += mark;
  outcome.not_rpc = outcome.messages == 0 && !outcome.truncated && !outcome.malformed;
  return outcome;
}

}  // namespace mcpscan::app
