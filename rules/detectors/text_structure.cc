// Results whose text and whose structure tell two different things: both are objects with the same members, and a member has two values.
// Source: MCP 2025-06-18 "Tools", structured content: the text should hold the same as serialised JSON; protocol notes RS13.
#include <fmt/format.h>

#include <algorithm>

#include "engine/message_json.h"
#include "model/detector.h"

namespace mcpscan::engine {
namespace {

using namespace model;

constexpr std::size_t kLargestText = 64u << 10;  // what a person or model reads; larger ones are data

// Whether the first text of the content may begin with a brace. Most do not, and need not be read for it; an escape may stand for one.
bool may_tell_an_object(std::string_view message) {
  constexpr std::string_view kUsual = R"([{"type":"text","text":")";
  const std::size_t list = std::min(message.find('['), message.size());
  if (message.substr(list).starts_with(kUsual)) {
    const std::string_view text = message.substr(list + kUsual.size());
    return text.starts_with('{') || text.starts_with('\\');
  }
  constexpr std::string_view kMember = "\"text\"", kBlanks = " \t\r\n";
  for (std::size_t at = message.find("\"content\""); at != std::string_view::npos;) {
    at = message.find(kMember, at + 1);
    const std::size_t colon = at == std::string_view::npos ? at : message.find_first_not_of(kBlanks, at + kMember.size());
    if (colon == std::string_view::npos || message[colon] != ':') continue;   // the type of a block
    const std::size_t value = std::min(message.find_first_not_of(kBlanks, colon + 1), message.size());
    return message.substr(value, 2) == "\"{" || message.substr(value, 2) == "\"\\";
  }
  return false;
}

class TextStructure : public Detector {
 public:
  void on_event(const TimelineEvent& event, FindingSink& findings) override {
    const RpcMessage* message = event.observation ? event.observation->message : nullptr;
    if (!message || !event.call || event.call->method != "tools/call" || event.verdict != ReplyVerdict::answer) return;
    constexpr std::uint32_t kBoth = kContent | kStructuredContent;
    if ((message->result_keys & kBoth) != kBoth || message->text.size() > 2 * kLargestText) return;
    if (message->content_digest == message->structured_digest && message->content_digest != 0) return;  // one serialised the other
    if (!may_tell_an_object(message->text) || !json_.read(*message)) return;
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
