#include "session/result_fit.h"

#include <array>

#include "model/rpc_message.h"

namespace mcpscan::session {
namespace {

struct Requirement {
  std::string_view method;
  std::uint32_t all;          // every one of these
  std::uint32_t or_any;       // or one of these instead
};

constexpr std::uint32_t kTaskForms = model::kTask | model::kInputRequired;
constexpr std::array<Requirement, 14> kRequirements{{
    {"tools/call", model::kContent, kTaskForms | model::kStructuredContent},  // first, as most results are its
    {"initialize", model::kProtocolVersionKey | model::kCapabilities | model::kServerInfo, 0},
    {"tools/list", model::kTools, 0},
    {"resources/list", model::kResources, 0},
    {"resources/templates/list", model::kResourceTemplates, 0},
    {"resources/read", model::kContents, kTaskForms},
    {"prompts/list", model::kPrompts, 0},
    {"prompts/get", model::kMessages, kTaskForms},
    {"completion/complete", model::kCompletion, 0},
    {"roots/list", model::kRoots, 0},
    {"sampling/createMessage", model::kRole | model::kContent, model::kTask},
    {"elicitation/create", model::kAction, model::kTask},
    {"tasks/list", model::kTasks, 0},
    {"server/discover", model::kSupportedVersions | model::kCapabilities, 0},
}};

const Requirement* find(std::string_view method) {
  for (const Requirement& requirement : kRequirements) {
    if (requirement.method == method) return &requirement;
  }
  return nullptr;
}

}  // namespace

bool result_fits(std::string_view method, std::uint32_t result_keys) {
  const Requirement* requirement = find(method);
  return !requirement || (result_keys & requirement->all) == requirement->all || (result_keys & requirement->or_any) != 0;
}

bool method_requires_keys(std::string_view method) { return find(method) != nullptr; }

}  // namespace mcpscan::session
