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

struct KnownWord {
  std::string_view word;
  Termination end;
};
// The client's own leaving comes first: what the upstream's side saw then is its consequence.
constexpr std::array<KnownWord, 9> kEnvoy{{
    {"DC", Termination::by_client}, {"DR", Termination::by_client}, {"UT", Termination::upstream_timer}, {"UMSDR", Termination::upstream_timer},
    {"SI", Termination::upstream_timer}, {"DT", Termination::upstream_timer}, {"UC", Termination::by_server}, {"UR", Termination::by_server},
    {"UPE", Termination::by_server},
}};

// statusDetails of Google's load balancers, and what pino-http says in place of "request completed".
constexpr std::array<KnownWord, 7> kDetails{{
    {"response_sent_by_backend", Termination::complete},
    {"client_disconnected_before_any_response", Termination::by_client},
    {"client_disconnected_after_partial_response", Termination::by_client},
    {"backend_timeout", Termination::upstream_timer},
    {"backend_connection_closed_before_data_sent_to_client", Termination::by_server},
    {"backend_connection_closed_after_partial_response_sent", Termination::by_server},
    {"request aborted", Termination::by_client},
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
  for (const KnownWord& each : kDetails) {
    if (flags == each.word) return each.end;
  }
  const auto found = std::find_if(kEnvoy.begin(), kEnvoy.end(), [flags](const KnownWord& each) { return holds(flags, each.word); });
  return found == kEnvoy.end() ? Termination::untold : found->end;
}

}  // namespace mcpscan::ingest
