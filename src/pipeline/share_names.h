// ShareNames: what a shared bundle must know before it is written: whose names stand in the evidence (session ids, hosts, addresses), and which
// words are its subject and stay (tools, prompts, JSON-RPC ids).
// Ownership: keeps copies, bounded by what one extract holds. Threads: as TimelineTap.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "extract/share_text.h"
#include "pipeline/timeline_tap.h"

namespace mcpscan::pipeline {

// What such a request is about is a name that stays; of other methods it is payload, and replaced as such.
bool is_by_name(std::string_view method);

class ShareNames : public TimelineTap {
 public:
  void on_observation(const model::Observation& seen) override;
  void on_event(std::size_t source, const model::TimelineEvent& event) override;

  void teach(extract::ShareText& text) const;

 private:
  void note(std::string_view name);
  void note_host(std::string_view host);
  void keep(const model::RpcId& id);

  std::set<std::string, std::less<>> names_, kept_;
};

}  // namespace mcpscan::pipeline
