#include "report/timeline_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/opposite.h"
#include "report/layout.h"

namespace mcpscan::report {

using model::Call;
using model::CloseReason;
using model::Direction;
using model::EventKind;
using model::MessageKind;
using model::ReplyVerdict;
using model::TimelineEvent;
using model::TimelineRow;

namespace {

const model::RpcMessage* message_of(const TimelineEvent& event) { return event.observation ? event.observation->message : nullptr; }
const model::HttpFacts* http_of(const TimelineEvent& event) { return event.observation ? event.observation->http : nullptr; }

Direction sender(const TimelineEvent& event) {
  if (event.kind == EventKind::request && event.call) return event.call->requestor;
  if (event.kind == EventKind::reply && event.call) return opposite(event.call->requestor);
  return event.observation ? event.observation->direction : Direction::unknown;
}

char mark_of(const TimelineEvent& event, Direction sent) {
  switch (event.kind) {
    case EventKind::request:
    case EventKind::reply:
    case EventKind::notification:
    case EventKind::cancel: return sent == Direction::server_to_client ? '<' : '>';
    case EventKind::timeout:
    case EventKind::call_closed: return 'x';
    case EventKind::notice:
    case EventKind::malformed:
    case EventKind::gap: return '!';
    default: return '.';
  }
}

std::string_view outcome_of(const TimelineEvent& event) {
  switch (event.kind) {
    case EventKind::reply: return model::to_string(event.verdict);
    case EventKind::call_closed: return event.call ? model::to_string(event.call->closed) : std::string_view();
    case EventKind::notice: return event.observation && event.observation->notice ? model::to_string(event.observation->notice->kind) : std::string_view();
    case EventKind::exchange_closed: return event.exchange ? model::to_string(event.exchange->end) : std::string_view();
    default: return {};
  }
}

bool ends_something(EventKind kind) { return kind == EventKind::reply || kind == EventKind::call_closed || kind == EventKind::timeout; }

void take_call(const TimelineEvent& event, TimelineRow& row) {
  const bool ends_unanswered = event.kind == EventKind::call_closed || event.kind == EventKind::timeout;
  const model::RpcMessage* message = event.call && ends_unanswered ? nullptr : message_of(event);  // the record that ended it is another message
  if (message && message->id.present()) row.id = message->id;
  else if (event.call) row.id = event.call->id.view();
  if (message) row.method = message->method;
  if (message) row.tool = message->target;
  if (!event.call) return;
  if (row.method.empty()) row.method = event.call->method;
  if (row.tool.empty()) row.tool = event.call->target;
  if (ends_something(event.kind)) row.started = event.call->requested_at;
}

void take_exchange(const TimelineEvent& event, TimelineRow& row) {
  row.exchange = event.exchange;
  row.stream = event.observation ? event.observation->stream : model::StreamKind::unknown;
  if (row.stream == model::StreamKind::unknown && event.exchange) row.stream = event.exchange->stream;
  if (event.kind == EventKind::exchange_closed && event.exchange) {
    row.status = event.exchange->status;
    row.started = event.exchange->requested_at;
  }
  if (event.kind != EventKind::exchange_summary || !http_of(event)) return;
  row.status = http_of(event)->status;
  row.started = http_of(event)->started;
  row.took_us = http_of(event)->duration_us;
}

// --- words ---

std::string named(const TimelineRow& row) {
  const bool by_tool = row.method == model::kToolsCall && !row.tool.empty();
  std::string text(by_tool ? row.tool : row.method.empty() ? std::string_view("call") : row.method);
  if (!by_tool && !row.tool.empty()) text += ' ' + std::string(row.tool);
  if (row.id.present()) text += "  id " + std::string(row.id.raw.empty() ? row.id.value : row.id.raw);
  return text;
}

std::string short_name(const Call& call) { return call.target.empty() ? call.method : call.target; }

std::string took(const TimelineRow& row) { return row.took_us < 0 ? std::string() : ", " + format_duration(row.took_us); }

std::string request_words(const TimelineEvent& event, const TimelineRow& row) {
  std::string text = named(row);
  if (event.retransmitted) text += ", sent again";
  else if (event.other) text += fmt::format(", in flight already: {} waits", short_name(*event.other));
  else if (event.used_before) text += ", an id used before";
  return text;
}

std::string answered_words(const model::RpcMessage* message) {
  if (!message) return "reply to ";
  if (message->kind == MessageKind::error) return fmt::format("error {} to ", message->error_code);
  return (message->result_keys & model::kIsErrorTrue) != 0 ? "tool error of " : "result of ";
}

std::string verdict_words(const TimelineEvent& event) {
  switch (event.verdict) {
    case ReplyVerdict::answer: return event.wrong_channel ? ", on a stream where it may not come" : "";
    case ReplyVerdict::late: return fmt::format(", late: the call was over ({})", spoken(model::to_string(event.earlier)));
    case ReplyVerdict::duplicate: return ", again: the call had its answer";
    case ReplyVerdict::redelivery: return ", delivered again on a resumed stream";
    case ReplyVerdict::type_drift: return ", its id in another JSON type";
    case ReplyVerdict::orphan: return event.elsewhere ? ", which nobody of its session waits for" : ", which nobody waits for";
    case ReplyVerdict::unattributed: return ", of which session is not told";
    case ReplyVerdict::refusal: return event.call && event.exchange && event.exchange->status / 100 == 2 ? ", without its id" : ", a refusal";
    case ReplyVerdict::head_of_evidence: return ", its request is before the evidence";
    case ReplyVerdict::other_session: return ", on a stream of another session";
  }
  return {};
}

std::string reply_words(const TimelineEvent& event, const TimelineRow& row) {
  const bool of_call = event.call != nullptr;
  const std::string what = of_call ? named(row) : row.id.present() ? "id " + std::string(row.id.raw.empty() ? row.id.value : row.id.raw) : std::string("no id");
  return answered_words(message_of(event)) + what + took(row) + verdict_words(event);
}

std::string notification_words(const TimelineEvent& event, const TimelineRow& row) {
  std::string text(row.method.empty() ? std::string_view("notification") : row.method);
  const model::RpcMessage* message = message_of(event);
  if (message && message->related.present()) text += fmt::format("  of {}", message->related.raw);
  if (message && !message->reason.empty()) text += fmt::format(": {}", message->reason);
  if (event.kind == EventKind::cancel && event.call) text += fmt::format(" ({})", short_name(*event.call));
  return text;
}

std::string closed_words(const TimelineEvent& event, const TimelineRow& row) {
  const CloseReason why = event.call ? event.call->closed : CloseReason::open;
  if (why == CloseReason::refused) return named(row) + " is refused" + took(row);
  if (why == CloseReason::cancelled) return named(row) + " is cancelled" + took(row);
  if (why == CloseReason::evidence_ends) return named(row) + " is still open where the evidence ends" + took(row);
  if (why == CloseReason::unseen) return named(row) + " is over" + took(row) + "; its reply is not shown";
  const std::string after = row.took_us < 0 ? std::string() : " after " + format_duration(row.took_us);
  return fmt::format("{} has no reply{}: {}", named(row), after, spoken(model::to_string(why)));
}

std::string notice_words(const TimelineEvent& event) {
  const model::Notice* notice = event.observation ? event.observation->notice : nullptr;
  if (!notice) return "notice";
  std::string text = spoken(model::to_string(notice->kind));
  if (!notice->key.empty()) text += ": " + std::string(notice->key);
  if (!notice->second_key.empty()) text += " -> " + std::string(notice->second_key);
  if (!notice->tool.empty()) text += ' ' + std::string(notice->tool);
  if (notice->wait_us >= 0) text += " after " + format_duration(notice->wait_us);
  if (event.call) text += fmt::format(" ({} waits)", short_name(*event.call));
  return text;
}

std::string exchange_words(const TimelineEvent& event, const TimelineRow& row) {
  const model::HttpFacts* http = http_of(event);
  const model::Exchange* exchange = event.exchange;
  std::string text(exchange ? std::string_view(exchange->method) : http ? http->method : std::string_view());
  if (text.empty()) text = "exchange";
  const std::string path = exchange ? exchange->path : std::string(http ? http->path : std::string_view());
  if (!path.empty()) text += ' ' + path;
  if (event.kind == EventKind::exchange_opened) return text + " opens a stream";
  if (row.status > 0) text += fmt::format(" {}", row.status);
  text += took(row);
  if (!exchange || event.kind == EventKind::exchange_summary) return text;
  if (exchange->end != model::EndReason::complete && exchange->end != model::EndReason::unknown) text += ", " + spoken(model::to_string(exchange->end));
  return exchange->messages == 0 ? text : text + ", " + counted(exchange->messages, "message");
}

std::string session_words(const TimelineEvent& event) {
  if (!event.session) return "session";
  const model::Session& session = *event.session;
  if (event.kind == EventKind::session_started) return fmt::format("session begins (told by {})", model::to_string(session.keyed_by));
  return fmt::format("session is over here: {}, {}", counted(session.counts.requests, "request"), counted(session.counts.replies, "reply", "replies"));
}

std::string outcome_words(const TimelineEvent& event) {
  const model::OutcomeFacts* outcome = event.observation ? event.observation->outcome : nullptr;
  if (!outcome) return "the client's record";
  const std::string tool(outcome->tool.empty() ? std::string_view("a call") : outcome->tool);
  if (outcome->is_start) return fmt::format("the client calls {}", tool);
  if (outcome->not_sent) return fmt::format("the client did not send {}", tool);
  if (outcome->timed_out) return fmt::format("the client shows a timeout for {}", tool);
  if (outcome->no_answer) return fmt::format("the client shows no answer for {}", tool);
  return fmt::format("the client shows {} for {}", outcome->is_error ? "an error" : "a result", tool);
}

std::string gap_words(const TimelineEvent& event) {
  const model::GapFacts* gap = event.observation ? event.observation->gap : nullptr;
  if (!gap) return "evidence is missing";
  const std::string bytes = gap->bytes > 0 ? counted(gap->bytes, "byte") + " missing" : std::string("evidence is missing");
  return gap->reason.empty() ? bytes : fmt::format("{}: {}", bytes, gap->reason);
}

}  // namespace

std::string spoken(std::string_view word) {
  std::string text(word);
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

TimelineRow timeline_row(const TimelineEvent& event) {
  TimelineRow row;
  row.kind = event.kind;
  row.at = event.at;
  row.source = event.source;
  row.session = event.session;
  row.sent = sender(event);
  row.mark = mark_of(event, row.sent);
  row.outcome = outcome_of(event);
  take_call(event, row);
  take_exchange(event, row);
  if (event.kind == EventKind::notice && event.observation && event.observation->notice && row.tool.empty()) row.tool = event.observation->notice->tool;
  if (event.observation && event.observation->outcome) row.tool = event.observation->outcome->tool;
  if (row.took_us < 0 && row.started.known() && row.at.known() && row.at >= row.started) row.took_us = row.at.us - row.started.us;
  if (event.observation) row.text = event.observation->text;
  return row;
}

std::string words_of(const TimelineEvent& event, const TimelineRow& row) {
  switch (event.kind) {
    case EventKind::request: return request_words(event, row);
    case EventKind::reply: return reply_words(event, row);
    case EventKind::notification:
    case EventKind::cancel: return notification_words(event, row);
    case EventKind::timeout: return named(row) + (row.took_us < 0 ? " is given up" : " is given up after " + format_duration(row.took_us));
    case EventKind::call_closed: return closed_words(event, row);
    case EventKind::notice: return notice_words(event);
    case EventKind::exchange_opened:
    case EventKind::exchange_closed:
    case EventKind::exchange_summary: return exchange_words(event, row);
    case EventKind::malformed: return "a message that is no proper JSON-RPC" + (row.method.empty() ? std::string() : ": " + std::string(row.method));
    case EventKind::gap: return gap_words(event);
    case EventKind::session_started:
    case EventKind::session_finished: return session_words(event);
    case EventKind::outcome: return outcome_words(event);
  }
  return {};
}

}  // namespace mcpscan::report
