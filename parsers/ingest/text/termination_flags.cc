#include "ingest/text/termination_flags.h"

#include <algorithm>
#include <array>

namespace mcpscan::ingest {
namespace {

bool is_in(std::string_view letters, char c) { return letters.find(c) != std::string_view::npos; }

// The session's end, the state it was in, and two of the cookie; none of Envoy's flags has this form.
bool is_haproxy(std::string_view flags) {
  return flags.size() == 4 && is_in("CSPLRIDUKcskqx-", flags[0]) && is_in("RQCHDLT-", flags[1]) && is_in("NIDVEOU-", flags[2]) && is_in("NIUPRD-", flags[3]);
}

Termination of_haproxy(std::string_view flags) {
  const char state = flags[1];
  const bool under_way = state == 'H' || state == 'D' || state == 'L';  // the server had the request
  switch (flags[0]) {
    case '-': return state == '-' ? Termination::complete : Termination::untold;
    case 'C': return state == 'R' ? Termination::untold : Termination::by_client;  // R: it never sent a whole request
    case 'c': return state == 'D' || state == 'L' ? Termination::downstream_timer : Termination::untold;
    case 'S': return under_way ? Termination::by_server : Termination::untold;
    case 's': return under_way ? Termination::upstream_timer : Termination::untold;
    default: return Termination::untold;
  }
}

struct EnvoyFlag {
  std::string_view flag;
  Termination end;
};
// The client's own leaving comes first: what the upstream's side saw then is its consequence.
constexpr std::array<EnvoyFlag, 9> kEnvoy{{
    {"DC", Termination::by_client}, {"DR", Termination::by_client}, {"UT", Termination::upstream_timer}, {"UMSDR", Termination::upstream_timer},
    {"SI", Termination::upstream_timer}, {"DT", Termination::upstream_timer}, {"UC", Termination::by_server}, {"UR", Termination::by_server},
    {"UPE", Termination::by_server},
}};

bool holds(std::string_view list, std::string_view flag) {
  for (std::size_t at = list.find(flag); at != std::string_view::npos; at = list.find(flag, at + 1)) {
    const std::size_t end = at + flag.size();
    if ((at == 0 || list[at - 1] == ',') && (end == list.size() || list[end] == ',')) return true;
  }
  return false;
}

}  // namespace

Termination read_termination(std::string_view flags) {
  if (is_haproxy(flags)) return of_haproxy(flags);
  if (flags == "-") return Termination::complete;
  const auto found = std::find_if(kEnvoy.begin(), kEnvoy.end(), [flags](const EnvoyFlag& each) { return holds(flags, each.flag); });
  return found == kEnvoy.end() ? Termination::untold : found->end;
}

}  // namespace mcpscan::ingest
