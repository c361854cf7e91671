// HarIntake: the entries of a HAR that may be MCP, as exchanges that own what they hold. It judges by the heads alone; what is foreign
// beyond doubt is booked and dropped here.
// Ownership: reads from `bytes`. Threads: one, which need not be the replay's. Bounds: the reader's and AttachedBodies'.
#pragma once

#include <memory>
#include <string>

#include "ingest/har/attached_bodies.h"
#include "ingest/har/har_reader.h"
#include "pipeline/har_exchange.h"
#include "pipeline/har_scan.h"

namespace mcpscan::pipeline {

class HarIntake {
 public:
  HarIntake(ByteReader& bytes, std::string head, std::uint32_t input, const HarScanOptions& options, const Zone& zone, const Limits& limits);

  // Nothing at the end.
  std::unique_ptr<HarExchange> next();

  const ingest::HarReader& reader() const { return reader_; }
  // What did not become an exchange.
  const model::Books& books() const { return books_; }
  const model::AnomalyLog& anomalies() const { return anomalies_; }
  // Of all entries inside the window, MCP or not.
  Time first() const { return first_; }
  Time last() const { return last_; }

 private:
  std::unique_ptr<HarExchange> take(const ingest::HarEntry& entry);
  bool is_outside(Time at) const;
  void note_times(const ingest::HarEntry& entry);
  void fill_times(HarExchange& exchange);
  void fill_response(const app::HttpHead& head, HarExchange& exchange);
  void fill_events(HarExchange& exchange);
  std::string body_of(const ingest::HarBody& body, HarBodyState& state);
  void odd(const char* kind, std::string_view text);

  model::Books books_;
  model::AnomalyLog anomalies_;
  ingest::HarReader reader_;
  ingest::AttachedBodies files_;
  ingest::HarEntry entry_;
  Time since_, until_, first_, last_;
};

}  // namespace mcpscan::pipeline
