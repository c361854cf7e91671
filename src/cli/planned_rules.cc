#include "cli/planned_rules.h"

#include <array>

namespace mcpscan::cli {
namespace {

constexpr std::array<PlannedRule, 32> kPlanned{{
    {"CH09", "SSE event ids: one use each, and a Last-Event-ID that this client was given"},
    {"CH10", "a client waits as long as retry says before it resumes a stream"},
    {"CH14", "2026-07-28: no requests of the server, no responses of the client"},
    {"CH15", "requests of the server belong to a request of the client"},
    {"CH16", "event streams that a proxy holds back and hands on in one piece"},
    {"HT03", "Accept names both JSON and event streams"},
    {"HT05", "messages are UTF-8"},
    {"HT07", "responses of one connection shifted against its requests"},
    {"ID08", "ids that begin anew while calls of the old session are open"},
    {"ID15", "a reply on a stream of another session"},
    {"LC05", "the server agrees to the version it was asked for where it supports it"},
    {"LC11", "2026-07-28: version and capabilities in _meta of every request"},
    {"PR04", "one progress token for several requests in flight"},
    {"RS06", "a reply before its request"},
    {"RS07", "an answer to a notification"},
    {"RS14", "2026-07-28: resultType is one of those that were declared"},
    {"RS15", "2026-07-28: error codes as reserved"},
    {"SC06", "401 with a challenge, and the same token rule for all requests"},
    {"SC07", "a token that is passed through to another server"},
    {"SC09", "secrets asked for in a form"},
    {"SC10", "icons and links with unsafe schemes"},
    {"SC13", "hidden instructions in descriptions and results"},
    {"SC14", "event ids, states and tasks of another user"},
    {"SE08", "2026-07-28: no session ids"},
    {"SE09", "characters of session ids"},
    {"SE10", "initialize with an old session id"},
    {"TL02", "list_changed without a change"},
    {"TL03", "a client that does not read a changed list"},
    {"TL06", "arguments that break the input schema and are taken"},
    {"TL08", "cursors of paged lists"},
    {"TL09", "2026-07-28: cached results and who may see them"},
    {"TL10", "a server that carries out another tool than was called"},
}};

}  // namespace

std::span<const PlannedRule> planned_rules() { return kPlanned; }

}  // namespace mcpscan::cli
