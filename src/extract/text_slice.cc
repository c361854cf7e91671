#include "extract/text_slice.h"

#include <algorithm>
#include <deque>
#include <utility>

namespace mcpscan::extract {
namespace {

constexpr std::size_t kNeighbourBytes = 64 * 1024;  // a longer neighbour helps nobody

class TextSlicer {
 public:
  TextSlicer(const TextSliceOptions& options, PartSink& sink) : options_(options), sink_(sink) {}

  void take(const ingest::TextBlock& block) {
    const std::vector<std::uint64_t> starts = options_.starts(block);
    const std::string_view text = block.bytes;
    std::uint64_t number = block.first_line;
    auto next = starts.begin();
    for (std::size_t at = 0; at < text.size(); ++number) {
      const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
      if (next != starts.end() && *next <= number) {
        end_record();
        while (next != starts.end() && *next <= number) ++next;
      }
      take_line(text.substr(at, end - at), number);
      at = end;
    }
  }

  Slice finish() {
    end_record();
    return std::move(slice_);
  }

 private:
  struct Record {
    std::uint64_t first = 0, last = 0;
    std::string bytes;
  };

  void take_line(std::string_view line, std::uint64_t number) {
    if (record_.first == 0) record_.first = number;
    record_.last = number;
    record_.bytes += line;
  }

  void end_record() {
    if (record_.first == 0) return;
    ++slice_.total;
    if (options_.kept->holds(record_.first, record_.last)) {
      for (Record& neighbour : before_) put(neighbour);
      before_.clear();
      put(record_);
      after_ = options_.context;
    } else if (options_.context > 0 && is_neighbour()) {
      if (after_ > 0) {
        --after_;
        put(record_);
      } else {
        before_.push_back(std::move(record_));
        if (before_.size() > options_.context) before_.pop_front();
      }
    }
    record_ = {};
  }

  bool is_neighbour() const {
    if (record_.bytes.size() > kNeighbourBytes) return false;
    for (std::uint64_t line = record_.first; line <= record_.last && line < options_.told->size(); ++line) {
      if ((*options_.told)[line]) return false;
    }
    return true;
  }

  void put(Record& record) {
    if (!ends_line_) sink_.write("\n");
    sink_.write(record.bytes);
    ends_line_ = record.bytes.ends_with('\n');
    ++slice_.kept;
    slice_.ranges.add(record.first, record.last);
  }

  const TextSliceOptions& options_;
  PartSink& sink_;
  Slice slice_;
  Record record_;
  std::deque<Record> before_;
  std::size_t after_ = 0;
  bool ends_line_ = true;
};

}  // namespace

Slice slice_text(ByteReader& bytes, std::string head, const TextSliceOptions& options, const Limits& limits, PartSink& sink) {
  ingest::BlockReader blocks(bytes, std::move(head), 0, options.border, limits);
  TextSlicer slicer(options, sink);
  for (ingest::TextBlock block; blocks.next(block);) slicer.take(block);
  return slicer.finish();
}

}  // namespace mcpscan::extract
