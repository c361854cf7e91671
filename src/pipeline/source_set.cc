#include "pipeline/source_set.h"

#include <algorithm>
#include <filesystem>

namespace mcpscan::pipeline {

using ingest::InputFile;

namespace {

std::string title_of(const std::string& path) { return std::filesystem::path(path).filename().string(); }

}  // namespace

void SourceSet::expect(std::size_t files) {
  if (files > 1) joint_ = std::make_unique<engine::Engine>(rules_, engine::EngineOptions{options_.client_timeout_us, options_.rules, engine::Scope::joint}, limits_);
  const bool remember = joint_ || options_.exonerate != model::Party::unknown;
  if (remember && files > 0) ledger_calls_ = std::max<std::size_t>(session::kLedgerCalls / files, 1);
}

Source& SourceSet::of(const InputFile& file, bool wire, std::uint32_t input) {
  return noted(named(name_of(file, wire), title_of(file.member.empty() ? file.display : file.member), wire), input);
}

Source& SourceSet::of_service(const InputFile& file, std::string_view service, ingest::SpanSide side, std::uint32_t input) {
  const char* const sides[] = {"", " client", " server"};
  std::set<std::string>& known = services_[file.display];
  const std::string name = std::string(service) + sides[static_cast<std::size_t>(side)];
  if (!known.contains(name) && known.size() >= limits_.otlp_services) return noted(named(file.display + "#", "other services", false), input);
  known.insert(name);
  return noted(named(file.display + "#" + name, service.empty() ? title_of(file.display) : std::string(service), false), input);
}

Source& SourceSet::noted(Source& source, std::uint32_t input) {
  if (source.inputs.empty() || source.inputs.back() != input) source.inputs.push_back(input);
  return source;
}

std::optional<std::size_t> SourceSet::find(const std::string& name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? std::nullopt : std::optional(found->second);
}

Source& SourceSet::named(const std::string& name, const std::string& title, bool wire) {
  const auto [found, is_new] = by_name_.try_emplace(name, sources_.size());
  if (!is_new) return *sources_[found->second];
  const engine::Scope scope = joint_ ? engine::Scope::one_source : engine::Scope::all;
  sources_.push_back(std::make_unique<Source>(rules_, engine::EngineOptions{options_.client_timeout_us, options_.rules, scope, !joint_}, session::TrackerOptions{wire, title},
                                              Onlookers{joint_.get(), ledger_calls_, tap_, sources_.size(), wire}, options_.trusted_proxies, limits_));
  if (!options_.shapes.empty()) sources_.back()->engine.recall(options_.shapes);
  return *sources_.back();
}

}  // namespace mcpscan::pipeline
