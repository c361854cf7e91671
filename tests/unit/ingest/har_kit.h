// For the tests of the HAR reader: bytes handed out in given pieces, and what comes out of them as text that can be compared.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/har/body_text.h"
#include "ingest/har/har_reader.h"

namespace mcpscan::tests {

class Pieces : public ByteReader {
 public:
  explicit Pieces(std::vector<std::string_view> pieces) : pieces_(std::move(pieces)) {}
  std::size_t read(std::span<char> to) override {
    while (next_ < pieces_.size() && pieces_[next_].empty()) ++next_;
    if (next_ == pieces_.size()) return 0;
    const std::size_t count = std::min(to.size(), pieces_[next_].size());
    std::copy_n(pieces_[next_].data(), count, to.data());
    pieces_[next_].remove_prefix(count);
    return count;
  }

 private:
  std::vector<std::string_view> pieces_;
  std::size_t next_ = 0;
};

struct ReadHar {
  std::vector<std::string> entries;   // number, method, url, status and bodies
  model::Books books;
  model::AnomalyLog anomalies;
  bool found = false, cut = false;

  std::string all() const {
    std::string text;
    for (const std::string& entry : entries) text += entry + "\n";
    for (const auto& [kind, anomaly] : anomalies.entries()) text += fmt::format("{} x{}: {}\n", kind, anomaly.count, anomaly.text);
    for (const auto& [reason, count] : books.malformed) text += fmt::format("malformed {} {}\n", reason, count);
    return text;
  }
  std::string anomaly(const std::string& kind) const {
    const auto found_kind = anomalies.entries().find(kind);
    return found_kind == anomalies.entries().end() ? std::string() : found_kind->second.text;
  }
};

inline std::string line_of(const ingest::HarEntry& entry, Arena& arena) {
  return fmt::format("{} {} {} [{}] {} [{}]", entry.source.number, entry.method, entry.url, ingest::body_text(entry.request, arena).text, entry.status,
                     ingest::body_text(entry.response, arena).text);
}

inline ReadHar read_har(std::vector<std::string_view> pieces, const Limits& limits = {}) {
  ReadHar read;
  Pieces bytes(std::move(pieces));
  ingest::HarReader reader(bytes, {}, 0, Zone(), limits, read.books, read.anomalies);
  for (ingest::HarEntry entry; reader.next(entry);) read.entries.push_back(line_of(entry, reader.arena()));
  read.found = reader.found_entries();
  read.cut = reader.cut();
  return read;
}
inline ReadHar read_har(std::string_view text, const Limits& limits = {}) { return read_har(std::vector<std::string_view>{text}, limits); }

// A HAR around the given entries.
inline std::string har_of(std::string_view entries) { return fmt::format(R"({{"log":{{"version":"1.2","creator":{{"name":"t"}},"entries":[{}]}}}})", entries); }

// One entry as browsers write it; `n` shows in the URL.
inline std::string entry_of(int n) {
  return fmt::format(R"({{"startedDateTime":"2026-11-29T17:26:{:02}.000Z","time":5,"request":{{"method":"POST","url":"http://h/{}","headers":[],"postData":{{"mimeType":"application/json","text":"{{\"id\":{}}}"}}}},"response":{{"status":200,"headers":[],"content":{{"size":2,"text":"ok"}}}},"timings":{{"send":1,"wait":2,"receive":2}}}})",
                     n % 60, n, n);
}

}  // namespace mcpscan::tests
