#include "pipeline/share_names.h"

#include "base/embedded_file.h"

namespace mcpscan::pipeline {

bool is_by_name(std::string_view method) { return method == model::kToolsCall || method == model::kPromptsGet; }

void ShareNames::on_observation(const model::Observation& seen) {
  if (seen.keying != model::SessionKeying::process) note(seen.session);
  if (seen.http) {
    const model::HttpFacts& http = *seen.http;
    for (const std::string_view id : {http.session_id, http.response_session_id}) note(id);
    for (const std::string_view host : {http.host, http.server, http.peer, http.forwarded_for}) note_host(host);
  }
  if (seen.outcome) kept_.emplace(seen.outcome->tool);
  if (!seen.message) return;
  keep(seen.message->id);
  keep(seen.message->related);
  keep(seen.message->progress_token);
  if (is_by_name(seen.message->method)) kept_.emplace(seen.message->target);
}

void ShareNames::on_event(std::size_t, const model::TimelineEvent&) {}

void ShareNames::note(std::string_view name) {
  if (!name.empty()) names_.emplace(name);
}

// Without its port; the brackets of IPv6 are no part of it.
void ShareNames::note_host(std::string_view host) {
  if (host.starts_with('[')) host = host.substr(1, host.find(']') - 1);
  const std::size_t colon = host.rfind(':');
  if (colon != std::string_view::npos && host.find(':') == colon) host = host.substr(0, colon);
  if (host.find(' ') == std::string_view::npos && host.find(',') == std::string_view::npos) note(host);
}

void ShareNames::keep(const model::RpcId& id) {
  if (!id.value.empty()) kept_.emplace(id.value);
}

void ShareNames::teach(extract::ShareText& text) const {
  for (const std::string& name : names_) text.know(name);
  for (const std::string& word : kept_) {
    if (!names_.contains(word)) text.keep(word);
  }
  for (const EmbeddedFile& dialect : embedded_dialects()) text.keep_in_prose(dialect.text);
}

}  // namespace mcpscan::pipeline
