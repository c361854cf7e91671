#include "pipeline/source_cut.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/text_file.h"
#include "extract/capture_slice.h"
#include "extract/exchange_book.h"
#include "extract/har_slice.h"
#include "extract/plain_capture.h"
#include "extract/share_sink.h"
#include "extract/text_slice.h"
#include "ingest/har/attached_bodies.h"
#include "pipeline/capture_scan.h"
#include "pipeline/http_dump_scan.h"
#include "pipeline/input_head.h"
#include "pipeline/record_lines.h"

namespace mcpscan::pipeline {
namespace fs = std::filesystem;

using extract::ManifestPart;
using extract::PartFile;
using extract::Slice;

namespace {

class NobodyLooks : public model::ObservationSink {
 public:
  void observe(const model::Observation&) override {}
};

class SourceCut {
 public:
  SourceCut(const CutJob& job, const ScanOptions& options, const ingest::DialectSet& dialects, const Limits& limits, const extract::BundleDraft& draft,
            const std::string& name, TlsTrace& tls)
      : kept_(job.kept ? *job.kept : extract::PlaceSet::all()), job_(job), options_(options), dialects_(dialects), limits_(limits), draft_(draft), name_(name), tls_(tls), out_(draft, name) {}

  Result<ManifestPart> run() {
    if (const Status cut = cut_by_form(); !cut.ok()) return cut.error();
    if (const Status closed = out_.close(); !closed.ok()) return closed.error();
    keep_time();
    ManifestPart part;
    part.path = name_;
    part.anew = is_anew_;
    if (!is_whole_) {
      part.unit = job_.row.place_word;
      part.kept = slice_.ranges.text();
      part.records = slice_.kept;
      part.records_of = slice_.total;
    }
    return part;
  }

 private:
  Status cut_by_form() {
    const std::string& reader = job_.row.reader;
    const bool capture = reader == "pcap" || reader == "pcapng";
    if (capture) return cut_capture();
    auto opened = ingest::open_input(job_.file, 0, limits_);
    if (!opened) return opened.error();
    is_whole_ = job_.kept == nullptr;
    const bool by_record = !is_whole_ || job_.share;
    if (by_record && reader == "har") return cut_har(**opened);
    if (by_record && reader == "http-text") return cut_lines(**opened, [told = DumpedExchanges()](std::string_view, std::string_view line) mutable { return told.begin_with(line); });
    if (by_record && reader.starts_with("transcript/")) return cut_lines(**opened, [](std::string_view, std::string_view) { return true; });
    if (by_record && reader.starts_with("log/")) return cut_log(**opened);
    if (job_.share) return Error{ErrorCode::unsupported, fmt::format("evidence read as '{}' cannot be shared", reader), job_.row.path, "extract without --share"};
    is_whole_ = true;
    copy(**opened);
    return {};
  }

  void copy(ByteReader& bytes) {
    std::string buffer(kHeadBytes, '\0');
    for (std::size_t count = bytes.read(buffer); count > 0; count = bytes.read(buffer)) out_.write(std::string_view(buffer).substr(0, count));
  }

  // A record begins where `begins` says so, line by line.
  Status cut_lines(ByteReader& bytes, ingest::RecordBorder begins) {
    const auto starts = [begins, previous = std::string()](const ingest::TextBlock& block) mutable {
      std::vector<std::uint64_t> lines;
      const std::string_view text = block.bytes;
      std::uint64_t number = block.first_line;
      for (std::size_t at = 0; at < text.size(); ++number) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        std::string_view line = text.substr(at, end - at);
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (begins(previous, line)) lines.push_back(number);
        previous.assign(line);
        at = end + 1;
      }
      return lines;
    };
    return cut_text(bytes, read_head(bytes), ingest::RecordBorder([](std::string_view, std::string_view) { return true; }), starts);
  }

  Status cut_text(ByteReader& bytes, std::string head, ingest::RecordBorder border, extract::RecordStarts starts) {
    static const std::vector<bool> kNothingTold;
    const extract::TextSliceOptions options{std::move(border), std::move(starts), &kept_, job_.told ? job_.told : &kNothingTold, job_.context};
    slice_ = extract::slice_text(bytes, std::move(head), options, limits_, sink());
    return {};
  }

  // A document or table of records is cut as its records, one a line, which is a log as well.
  Status cut_log(ByteReader& bytes) {
    std::string head = read_head(bytes);
    Replayed replayed(head, bytes);
    const auto lines = record_lines(head, replayed, limits_);
    return lines ? cut_log_lines(*lines, read_head(*lines)) : cut_log_lines(bytes, std::move(head));
  }

  Status cut_log_lines(ByteReader& bytes, std::string head) {
    ingest::LogParser parser(dialects_, parser_options(options_, job_.file), limits_);
    parser.calibrate(head);
    Arena arena;
    const auto starts = [&](const ingest::TextBlock& block) {
      std::vector<std::uint64_t> lines;
      parser.parse(block, 0, arena, [&lines](const ingest::LogRecord& record) { lines.push_back(record.source.number); });
      arena.reset();
      std::sort(lines.begin(), lines.end());
      return lines;
    };
    const auto border = [&parser](std::string_view previous, std::string_view line) { return parser.starts_record(previous, line); };
    return cut_text(bytes, std::move(head), ingest::RecordBorder(border), starts);
  }

  Status cut_har(ByteReader& bytes) {
    extract::HarSlice har = extract::slice_har(bytes, read_head(bytes), kept_, limits_, sink());
    slice_ = std::move(har.slice);
    if (job_.share) return {};
    const ingest::AttachedBodies bodies(job_.file.member.empty() ? job_.file.path : std::string(), limits_);
    for (const std::string& name : har.attached) {
      std::string body;
      if (!bodies.read(name, body).ok()) continue;  // the scan of the bundle says so as well
      const fs::path beside = fs::path(name_).parent_path() / name;
      if (fs::path(name).filename() != name || fs::exists(draft_.path_of(beside.string()))) continue;
      if (const Status written = draft_.write(beside.string(), body); !written.ok()) return written;
    }
    return {};
  }

  Status cut_capture() {
    is_anew_ = job_.share || job_.calls_only;
    if (job_.calls_only) return cut_calls();
    if (!job_.share) return cut_packets(out_);
    const std::string name = name_ + ".private";  // inside the draft only
    PartFile packets(draft_, name);
    if (const Status cut = cut_packets(packets); !cut.ok()) return cut;
    if (const Status closed = packets.close(); !closed.ok()) return closed;
    ingest::InputFile file;
    file.path = file.display = draft_.path_of(name);
    const Status written = write_anew(file, nullptr);
    std::error_code error;
    fs::remove(file.path, error);
    return written;
  }

  // Straight from the input, whose packet numbers the places are.
  Status cut_calls() {
    slice_.total = job_.row.books.total;
    is_whole_ = job_.kept == nullptr;
    for (std::uint64_t packet = 1; !is_whole_ && packet <= slice_.total; ++packet) {
      if (kept_.holds(packet)) slice_.ranges.add(packet, packet), ++slice_.kept;
    }
    return write_anew(job_.file, job_.kept);
  }

  Status cut_packets(extract::PartSink& sink) {
    extract::FlowChoice choice;
    if (job_.kept) {
      auto first = ingest::open_input(job_.file, 0, limits_);
      if (!first) return first.error();
      auto chosen = extract::choose_flows(**first, *job_.kept, limits_);
      if (!chosen) return chosen.error();
      choice = chosen.take();
    } else {
      choice.choose_all();
      is_whole_ = true;
    }
    auto second = ingest::open_input(job_.file, 0, limits_);
    if (!second) return second.error();
    auto cut = extract::slice_capture(**second, choice, limits_, sink);
    if (!cut) return cut.error();
    slice_ = std::move(cut->slice);
    tls_.randoms.merge(cut->tls_randoms);
    tls_.secrets += cut->secrets;
    return {};
  }

  Status write_anew(const ingest::InputFile& packets, const extract::PlaceSet* wanted) {
    net::KeyLog keys;
    model::AnomalyLog ignored;
    keys.add(tls_.secrets, job_.row.path, ignored);
    for (const std::string& path : options_.key_logs) {
      if (const auto text = read_text_file(path)) keys.add(*text, path, ignored);
    }
    auto opened = ingest::open_input(packets, 0, limits_);
    if (!opened) return opened.error();
    extract::ExchangeBook book(limits_, wanted);
    CaptureScanOptions how;
    how.recorder = &book;
    CaptureNumbers numbers;
    NobodyLooks nobody;
    model::InputRow row;
    CaptureScan scan(keys, how, limits_, numbers, nobody);
    const auto read = scan.read(**opened, 0, false, row, [](std::uint64_t) {});
    if (!read) return read.error();
    if (book.full()) return Error{ErrorCode::limit, fmt::format("more than {} bytes of messages cannot be written anew", limits_.http_buffer_bytes), job_.row.path, "extract without --share and --packets calls"};
    extract::write_plain_capture(book, job_.share, out_);
    return {};
  }

  // Times without a year take it from when the file was last written.
  void keep_time() const {
    std::error_code error;
    const auto at = fs::last_write_time(job_.file.path, error);
    if (!error) fs::last_write_time(draft_.path_of(name_), at, error);
  }

  extract::PartSink& sink() {
    if (!job_.share) return out_;
    const std::string& reader = job_.row.reader;
    const auto form = reader == "har" ? extract::ShareForm::har : reader == "http-text" ? extract::ShareForm::http_dump
                      : reader.starts_with("transcript/") ? extract::ShareForm::json_lines : extract::ShareForm::log;
    return shared_.emplace(*job_.share, form, out_);
  }

  const extract::PlaceSet kept_;
  const CutJob& job_;
  const ScanOptions& options_;
  const ingest::DialectSet& dialects_;
  const Limits& limits_;
  const extract::BundleDraft& draft_;
  const std::string& name_;
  TlsTrace& tls_;
  PartFile out_;
  std::optional<extract::ShareSink> shared_;
  Slice slice_;
  bool is_whole_ = false, is_anew_ = false;
};

}  // namespace

Result<ManifestPart> cut_source(const CutJob& job, const ScanOptions& options, const ingest::DialectSet& dialects, const Limits& limits,
                                const extract::BundleDraft& draft, const std::string& name, TlsTrace& tls) {
  return SourceCut(job, options, dialects, limits, draft, name, tls).run();
}

}  // namespace mcpscan::pipeline
