#include "pipeline/transcript_scan.h"

#include "ingest/text/block_reader.h"
#include "ingest/transcript/transcript_reader.h"

namespace mcpscan::pipeline {
namespace {

const char* reader_name(ingest::TranscriptForm form) {
  switch (form) {
    case ingest::TranscriptForm::claude_code: return "transcript/claude-code";
    case ingest::TranscriptForm::codex: return "transcript/codex";
    case ingest::TranscriptForm::unknown: break;
  }
  return "transcript/none";
}

class TranscriptScan {
 public:
  TranscriptScan(const TranscriptScanOptions& options, ingest::TranscriptReader& reader, std::uint32_t input, model::ObservationSink& sink)
      : options_(options), reader_(reader), input_(input), sink_(sink) {}

  void read(const ingest::TextBlock& block) {
    const std::string_view text = block.bytes;
    std::uint64_t number = block.first_line;
    for (std::size_t at = 0; at < text.size(); ++number) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const bool cut = block.skipped_bytes > 0 && end + 1 >= text.size();
      const model::SourceRef place{input_, model::PlaceKind::line, number, block.offset + at};
      reader_.read_line(text.substr(at, end - at), cut, place, arena_, [this](const ingest::TranscriptRecord& record) { observe(record); });
      arena_.reset();
      at = end + 1;
    }
  }

 private:
  void observe(const ingest::TranscriptRecord& record) {
    if (record.at.known() && options_.since.known() && record.at < options_.since) return;
    if (record.at.known() && options_.until.known() && record.at > options_.until) return;
    model::Observation seen;
    seen.kind = model::ObservationKind::outcome;
    seen.at = record.at;
    seen.source = record.source;
    seen.text = record.quote;
    seen.outcome = &record.outcome;
    sink_.observe(seen);
  }

  const TranscriptScanOptions& options_;
  ingest::TranscriptReader& reader_;
  std::uint32_t input_;
  model::ObservationSink& sink_;
  Arena arena_;
};

}  // namespace

void scan_transcript(ByteReader& bytes, std::string head, std::uint32_t input, const TranscriptScanOptions& options, const Limits& limits,
                     ingest::TranscriptCalls& calls, model::ObservationSink& sink, model::InputRow& row, FunctionRef<void(std::uint64_t)> progress) {
  ingest::BlockReader blocks(bytes, std::move(head), input, ingest::RecordBorder([](std::string_view, std::string_view) { return true; }), limits);
  ingest::TranscriptReader reader(limits, calls);
  TranscriptScan scan(options, reader, input, sink);
  for (ingest::TextBlock block; blocks.next(block);) {
    scan.read(block);
    progress(blocks.decoded_bytes());
  }
  row.reader = reader_name(reader.form());
  row.vantage = model::Vantage::client;
  row.first = reader.first();
  row.last = reader.last();
  row.books.merge(reader.books());
  row.anomalies.merge(reader.anomalies());
  row.anomalies.merge(blocks.anomalies());
}

}  // namespace mcpscan::pipeline
