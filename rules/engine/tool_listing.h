// ToolListing: the tools that the replies to tools/list name, by session and by server. Knows when a session's list is whole (all pages) and
// when it may be stale (list_changed). Not a validator of schemas.
// Ownership: copies names and digests. Threads: none. Bound: kMost tools of a list, sessions open at a time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/message_json.h"
#include "model/timeline.h"

namespace mcpscan::engine {

struct ListedTool {
  std::string name;
  std::uint64_t definition = 0;      // digest of all that a client decides by: description, schemas, annotations
  bool structured = false;           // it declares an outputSchema
};

struct ToolPage {
  std::vector<ListedTool> tools;
  bool last = false;                 // no page follows
};

class ToolListing {
 public:
  static constexpr std::size_t kMost = 10000;

  // Replies, requests and notifications of a session; keeps its list up to date. The page that this event brought, else null.
  const ToolPage* note(const model::TimelineEvent& event);
  void forget(std::uint32_t session) { sessions_.erase(session); }

  // The list of the session is whole and nothing has said that it changed since.
  bool is_whole(std::uint32_t session) const;
  const ListedTool* find(std::uint32_t session, std::string_view name) const;

 private:
  struct Listed {
    std::map<std::string, ListedTool, std::less<>> tools;
    bool whole = false, stale = false, open = false;
  };
  bool read(const model::RpcMessage& message);

  MessageJson json_;
  ToolPage page_;
  std::map<std::uint32_t, Listed> sessions_;
};

}  // namespace mcpscan::engine
