// Session ids that can be guessed, and somebody who tries. The rule's `fault` parameter says which: weak (the ids that a server hands out are
// short or count up) or guessing (one address names many sessions that nobody knows, and never a known one).
// Source: MCP 2025-11-25 security best practices, Session Hijacking: non-deterministic ids; protocol notes SC01 SC12.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "base/hash.h"
#include "model/detector.h"

namespace mcpscan::engine {
namespace {

using namespace model;

constexpr std::size_t kFewest = 5;         // ids of a server before their form is judged
constexpr std::size_t kServers = 1024, kIdsOfServer = 64;
constexpr double kLeastBits = 64;          // of an id that nobody guesses
constexpr std::size_t kGuesses = 10;       // unknown sessions of one address
constexpr std::size_t kAddresses = 4096, kGuessesKept = 256;

bool is_hex(std::string_view text) { return text.find_first_not_of("0123456789abcdefABCDEF-") == std::string_view::npos; }
bool is_digits(std::string_view text) { return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos; }

std::optional<std::uint64_t> number_at_end(std::string_view id) {
  std::size_t from = id.size();
  while (from > 0 && id[from - 1] >= '0' && id[from - 1] <= '9') --from;
  std::uint64_t value = 0;
  if (from == id.size() || std::from_chars(id.data() + from, id.data() + id.size(), value).ec != std::errc()) return std::nullopt;
  return value;
}

// Bits that the part of the ids could hold in which they differ; an upper bound of what a guess has to find.
double bits_of(const std::vector<std::string>& ids) {
  std::size_t common = ids[0].size(), longest = 0;
  for (const std::string& id : ids) {
    longest = std::max(longest, id.size());
    common = std::min(common, static_cast<std::size_t>(std::mismatch(id.begin(), id.end(), ids[0].begin(), ids[0].end()).first - id.begin()));
  }
  const bool digits = std::all_of(ids.begin(), ids.end(), is_digits), hex = std::all_of(ids.begin(), ids.end(), is_hex);
  const double alphabet = digits ? 10 : hex ? 16 : 64;
  return static_cast<double>(longest - common) * std::log2(alphabet);
}

bool counts_up(const std::vector<std::string>& ids) {
  constexpr std::uint64_t kLongestStep = 16;
  std::optional<std::uint64_t> last;
  for (const std::string& id : ids) {
    const auto value = number_at_end(id);
    if (!value || (last && (*value <= *last || *value - *last > kLongestStep))) return false;
    last = value;
  }
  return true;
}

class SessionIds : public Detector {
 public:
  explicit SessionIds(const Parameters& parameters) : weak_(parameters.at("fault") == "weak") {}

  std::uint32_t wants() const override { return weak_ ? event_bit(EventKind::session_finished) : ~event_bit(EventKind::session_finished); }

  void on_event(const TimelineEvent& event, FindingSink& findings) override {
    weak_ ? note_id(*event.session, evidence_of(event)) : note_use(event, findings);
  }

  void finish(FindingSink& findings) override {
    for (const auto& [server, seen] : servers_) judge(server, seen, findings);
  }

 private:
  struct Minted {
    std::vector<std::string> ids;
    Time first;
    Evidence evidence;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return hash_bytes(text); }
  };
  struct Guesser {
    std::set<std::string> unknown;
    bool known_once = false, told = false;
  };

  void note_id(const Session& session, Evidence evidence) {
    if (session.keyed_by != SessionKeying::mcp_session_id || !session.initialize_seen || session.id.empty()) return;
    if (!servers_.contains(session.server_endpoint) && servers_.size() >= kServers) return;
    Minted& minted = servers_[session.server_endpoint];
    if (minted.ids.empty()) minted.first = session.first, minted.evidence = std::move(evidence);
    if (minted.ids.size() < kIdsOfServer) minted.ids.push_back(session.id);
  }

  static void judge(const std::string& server, const Minted& minted, FindingSink& findings) {
    if (minted.ids.size() < kFewest) return;
    const bool counting = counts_up(minted.ids);
    const double bits = bits_of(minted.ids);
    if (!counting && bits >= kLeastBits) return;
    FindingDraft draft;
    draft.discriminator = server;
    draft.count = minted.ids.size();
    draft.at = minted.first;
    draft.fault = {Party::server, Certainty::strong, {},
                   counting ? fmt::format("its session ids count up, so that the next one is known ({} ids seen)", minted.ids.size())
                            : fmt::format("its session ids differ in {:.0f} bits at most, where {:.0f} are the least ({} ids seen)", bits, kLeastBits, minted.ids.size())};
    draft.evidence.push_back(minted.evidence);
    findings.add(std::move(draft));
  }

  void note_use(const TimelineEvent& event, FindingSink& findings) {
    const HttpFacts* http = event.observation->http;
    const std::string_view peer = event.exchange ? std::string_view(event.exchange->peer) : http ? http->peer : std::string_view();
    const unsigned status = event.exchange ? event.exchange->status : http ? http->status : 0;
    if (peer.empty() || status == 0) return;
    auto found = guessers_.find(peer);
    if (found == guessers_.end()) {
      if (guessers_.size() >= kAddresses) return;
      found = guessers_.try_emplace(std::string(peer)).first;
    }
    Guesser& guesser = found->second;
    if (status >= 200 && status < 300) guesser.known_once = true;
    const bool unknown = (status == 404 || status == 400) && event.session && !event.session->was_alive && !event.session->initialize_seen && !event.session->id.empty();
    if (guesser.known_once || !unknown || guesser.unknown.size() >= kGuessesKept) return;
    guesser.unknown.insert(event.session->id);
    if (guesser.unknown.size() < kGuesses) return;
    FindingDraft draft;
    draft.discriminator = peer;
    draft.count = guesser.told ? 1 : guesser.unknown.size();
    draft.at = event.at;
    draft.fault = {Party::client, Certainty::strong, {}, fmt::format("{} named {} sessions that nobody knows, and not one that is known", peer, guesser.unknown.size())};
    draft.evidence.push_back(evidence_of(event));
    guesser.told = true;
    findings.add(std::move(draft));
  }

  bool weak_;
  std::map<std::string, Minted> servers_;
  std::unordered_map<std::string, Guesser, Hash, std::equal_to<>> guessers_;  // by address
};

}  // namespace

extern const DetectorEntry kSessionIds{"session_ids", event_bits(EventKind::session_finished, EventKind::exchange_closed, EventKind::exchange_summary), {"fault"}, made<SessionIds>};

}  // namespace mcpscan::engine
