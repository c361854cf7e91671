#include "model/observation.h"

#include <array>

#include "model/enum_words.h"

namespace mcpscan::model {
namespace {

constexpr std::array<std::string_view, 7> kStreams{"unknown", "post", "get_standalone", "get_resume", "legacy_sse", "listen", "stdio"};
constexpr std::array<std::string_view, 8> kEnds{"unknown", "complete", "closed_by_client", "closed_by_server", "reset_by_client", "reset_by_server",
                                                "evidence_ends", "evidence_gap"};
constexpr std::array<std::string_view, kNoticeKinds> kNotices{"stream_not_found", "reply_undeliverable", "unknown_reply_id", "session_not_found", "session_created",
                                                    "session_ended", "session_crashed", "session_expired", "request_timed_out", "request_cancelled",
                                                    "client_disconnected", "server_started", "server_stopped", "transport_closed", "message_dropped",
                                                    "id_remapped", "call_serialized", "second_get_stream", "backend_exited", "upstream_session_lost", "client_dead",
                                                    "request_before_initialize", "initialize_pending", "sse_misframed", "stdout_noise"};
constexpr std::array<std::string_view, 7> kKeyings{"none", "mcp-session-id", "legacy-session-id", "process", "principal", "connection", "source"};

}  // namespace

std::string_view to_string(StreamKind stream) { return kStreams[static_cast<std::size_t>(stream)]; }
std::string_view to_string(EndReason end) { return kEnds[static_cast<std::size_t>(end)]; }
std::string_view to_string(NoticeKind kind) { return kNotices[static_cast<std::size_t>(kind)]; }
std::string_view to_string(SessionKeying keying) { return kKeyings[static_cast<std::size_t>(keying)]; }
std::optional<StreamKind> parse_stream(std::string_view word) { return parse_word<StreamKind>(kStreams, word); }
std::optional<EndReason> parse_end(std::string_view word) { return parse_word<EndReason>(kEnds, word); }
std::optional<NoticeKind> parse_notice(std::string_view word) { return parse_word<NoticeKind>(kNotices, word); }

}  // namespace mcpscan::model
