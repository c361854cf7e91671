#include "pipeline/vantage_join.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine/first_divergence.h"
#include "session/call_ledger.h"
#include "session/session_table.h"
#include "session/vantage_alignment.h"

namespace mcpscan::pipeline {

using model::Vantage;
using session::Alignment;
using session::AlignmentState;
using session::CallRecord;

namespace {

constexpr double kMostly = 0.8;          // of the joined calls, for an order of two points to be believed
constexpr std::size_t kFilesNamed = 3;
constexpr std::size_t kSources = 64;     // laid beside each other; each with each would be too slow for a folder of thousands

std::string_view port_of(std::string_view server) { return server.substr(std::min(server.rfind(':'), server.size())); }
bool is_address(std::string_view server) { return !server.empty() && server.find_first_not_of("0123456789abcdefABCDEF.:[]") == std::string_view::npos; }

// A name and an address of one port may be the same endpoint.
bool may_be_one_endpoint(std::string_view a, std::string_view b) { return a == b || (port_of(a) == port_of(b) && is_address(a) != is_address(b)); }

bool same_hop(const Source& a, const Source& b) {
  const auto& mine = a.ledger.servers();
  const auto& theirs = b.ledger.servers();
  if (mine.empty() || theirs.empty()) return true;  // nothing tells them apart
  return std::any_of(mine.begin(), mine.end(), [&](const std::string& one) {
    return std::any_of(theirs.begin(), theirs.end(), [&](const std::string& other) { return may_be_one_endpoint(one, other); });
  });
}

// A call takes longer the farther from the server it is watched; that needs no common clock. The share of calls that say so.
double share_longer(const Source& outer, const Source& inner, const Alignment& joined) {
  std::size_t timed = 0, longer = 0;
  for (std::size_t i = 0; i < joined.partner.size(); ++i) {
    if (joined.partner[i] == Alignment::kAlone) continue;
    const CallRecord& there = outer.ledger.records()[i];
    const CallRecord& here = inner.ledger.records()[joined.partner[i]];
    if (!there.replied.known() || !here.replied.known() || !there.requested.known() || !here.requested.known()) continue;
    ++timed;
    longer += there.replied.us - there.requested.us > here.replied.us - here.requested.us;
  }
  return timed == 0 ? 0.5 : static_cast<double>(longer) / static_cast<double>(timed);
}

// A client's log of what it sent and got, ids and all; not what it showed for them.
bool shows_messages(const Source& source) {
  const auto& records = source.ledger.records();
  return std::none_of(records.begin(), records.end(), [](const CallRecord& record) { return record.shown; });
}

std::string_view words(Vantage vantage) {
  switch (vantage) {
    case Vantage::client: return "the client's record";
    case Vantage::client_wire: return "wire at the client";
    case Vantage::gateway: return "gateway";
    case Vantage::server_wire: return "wire at the server";
    case Vantage::server: return "server";
    case Vantage::unknown: break;
  }
  return "place unknown";
}

// To the millisecond, since that is what is asked of a clock.
std::string clock_words(std::int64_t us) { return us < kMinute ? fmt::format("{}.{:03} s", us / kSecond, us % kSecond / kMillisecond) : format_duration(us); }

class VantageJoin {
 public:
  VantageJoin(const std::vector<std::unique_ptr<Source>>& sources, const engine::RuleSet& rules, model::Report& report)
      : rules_(rules), report_(report) {
    for (const auto& source : sources) {
      if (source->ledger.records().empty()) continue;
      sources_.size() < kSources ? sources_.push_back(source.get()) : static_cast<void>(++not_compared_);
    }
  }

  JoinedVantages run() {
    for (Source* source : sources_) {
      if (source->wire) part(*source);
    }
    for (Source* source : sources_) place(*source);
    for (Group& group : groups_) {
      if (group.size() > 1) join(group);
    }
    tell_alone();
    if (not_compared_ > 0) report_.notes.push_back(fmt::format("{} inputs were not laid beside the others: only the first {} are", not_compared_, sources_.size()));
    JoinedVantages joined{std::move(aliases_), std::move(hops_), {}};
    for (const Group& group : groups_) joined.groups.emplace_back(group.begin(), group.end());
    return joined;
  }

 private:
  using Group = std::vector<Source*>;

  // Together with all groups that have a member which saw the same traffic: what two clients asked of one server, its own wire or log shows.
  void place(Source& source) {
    Group mine{&source};
    std::vector<Group> others;
    for (Group& group : groups_) {
      if (saw_the_same(group, source)) mine.insert(mine.end() - 1, group.begin(), group.end());
      else others.push_back(std::move(group));
    }
    others.push_back(std::move(mine));
    groups_ = std::move(others);
  }

  bool saw_the_same(const Group& group, const Source& source) {
    return std::any_of(group.begin(), group.end(), [&](const Source* member) {
      const Alignment joined = session::align(member->ledger, source.ledger);
      if (joined.state == AlignmentState::clocks_apart) tell_clocks(*member, source, joined);
      return joined.state == AlignmentState::joined;
    });
  }

  const std::string& name(const Source& source) const { return report_.inputs[source.inputs.front()].path; }

  void tell_clocks(const Source& a, const Source& b, const Alignment& joined) {
    const bool steady = joined.spread_us < kSecond;
    report_.notes.push_back(fmt::format("{} and {} show {} calls in common, but their clocks {}: each was judged alone{}", name(a), name(b), joined.joined,
                                        steady ? "are " + format_duration(std::abs(joined.offset_us)) + " apart" : "run against each other",
                                        steady && std::abs(joined.offset_us) % (15 * kMinute) < kMinute ? " (is a time zone missing? give it with --tz)" : ""));
  }

  // Only where another input could have confirmed it.
  void tell_alone() {
    std::vector<std::string> alone;
    for (const Group& group : groups_) {
      if (group.size() == 1) alone.push_back(name(*group.front()));
    }
    if (sources_.size() < 2 || alone.empty()) return;
    const std::size_t more = alone.size() > kFilesNamed ? alone.size() - kFilesNamed : 0;
    alone.resize(alone.size() - more);
    report_.notes.push_back(fmt::format("no other input shows calls of {}{}: judged alone", fmt::join(alone, ", "), more > 0 ? fmt::format(" and {} more", more) : ""));
  }

  engine::Witness witness_of(Source& source) const {
    engine::Witness witness{source.vantage, &source.ledger, &source.engine.book()};
    for (const std::uint32_t input : source.inputs) {
      const model::InputRow& row = report_.inputs[input];
      if (row.first.known() && (!witness.first.known() || row.first < witness.first)) witness.first = row.first;
      if (row.last.known() && (!witness.last.known() || row.last > witness.last)) witness.last = row.last;
    }
    return witness;
  }

  void join(Group& group) {
    settle_places(group);
    std::stable_sort(group.begin(), group.end(), [](const Source* a, const Source* b) { return a->vantage < b->vantage; });
    if (group.front()->vantage == Vantage::unknown) {  // of unknown place: shown last, and no hop is told by it
      const auto known = std::find_if(group.begin(), group.end(), [](const Source* source) { return source->vantage != Vantage::unknown; });
      std::rotate(group.begin(), known, group.end());
    }
    engine::VantagePath path;
    for (Source* source : group) {
      const bool speaks_of_wire = source->vantage != Vantage::client;  // a client's record has a rule of its own
      if (speaks_of_wire) path.points.push_back(witness_of(*source));
    }
    for (std::size_t i = 0; i < path.points.size(); ++i) {
      std::vector<Alignment>& inner = path.to_inner.emplace_back();
      for (std::size_t k = i + 1; k < path.points.size(); ++k) inner.push_back(session::align(*path.points[i].ledger, *path.points[k].ledger));
    }
    for (const Source* source : group) {
      if (source->vantage != Vantage::client || !shows_messages(*source)) continue;
      engine::ClientLog& client = path.clients.emplace_back();
      client.ledger = &source->ledger;
      for (const Source* point : group) {
        if (point->vantage == Vantage::client) continue;
        Alignment joined = session::align(source->ledger, point->ledger);
        const bool outside = share_longer(*source, *point, joined) >= kMostly;  // some dialects are a server's as well as a client's
        client.to_point.push_back(outside ? std::move(joined) : Alignment{});
      }
    }
    engine::name_first_divergence(path, rules_);
    describe(group);
  }

  // A capture that holds the traffic before a proxy and behind it is as many witnesses.
  void part(Source& source) {
    std::vector<session::CallLedger> hops = source.ledger.by_server();
    std::vector<bool> done(hops.size());
    std::vector<Hops> chains;
    bool any = false;
    for (std::size_t first = 0; first < hops.size(); ++first) {
      if (done[first]) continue;
      std::vector<const session::CallLedger*> chain{&hops[first]};
      for (std::size_t other = 0; other < hops.size(); ++other) {
        if (other == first || done[other]) continue;
        const auto behind = std::find_if(chain.begin(), chain.end(), [&](const auto* hop) { return relays(hops[other], *hop); });
        const bool before = behind != chain.end() && behind == chain.begin();
        if (!before && !relays(*chain.back(), hops[other])) continue;
        chain.insert(before ? chain.begin() : chain.end(), &hops[other]);
        done[other] = true;
      }
      if (chain.size() > 1) join_hops(source, chain), any = true;
      Hops& kept = chains.emplace_back();
      for (const session::CallLedger* hop : chain) kept.push_back(std::move(hops[static_cast<std::size_t>(hop - hops.data())]));
    }
    if (any) hops_.emplace(&source, std::move(chains));
  }

  // One clock saw both: what went on from the first to the second lies within the call at the first, and mostly the reply is the same one.
  // A client that asks two servers the same question at once gets a reply of each.
  static bool relays(const session::CallLedger& outer, const session::CallLedger& inner) {
    const Alignment joined = session::align(outer, inner);
    std::size_t within = 0, answered = 0, same = 0;
    for (std::size_t i = 0; i < joined.partner.size(); ++i) {
      if (joined.partner[i] == Alignment::kAlone) continue;
      const CallRecord& before = outer.records()[i];
      const CallRecord& behind = inner.records()[joined.partner[i]];
      if (before.has_payload() && behind.has_payload()) ++answered, same += session::same_payload(before, behind);
      within += before.requested.known() && behind.requested >= before.requested && (!before.answered || !behind.answered || behind.replied <= before.replied);
    }
    const auto most = [](std::size_t part, std::size_t all) { return static_cast<double>(part) >= kMostly * static_cast<double>(all); };
    return joined.state == AlignmentState::joined && most(within, joined.joined) && most(same, answered);
  }

  void join_hops(Source& source, const std::vector<const session::CallLedger*>& hops) {
    engine::VantagePath path;
    path.one_book = true;
    for (std::size_t i = 0; i < hops.size(); ++i) {
      const Vantage vantage = i == 0 ? Vantage::client_wire : i + 1 == hops.size() ? Vantage::server_wire : Vantage::gateway;
      path.points.push_back({vantage, hops[i], &source.engine.book()});
      std::vector<Alignment>& inner = path.to_inner.emplace_back();
      for (std::size_t k = i + 1; k < hops.size(); ++k) inner.push_back(session::align(*hops[i], *hops[k]));
    }
    engine::name_first_divergence(path, rules_);
    for (std::size_t i = 1; i < hops.size(); ++i) learn_sessions({&source, hops[0]}, {&source, hops[i]}, path.to_inner[0][i - 1]);
    const Alignment& ends = path.to_inner.front().back();
    report_.notes.push_back(fmt::format("{} holds both sides of a proxy: {} of {} calls to {} went on to {}", short_name(source), ends.joined, hops.front()->records().size(),
                                        hops.front()->servers().front(), hops.back()->servers().front()));
  }

  // Wires are told apart by where they go and by how long calls take there.
  void settle_places(Group& group) {
    for (Source* inner : group) {
      if (inner->vantage != Vantage::client_wire) continue;
      const bool behind = std::any_of(group.begin(), group.end(), [&](const Source* outer) { return outer != inner && lies_before(*outer, *inner); });
      if (!behind) continue;
      behind_.insert(inner);
    }
    for (Source* source : group) {
      if (behind_.contains(source)) move(*source, Vantage::server_wire);
    }
    for (Source* source : group) {
      const bool inside = source->vantage == Vantage::unknown && std::any_of(group.begin(), group.end(), [&](const Source* wire) {
        return wire->vantage == Vantage::server_wire && share_longer(*wire, *source, session::align(wire->ledger, source->ledger)) >= kMostly;
      });
      if (inside) move(*source, Vantage::server);
    }
    settle_sides(group);
  }

  // Records of messages that say nothing of their place: where ids are rewritten on the way from one to the other, what rewrites them stands
  // between, and calls take longer on its client's side.
  void settle_sides(const Group& group) {
    std::set<Source*> outside, inside;
    for (Source* inner : group) {
      if (inner->vantage != Vantage::unknown || !shows_messages(*inner)) continue;
      for (Source* outer : group) {
        const bool may_be = outer->vantage == Vantage::unknown ? shows_messages(*outer) : outer->vantage == Vantage::client_wire || outer->vantage == Vantage::gateway;
        if (outer == inner || !may_be) continue;
        const Alignment joined = session::align(outer->ledger, inner->ledger);
        if (joined.joined == 0 || 2 * joined.rewritten < joined.joined) continue;
        const double longer = share_longer(*outer, *inner, joined), shorter = share_longer(*inner, *outer, session::align(inner->ledger, outer->ledger));
        if (longer < 0.5 || longer < kMostly * (longer + shorter)) continue;  // equal to the millisecond says nothing
        inside.insert(inner);
        outside.insert(outer);
      }
    }
    for (Source* source : group) {
      if (inside.contains(source)) move(*source, outside.contains(source) ? Vantage::gateway : Vantage::server_wire);
      else if (outside.contains(source) && source->vantage == Vantage::unknown) move(*source, Vantage::client_wire);
    }
  }

  void move(Source& source, Vantage vantage) {
    source.vantage = vantage;
    for (const std::uint32_t input : source.inputs) report_.inputs[input].vantage = vantage;
  }

  static bool lies_before(const Source& outer, const Source& inner) {
    const bool wire = outer.wire && outer.vantage == Vantage::client_wire;
    if (!wire && outer.vantage != Vantage::gateway) return false;
    if (wire && same_hop(outer, inner)) return false;
    return share_longer(outer, inner, session::align(outer.ledger, inner.ledger)) >= kMostly;
  }

  void describe(const Group& group) {
    const Source& first = *group.front();
    // A client's record knows no MCP sessions, and often no ids: those are compared from the next place on, else with a log of its messages.
    auto beyond = std::find_if(group.begin(), group.end(), [](const Source* source) { return source->vantage != Vantage::client; });
    if (beyond == group.end()) beyond = std::find_if(group.begin(), group.end(), [](const Source* source) { return shows_messages(*source); });
    const Source& named = beyond == group.end() ? *group[1] : **beyond;
    std::vector<const Source*> waiting;  // for one behind them that saw the same traffic: none before them did
    for (const Source* source : group) {
      const auto end = std::find(group.begin(), group.end(), source);
      const auto before = std::find_if(group.begin(), end, [&](const Source* member) { return are_joined(*member, *source); });
      if (before != end) tell_joined(**before, named, *source);
      std::erase_if(waiting, [&](const Source* other) { return are_joined(*other, *source) && (other == *before || (tell_joined(*other, named, *source), true)); });
      if (before == end && source != &first) waiting.push_back(source);
      const bool has_sessions = source->vantage != Vantage::client || (beyond != group.end() && shows_messages(*source));
      if (source != &named && has_sessions) learn_sessions_of(*source, named, group);
      const std::size_t calls = source->ledger.records().size();
      if (source->ledger.left_out() > 0) {
        report_.notes.push_back(fmt::format("{}: the first {} of its {} calls were laid beside the other inputs", name(*source), calls, calls + source->ledger.left_out()));
      }
    }
  }

  // From all wires and servers' logs before it in the group; a client's own log from the next place on.
  void learn_sessions_of(const Source& source, const Source& named, const Group& group) {
    for (const Source* outer : group) {
      if (outer == &source && source.vantage != Vantage::client) return;
      if (source.vantage == Vantage::client ? outer != &named : outer->vantage == Vantage::client) continue;
      learn_sessions({outer, &outer->ledger}, {&source, &source.ledger}, session::align(outer->ledger, source.ledger));
    }
  }

  static bool are_joined(const Source& a, const Source& b) { return session::align(a.ledger, b.ledger).state == AlignmentState::joined; }

  // What the two share, how far the second clock is off, and how ids change on the way.
  void tell_joined(const Source& first, const Source& named, const Source& source) {
    const Alignment joined = session::align(first.ledger, source.ledger), ids = session::align(named.ledger, source.ledger);
    std::string note = fmt::format("{} ({}) and {} ({}) saw the same traffic: {} of {} calls joined", short_name(first), words(first.vantage), short_name(source), words(source.vantage),
                                   joined.joined, first.ledger.records().size());
    if (joined.clock_known) {
      note += fmt::format("; the second clock is {} {} ({}, from {} calls)", clock_words(std::abs(joined.offset_us)), joined.offset_us < 0 ? "behind" : "ahead",
                          joined.spread_us < kMillisecond ? "within 1 ms" : "+-" + clock_words(joined.spread_us), joined.clock_calls);
    }
    if (&source != &named && ids.rewritten > 0) note += fmt::format("; ids are rewritten on the way: {} becomes {} ({} calls)", ids.id_before, ids.id_after, ids.rewritten);
    report_.notes.push_back(std::move(note));
  }

  std::string short_name(const Source& source) const {
    const std::string& path = name(source);
    return path.substr(path.find_last_of('/') + 1);
  }

  // One to one, or not at all: a session that carries several of the client's side is none of them.
  struct Sighting {
    const Source* source;
    const session::CallLedger* ledger;
  };

  void learn_sessions(const Sighting& outer, const Sighting& inner, const Alignment& joined) {
    std::map<std::string, std::set<std::string>> outers;
    std::map<std::string, std::set<std::string>> inners;
    for (std::size_t i = 0; i < joined.partner.size(); ++i) {
      if (joined.partner[i] == Alignment::kAlone || outer.ledger->records()[i].shown) continue;
      const std::string& before = outer.ledger->session(outer.ledger->records()[i]);
      const std::string& after = inner.ledger->session(inner.ledger->records()[joined.partner[i]]);
      outers[after].insert(before);
      inners[before].insert(after);
    }
    for (const auto& [after, before] : outers) {
      const bool one_to_one = before.size() == 1 && inners[*before.begin()].size() == 1;
      const bool other_name = session::normalise_session_id(after) != session::normalise_session_id(*before.begin());
      if (one_to_one && (other_name || inner.source->vantage == Vantage::client)) aliases_.try_emplace({inner.source, after}, SeenSession{outer.source, *before.begin()});
    }
  }

  const engine::RuleSet& rules_;
  model::Report& report_;
  std::vector<Source*> sources_;
  std::vector<Group> groups_;
  std::set<const Source*> behind_;
  SessionAliases aliases_;
  std::map<const Source*, std::vector<Hops>> hops_;
  std::uint64_t not_compared_ = 0;
};

}  // namespace

JoinedVantages join_vantages(const std::vector<std::unique_ptr<Source>>& sources, const engine::RuleSet& rules, model::Report& report) {
  return VantageJoin(sources, rules, report).run();
}

}  // namespace mcpscan::pipeline
