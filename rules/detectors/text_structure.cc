// Results whose text and whose structure tell two different things: both are objects with the same members, and a member has two values.
// Source: MCP 2025-06-18 "Tools", structured content: the text should hold the same as serialised JSON; protocol notes RS13.
#include <fmt/format.h>

#include "engine/message_json.h"
#include "model/detector.h"

namespace mcpscan::engine {
namespace {

using namespace model;

constexpr std::size_t kLargestText = 64u << 10;  // what a person or model reads; larger ones are data

// Whether the text, as it stands between its quotes, is the structure, serialised as it was sent.
bool serialises(std::string_view text, std::string_view structure) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < text.size(); ++i, ++at) {
    const bool escaped = text[i] == '\\' && ++i < text.size();
    if (escaped && text[i] != '"' && text[i] != '\\') return false;
    if (at == structure.size() || text[i] != structure[at]) return false;
  }
  return at == structure.size();
}

// Whether there is an object in the text to be compared. Most begin otherwise, and need not be read for it; \u007b is a brace too.
bool may_differ(const RpcMessage& message) {
  if (message.content_texts.empty()) return false;
  const std::string_view text = message.content_texts.front();
  return (text.starts_with('{') || text.starts_with("\\u007")) && !serialises(text, message.structured);
}

class TextStructure : public Detector {
 public:
  void on_event(const TimelineEvent& event, FindingSink& findings) override {
    const RpcMessage* message = event.observation ? event.observation->message : nullptr;
    if (!message || !event.call || event.call->method != kToolsCall || event.verdict != ReplyVerdict::answer) return;
    constexpr std::uint32_t kBoth = kContent | kStructuredContent;
    if ((message->result_keys & kBoth) != kBoth || message->text.size() > 2 * kLargestText) return;
    if (!may_differ(*message) || !json_.read(*message)) return;
    const std::string member = differing_member();
    if (member.empty()) return;
    FindingDraft draft;
    draft.session = event.session->label;
    draft.requestor = event.call->requestor;
    draft.discriminator = event.call->target;
    draft.call = finding_call(*event.call);
    draft.at = event.at;
    draft.evidence.push_back(evidence_of(event));
    draft.fault = {Party::server, Certainty::strong, {}, fmt::format("text and structure of its result have two values of {}", member)};
    findings.add(std::move(draft));
  }

 private:
  // The first member whose values differ; empty where text and structure cannot be compared.
  std::string differing_member() {
    simdjson::dom::object structure, told;
    const auto found = json_.at("/result/structuredContent");
    if (!found || found->get(structure) != simdjson::SUCCESS) return {};
    const std::string_view text = json_.text("/result/content/0/text");
    if (text.empty() || text.front() != '{' || text.size() > kLargestText) return {};
    if (text_parser_.parse(text.data(), text.size()).get(told) != simdjson::SUCCESS || told.size() != structure.size()) return {};
    std::string differing;
    for (const auto& [key, value] : structure) {
      MessageJson::Element other;
      if (told.at_key(key).get(other) != simdjson::SUCCESS) return {};
      if (differing.empty() && MessageJson::digest(value) != MessageJson::digest(other)) differing = key;
    }
    return differing;
  }

  MessageJson json_;
  simdjson::dom::parser text_parser_;
};

}  // namespace

extern const DetectorEntry kTextStructure{"text_structure", event_bit(EventKind::reply), {}, made<TextStructure>};

}  // namespace mcpscan::engine
