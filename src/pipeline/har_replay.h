// HarReplay: the exchanges of a HAR to observations, in the order of time, as the wire would have told them: request and its messages,
// response head, messages, end. What is MCP is judged as on the wire, by app::Exchange.
// Ownership: owns the exchanges that are open. Threads: one. Bounds: HarWindow's; Limits::flows connections known by name.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "app/body_messages.h"
#include "app/http_state.h"
#include "model/finding.h"
#include "pipeline/capture_scan.h"
#include "pipeline/har_copies.h"
#include "pipeline/har_window.h"

namespace mcpscan::pipeline {

// What an exchange turns out to be shows in what is told of it.
class HarTally : public model::ObservationSink {
 public:
  explicit HarTally(model::ObservationSink& next) : next_(next) {}
  void begin(HarExchange& exchange, bool untimed) { exchange_ = &exchange, untimed_ = untimed; }
  void observe(const model::Observation& seen) override;

 private:
  model::ObservationSink& next_;
  HarExchange* exchange_ = nullptr;
  bool untimed_ = false;  // when this response came is not told
};

class HarReplay final : private HarStepTaker {
 public:
  // Books and anomalies go to `row`, numbers of exchanges and connections come from `numbers`.
  HarReplay(std::uint32_t input, const Limits& limits, CaptureNumbers& numbers, model::ObservationSink& sink, model::InputRow& row);

  void add(std::unique_ptr<HarExchange> exchange);
  // The input ends. `cut`: entries are missing at its end.
  void finish(bool cut, Time last);

 private:
  void take(HarExchange& exchange) override;
  model::Stamp stamp_of(const HarExchange& exchange, Time at) const;
  void start(HarExchange& exchange);
  bool is_followed(HarExchange& exchange) const;
  void begin(HarExchange& exchange);
  void head(HarExchange& exchange);
  void answered(HarExchange& exchange);
  void end(HarExchange& exchange);
  void tell_missing(HarExchange& exchange, app::Exchange& http, const model::Stamp& stamp);
  void tell_cut(Time last);
  void tell_bounds();
  std::shared_ptr<app::HttpConnection> connection_of(const HarExchange& exchange);

  std::uint32_t input_;
  const Limits& limits_;
  CaptureNumbers& numbers_;
  model::ObservationSink& sink_;
  model::InputRow& row_;
  bool durations_told_ = false;
  HarTally tally_;
  app::BodyMessages messages_;
  app::HttpShared shared_;
  app::HttpState state_;
  std::unordered_map<std::string, std::shared_ptr<app::HttpConnection>> connections_;
  HarCopies copies_;
  HarWindow window_;
};

}  // namespace mcpscan::pipeline
