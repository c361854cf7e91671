#include "pipeline/http_dump_scan.h"

#include <algorithm>
#include <memory>

#include "app/body_messages.h"
#include "app/exchange.h"
#include "ingest/text/block_reader.h"
#include "ingest/text/time_formats.h"
#include "pipeline/curl_command.h"

namespace mcpscan::pipeline {
namespace {

using model::EndReason;
using model::Side;
using model::Stamp;

constexpr std::size_t kLinesLookedAt = 40;
constexpr std::size_t kSeparatorMarks = 3;
constexpr std::size_t kLineLookedAt = 8192;

// A line without its end and without curl's mark, and HTTP/2 written as the form that head parsing knows.
std::string head_form(std::string_view line) {
  if (!line.empty() && (line[0] == '>' || line[0] == '<') && (line.size() == 1 || line[1] == ' ')) line.remove_prefix(std::min<std::size_t>(2, line.size()));
  std::string text(line);
  if (text.ends_with(" HTTP/2")) text.replace(text.size() - 1, 1, "1.1");
  if (text.starts_with("HTTP/2 ")) text.replace(5, 1, "1.1");
  return text;
}

bool is_separator(std::string_view line) {
  if (line.size() < kSeparatorMarks || (line[0] != '#' && line[0] != '=' && line[0] != '-')) return false;
  return std::min(line.find_first_not_of(line[0]), line.size()) >= kSeparatorMarks;
}

// What curl says between the lines that it sent and got: "* Connected to ...", "{ [91 bytes data]", and how far it is.
bool is_curls_note(std::string_view line) {
  if (line.starts_with("* ") || line.starts_with("  % Total") || line.ends_with("Left  Speed")) return true;
  if ((line.starts_with("{ [") || line.starts_with("} [")) && line.ends_with(" bytes data]")) return true;
  return line.find("--:--") != std::string_view::npos && line.find_first_not_of("0123456789 -:.kMG\r") == std::string_view::npos;
}

bool is_interim(std::string_view status_line) { return status_line.starts_with("HTTP/1.1 1"); }

// Where curl shows nothing but the body: a message, or an event.
bool begins_shown_body(std::string_view line) {
  return line.starts_with('{') || line.starts_with('[') || line.starts_with("event:") || line.starts_with("data:") || line.starts_with("id:");
}

std::string_view without_end(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// Whether the exchange came to anything; and the window in time.
class DumpSink : public model::ObservationSink {
 public:
  DumpSink(model::ObservationSink& next, const HttpDumpOptions& options) : next_(next), options_(options) {}
  void observe(const model::Observation& seen) override {
    told = true;
    if (seen.at.known() && options_.since.known() && seen.at < options_.since) return;
    if (seen.at.known() && options_.until.known() && seen.at > options_.until) return;
    next_.observe(seen);
  }
  bool told = false;

 private:
  model::ObservationSink& next_;
  const HttpDumpOptions& options_;
};

struct Half {
  std::string head, body;
  bool seen = false, cut = false;
  bool of_command = false;  // as it was asked of curl, not as curl says that it sent it
  bool session_unknown = false;
  bool headless = false;    // curl without -i and -v: the body is all that is shown
  bool in_part = false;     // of the request: what is shown of its response need not be all of it
};

class DumpScan {
 public:
  DumpScan(std::uint32_t input, const HttpDumpOptions& options, const Limits& limits, CaptureNumbers& numbers, model::ObservationSink& sink, model::InputRow& row)
      : input_(input), limits_(limits), numbers_(numbers), sink_(sink, options), row_(row), messages_(limits, row.anomalies, sink_), shared_{limits, messages_, row.anomalies, numbers.next_exchange, 0, {}},
        state_(shared_), times_(context_) {
    if (auto zone = Zone::locate(options.time_zone)) context_.zone = zone.take();
  }

  void take_line(std::string_view raw, std::uint64_t number, std::uint64_t offset) {
    const std::string_view line = without_end(raw);
    place_ = {input_, model::PlaceKind::line, number, offset};
    if (!command_.empty()) return take_command(line);
    if (is_separator(line)) return separate(line);
    if (line.size() < limits_.header_bytes && begins_curl_command(line)) return end_exchange(), quotes_ = {}, source_ = place_, take_command(line);
    const std::string form = line.size() < limits_.header_bytes ? head_form(line) : std::string();
    if (app::is_request_line(form)) of_curl_ = line.starts_with("> "), begin(request_, Part::request_head, form);
    else if (app::is_status_line(form)) begin(response_, Part::response_head, form);
    else take_inner(line, form);
  }

  void finish() {
    if (!command_.empty()) ask();
    end_exchange();
    numbers_.next_exchange = shared_.next_exchange;
  }

 private:
  enum class Part : std::uint8_t { outside, request_head, request_body, response_head, response_body };

  void take_inner(std::string_view line, const std::string& form) {
    if (part_ == Part::outside && request_.of_command && begins_shown_body(line)) response_.seen = response_.headless = true, part_ = Part::response_body;
    if (part_ == Part::outside) return row_.books.ignore("between-exchanges");
    if (line.starts_with("curl: (") || line.starts_with("^C")) return request_.in_part = true, row_.books.ignore("curls-note");  // it gave up
    if (of_curl_ && is_curls_note(line)) return row_.books.ignore("curls-note");
    ++lines_;
    switch (part_) {
      case Part::request_head: return take_field(request_, Part::request_body, form);
      case Part::response_head: return take_field(response_, Part::response_body, form);
      case Part::request_body: return take_body(request_, line);
      default: return take_body(response_, line);
    }
  }

  void take_command(std::string_view line) {
    if (lines_++ > 0 && line.starts_with("> ")) line.remove_prefix(2);  // the shell's prompt for one more
    const bool goes_on = quotes_.goes_on(line);
    command_.append(line) += '\n';
    if (!goes_on || command_.size() > limits_.header_bytes) ask();
  }

  // The request of a command: what curl itself shows of it takes its place, but for the body, which curl does not show.
  void ask() {
    std::optional<CurlRequest> asked = read_curl_command(std::exchange(command_, {}), session_);
    if (!asked) return row_.books.ignore("between-exchanges", std::exchange(lines_, 0));
    request_ = {std::move(asked->head), std::move(asked->body), true, asked->body_unknown, true, asked->session_unknown, false, asked->shown_in_part};
  }

  void separate(std::string_view line) {
    end_exchange();
    at_ = {};
    for (std::size_t i = 0; i < line.size() && !at_.known(); ++i) {
      if (i == 0 || line[i - 1] == ' ') times_.read(ingest::TimeForm::any, line.substr(i), at_);
    }
    stamp(at_);
    row_.books.ignore("separator");
  }

  void stamp(Time at) {
    if (!at.known()) return;
    if (!row_.first.known() || at < row_.first) row_.first = at;
    if (!row_.last.known() || at > row_.last) row_.last = at;
  }

  // A head of its kind while another is open begins the next exchange; a response of 1xx goes before the real one.
  void begin(Half& half, Part part, const std::string& line) {
    const bool interim = &half == &response_ && is_interim(half.head);
    const bool shown_again = &half == &request_ && half.of_command && !response_.seen;
    if (!shown_again && (&half == &request_ || (half.seen && !interim))) end_exchange();
    if (shown_again) half.of_command = false;
    else half = {};
    half.seen = true;
    half.head = line + "\r\n";
    if (lines_++ == 0) source_ = place_;
    part_ = part;
  }

  void take_field(Half& half, Part body, const std::string& line) {
    if (line.empty()) part_ = body;
    else if (app::is_field_line(line) && half.head.size() + line.size() < limits_.header_bytes) half.head += line + "\r\n";
  }

  void take_body(Half& half, std::string_view line) {
    if (half.body.size() + line.size() >= limits_.body_bytes) return void(half.cut = true);
    half.body += line;
    half.body += '\n';
  }

  void end_exchange() {
    part_ = Part::outside;
    const std::uint64_t lines = std::exchange(lines_, 0);
    if (lines == 0) return;
    sink_.told = false;
    const bool sound = replay();
    request_ = response_ = {};
    if (!sound) return row_.books.malform("broken-head", lines);
    sink_.told ? row_.books.use(lines) : row_.books.ignore("not-mcp", lines);
  }

  bool parse(Half& half, bool request, app::HttpHead& head) {
    if (!half.seen) return true;
    if (half.headless) return head.content_type = half.body.starts_with('{') || half.body.starts_with('[') ? "application/json" : "text/event-stream", true;
    half.head += "\r\n";
    std::string unfolded;
    if (!app::parse_head(half.head, request, false, unfolded, head)) return false;
    head.codings = {};  // a dump shows text
    return true;
  }

  bool replay() {
    app::HttpHead request, response;
    if (!parse(request_, true, request) || !parse(response_, false, response)) return false;
    if (!response.session_id.empty()) session_ = response.session_id;
    if (request_.session_unknown && request.session_id.empty()) request.session_id = response.session_id, request.section = {};  // servers repeat it
    app::HttpConnection connection(state_, 0, std::string(), std::string(request.host));
    const Stamp stamp{at_, source_};
    std::unique_ptr<app::Exchange> http = connection.open_exchange();
    if (request_.seen) {
      http->request_head(request, stamp);
      if (!request_.body.empty()) http->request_body(request_.body, true, stamp);
      if (request_.cut || (of_curl_ && request_.body.empty() && request.content_length > 0)) http->missing(Side::client, stamp);
      http->request_end(stamp);
    }
    if (response_.seen) {
      http->response_head(response, stamp);
      response_.body += '\n';  // the empty line that ends an event, where trailing ones were lost
      http->response_body(response_.body, true, stamp);
      if (response_.cut) http->missing(Side::server, stamp);
      http->response_end(stamp);
    }
    const bool whole = response_.seen && !response_.headless && !request_.in_part;
    connection.close_exchange(std::move(http), whole ? EndReason::complete : EndReason::evidence_ends, stamp);
    return true;
  }

  std::uint32_t input_;
  const Limits& limits_;
  CaptureNumbers& numbers_;
  DumpSink sink_;
  model::InputRow& row_;
  app::BodyMessages messages_;
  app::HttpShared shared_;
  app::HttpState state_;
  ingest::TimeContext context_;
  ingest::TimeReader times_;
  Half request_, response_;
  Part part_ = Part::outside;
  Time at_;
  model::SourceRef place_, source_;
  std::uint64_t lines_ = 0;
  std::string command_;   // the lines of one that goes on
  CommandLines quotes_;
  std::string session_;   // given by a response, last
  bool of_curl_ = false;  // `curl -v`: heads behind > and <, no request's body
};

}  // namespace

bool is_http_dump(std::string_view head) {
  bool begun = false, commanded = false;
  for (std::size_t lines = 0; !head.empty() && lines < kLinesLookedAt; ++lines) {
    const std::size_t end = head.find('\n');
    const std::string_view line = without_end(head.substr(0, std::min<std::size_t>(end, kLineLookedAt)));
    const std::string form = head_form(line);
    if (begun && app::is_field_line(form)) return true;
    begun = app::is_request_line(form) || (commanded && app::is_status_line(form));
    commanded = commanded || begins_curl_command(line);
    head.remove_prefix(end == std::string_view::npos ? head.size() : end + 1);
  }
  return false;
}

bool DumpedExchanges::begin_with(std::string_view line) {
  if (is_separator(line)) return told_ = Told::separator, true;
  if (line.size() >= kLineLookedAt) return false;
  if (begins_curl_command(line)) return told_ = Told::command, true;
  const std::string form = head_form(line);
  const Told before = told_;
  if (app::is_request_line(form)) return told_ = Told::request, before != Told::separator && before != Told::command;
  if (!app::is_status_line(form)) return false;
  if (!is_interim(form)) told_ = Told::response;
  return before == Told::nothing || before == Told::response;
}

void scan_http_dump(ByteReader& bytes, std::string head, std::uint32_t input, const HttpDumpOptions& options, const Limits& limits, CaptureNumbers& numbers,
                    model::ObservationSink& sink, model::InputRow& row, FunctionRef<void(std::uint64_t)> progress) {
  row.reader = "http-text";
  row.vantage = model::Vantage::client_wire;
  ingest::BlockReader blocks(bytes, std::move(head), input, ingest::RecordBorder([](std::string_view, std::string_view) { return true; }), limits);
  DumpScan scan(input, options, limits, numbers, sink, row);
  for (ingest::TextBlock block; blocks.next(block);) {
    const std::string_view text = block.bytes;
    std::uint64_t number = block.first_line;
    for (std::size_t at = 0; at < text.size(); ++number) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      scan.take_line(text.substr(at, end - at), number, block.offset + at);
      at = end + 1;
    }
    progress(blocks.decoded_bytes());
  }
  scan.finish();
  row.anomalies.merge(blocks.anomalies());
}

}  // namespace mcpscan::pipeline
