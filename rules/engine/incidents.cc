#include "engine/incidents.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "engine/call_picture.h"

namespace mcpscan::engine {

using model::Finding;
using model::Incident;
using model::Level;
using model::StoryLine;

namespace {

constexpr std::size_t kPictureLines = 8;
constexpr std::size_t kOccurrences = 4;
constexpr std::int64_t kPictureSpanUs = 2 * kMinute;
constexpr std::size_t kToolsNamed = 20;
constexpr std::size_t kIdsNamed = 3;
constexpr std::size_t kReasonsNamed = 3;
constexpr std::size_t kChain = 8;  // causes followed from a consequence to its root
constexpr std::size_t kIdDigits = 6;

bool names_id(const Finding& finding, const std::string& id) {
  return id.empty() || std::any_of(finding.calls.begin(), finding.calls.end(), [&](const auto& call) { return call.id.value == id; });
}

// Findings by what an effect names of its cause: the rule, and the session, which may be none.
class CauseIndex {
 public:
  explicit CauseIndex(const std::vector<BookedFinding>& all) {
    for (const BookedFinding& booked : all) {
      places_[key(booked.finding.rule, {})].push_back(&booked);
      if (!booked.finding.session.empty()) places_[key(booked.finding.rule, booked.finding.session)].push_back(&booked);
    }
  }
  const std::vector<const BookedFinding*>& candidates(const BookedFinding& effect) const {
    static const std::vector<const BookedFinding*> kNone;
    const auto found = places_.find(key(effect.cause_rule, effect.cause_session.empty() ? effect.finding.session : effect.cause_session));
    return found == places_.end() ? kNone : found->second;
  }

 private:
  static std::string key(const std::string& rule, const std::string& session) { return rule + '\x1f' + session; }

  std::unordered_map<std::string, std::vector<const BookedFinding*>> places_;
};

// The finding that explains this one: of the named rule, in the same session or the one that it names, about the same id. A record that names no session is explained by
// the only such finding anywhere.
const BookedFinding* cause_of(const BookedFinding& effect, const CauseIndex& causes) {
  const BookedFinding* best = nullptr;
  for (const BookedFinding* candidate : causes.candidates(effect)) {
    if (candidate == &effect || !names_id(candidate->finding, effect.cause_id)) continue;
    if (candidate->finding.rule == effect.finding.rule && candidate->finding.level <= effect.finding.level) continue;
    if (!best || std::tie(candidate->finding.level, candidate->finding.count) > std::tie(best->finding.level, best->finding.count)) best = candidate;
  }
  return best;
}

void link_causes(std::vector<BookedFinding>& all) {
  const CauseIndex causes(all);
  for (BookedFinding& effect : all) {
    if (effect.cause_rule.empty()) continue;
    const BookedFinding* cause = cause_of(effect, causes);
    if (!cause) continue;
    effect.finding.consequence_of = cause->finding.id;
    if (effect.finding.fault.party == model::Party::unknown && effect.finding.session.empty()) {
      effect.finding.fault = {cause->finding.fault.party, model::Certainty::strong, cause->finding.fault.contributing,
                              "other evidence shows requests that share this id at the same time"};
    }
  }
}

std::string number(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

std::string counted(std::uint64_t value, const char* one, const char* many) { return number(value) + " " + (value == 1 ? one : many); }

// "{count|reply|replies}": the number with the word that goes with it.
void fill_plurals(std::string& text, std::uint64_t count) {
  constexpr std::string_view kOpen = "{count|";
  for (std::size_t at = text.find(kOpen); at != std::string::npos; at = text.find(kOpen)) {
    const std::size_t bar = text.find('|', at + kOpen.size()), end = text.find('}', at);
    if (bar == std::string::npos || end == std::string::npos || bar > end) return;
    const std::string one = text.substr(at + kOpen.size(), bar - at - kOpen.size()), many = text.substr(bar + 1, end - bar - 1);
    text.replace(at, end + 1 - at, counted(count, one.c_str(), many.c_str()));
  }
}

// Fills the words in braces of a rule's title or story.
std::string filled(std::string text, std::uint64_t count, const std::map<std::string, std::string>& words) {
  fill_plurals(text, count);
  for (const auto& [name, value] : words) {
    const std::string hole = "{" + name + "}";
    for (std::size_t at = text.find(hole); at != std::string::npos; at = text.find(hole, at + value.size())) text.replace(at, hole.size(), value);
  }
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

struct Group {
  std::vector<const BookedFinding*> roots, effects;
};

class IncidentWriter {
 public:
  IncidentWriter(const Group& group) : group_(group), root_(*group.roots.front()) {}

  Incident write() {
    incident_.root = root_.finding.id;
    incident_.fault = root_.finding.fault;
    gather();
    const auto words = story_words();
    const Rule& rule = *root_.rule;
    incident_.title = filled(rule.incident_title.empty() ? rule.title + ": {count} in {sessions}" : rule.incident_title, count_, words);
    const auto told = rule.incident_stories.find(root_.finding.detail);
    const std::string& story = told != rule.incident_stories.end() ? told->second : rule.incident_story;
    incident_.story = filled(story.empty() ? rule.description : story, count_, words);
    write_fix();
    draw();
    return std::move(incident_);
  }

 private:
  void gather() {
    for (const auto* list : {&group_.roots, &group_.effects}) {
      for (const BookedFinding* booked : *list) {
        const Finding& finding = booked->finding;
        incident_.findings.push_back(finding.id);
        incident_.level = std::max(incident_.level, finding.level);
        if (!finding.session.empty()) sessions_.insert(finding.session);
        for (const auto& call : finding.calls) {
          if (is_of_tool(call.method) && !call.tool.empty() && tools_.size() < kToolsNamed) tools_.insert(call.tool);
        }
        if (finding.rule == "lost-reply" && finding.level > Level::informational) lost_ += finding.count;
        if (finding.rule == "stream-not-found-burst" && finding.level > Level::informational && !finding.detail.empty()) note_burst(finding);
      }
    }
    for (const BookedFinding* root : group_.roots) count_ += root->finding.count;
    incident_.calls = std::max(count_, lost_);
    incident_.sessions = sessions_.size();
    incident_.tools.assign(tools_.begin(), tools_.end());
  }

  void note_burst(const Finding& finding) {
    incident_.notes.push_back(fmt::format("{}: {}", finding.session.empty() ? std::string("log") : finding.session, finding.detail));
  }

  std::map<std::string, std::string> story_words() const {
    std::set<std::string> ids;
    for (const BookedFinding* root : group_.roots) {
      for (const auto& call : root->finding.calls) {
        if (!call.id.raw.empty() && ids.size() < kIdsNamed) ids.insert(call.id.raw);
      }
    }
    const std::string sessions = sessions_.empty() ? std::string("no named session") : counted(sessions_.size(), "session", "sessions");
    const bool root_is_loss = root_.finding.rule == "lost-reply";
    return {{"count", number(count_)},
            {"sessions", sessions},
            {"ids", fmt::format("{}", fmt::join(ids, ", "))},
            {"lost", lost_ == 0 || root_is_loss ? std::string() : fmt::format("; {} lost", counted(lost_, "reply was", "replies were"))},
            {"detail", root_.finding.detail},
            {"reason", reasons()}};
  }

  // What is told of each root, once: one client may have done two things.
  std::string reasons() const {
    std::vector<std::string_view> told;
    for (const BookedFinding* root : group_.roots) {
      const std::string& reason = root->finding.fault.reason;
      if (!reason.empty() && std::find(told.begin(), told.end(), reason) == told.end()) told.push_back(reason);
    }
    const std::size_t more = told.size() > kReasonsNamed ? told.size() - kReasonsNamed : 0;
    told.resize(told.size() - more);
    return fmt::format("{}{}", fmt::join(told, "; "), more == 0 ? std::string() : fmt::format("; and {} more like it", more));
  }

  void write_fix() {
    for (const auto& [party, text] : root_.rule->fix) incident_.fix += fmt::format("{}{}{}", incident_.fix.empty() ? "" : "; ", party == "unknown" ? std::string() : party + ": ", text);
  }

  // The first occurrence, with what followed from it in the next two minutes. Where that is a single line, more occurrences.
  void draw() {
    std::vector<StoryLine> lines = root_.picture;
    lines.resize(std::min(lines.size(), root_.first_lines > 1 ? root_.first_lines : kOccurrences));
    const Time start = lines.empty() ? root_.finding.first : lines.front().at;
    for (const BookedFinding* effect : group_.effects) {
      if (effect->finding.session != root_.finding.session) continue;
      std::size_t taken = 0;
      for (const StoryLine& line : effect->picture) {
        const bool near = line.at.known() && start.known() && line.at >= start && line.at.us - start.us <= kPictureSpanUs;
        if (near && taken < 2 && adds_to(lines, line)) lines.push_back(line), ++taken;
      }
    }
    std::stable_sort(lines.begin(), lines.end(), [](const StoryLine& a, const StoryLine& b) { return a.at < b.at; });
    if (lines.size() > kPictureLines) lines.resize(kPictureLines);
    incident_.picture = std::move(lines);
  }

  // What became of a call in the picture, told once though several findings may tell of it.
  static bool adds_to(const std::vector<StoryLine>& lines, const StoryLine& line) {
    const auto same = [](const model::SourceRef& a, const model::SourceRef& b) { return a.input == b.input && a.number == b.number; };
    const auto of_call = [&](const StoryLine& other) { return same(other.asked, line.asked); };
    if (line.asked.number > 0 && !lines.empty() && (line.mark == '>' || std::none_of(lines.begin(), lines.end(), of_call))) return false;
    return std::none_of(lines.begin(), lines.end(), [&](const StoryLine& other) { return other.mark == line.mark && other.at == line.at && same(other.source, line.source); });
  }

  const Group& group_;
  const BookedFinding& root_;
  Incident incident_;
  std::set<std::string> sessions_, tools_;
  std::uint64_t count_ = 0, lost_ = 0;
};

const BookedFinding* root_of(const BookedFinding& booked, const std::map<std::string, const BookedFinding*>& by_id) {
  const BookedFinding* root = &booked;
  for (std::size_t step = 0; step < kChain && !root->finding.consequence_of.empty(); ++step) {
    const auto next = by_id.find(root->finding.consequence_of);
    if (next == by_id.end()) break;
    root = next->second;
  }
  return root;
}

// The client of each session, by its id and its key; of two with one name the first.
std::unordered_map<std::string_view, std::string_view> clients_of(const std::vector<model::SessionRow>& sessions) {
  std::unordered_map<std::string_view, std::string_view> clients;
  for (const model::SessionRow& row : sessions) {
    clients.emplace(row.id, row.client_name);
    clients.emplace(row.key, row.client_name);
  }
  clients.erase(std::string_view());
  return clients;
}

// Short, and longer where two incidents would share it.
void name_incidents(std::vector<Incident>& incidents) {
  std::set<std::string> taken;
  for (Incident& incident : incidents) {
    std::size_t digits = kIdDigits;
    do {
      incident.id = "inc-" + incident.root.substr(0, digits++);
    } while (!taken.insert(incident.id).second && digits <= incident.root.size());
  }
}

}  // namespace

std::vector<Incident> assemble_incidents(FindingBook& book, const std::vector<model::SessionRow>& sessions) {
  std::vector<BookedFinding>& all = book.findings();
  link_causes(all);
  std::map<std::string, const BookedFinding*> by_id;
  for (const BookedFinding& booked : all) by_id.emplace(booked.finding.id, &booked);
  const auto clients = clients_of(sessions);
  std::map<std::tuple<std::string, std::string, model::Party, std::string>, Group> groups;
  for (const BookedFinding& booked : all) {
    const BookedFinding* root = root_of(booked, by_id);
    if (root->finding.level == Level::informational) continue;
    const std::string detail = root->rule->incident_stories.contains(root->finding.detail) ? root->finding.detail : std::string();
    const auto client = clients.find(root->finding.session);
    Group& group = groups[{root->finding.rule, detail, root->finding.fault.party, std::string(client == clients.end() ? std::string_view() : client->second)}];
    (root == &booked ? group.roots : group.effects).push_back(&booked);
  }
  std::vector<Incident> incidents;
  for (auto& [key, group] : groups) {
    std::stable_sort(group.roots.begin(), group.roots.end(), [](const BookedFinding* a, const BookedFinding* b) {
      return std::make_tuple(-static_cast<int>(a->finding.level), a->finding.first, a->finding.id) < std::make_tuple(-static_cast<int>(b->finding.level), b->finding.first, b->finding.id);
    });
    incidents.push_back(IncidentWriter(group).write());
  }
  std::stable_sort(incidents.begin(), incidents.end(), [](const Incident& a, const Incident& b) {
    return std::make_tuple(-static_cast<int>(a.level), -static_cast<std::int64_t>(a.calls), a.root) < std::make_tuple(-static_cast<int>(b.level), -static_cast<std::int64_t>(b.calls), b.root);
  });
  name_incidents(incidents);
  return incidents;
}

}  // namespace mcpscan::engine
