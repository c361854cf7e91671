// ToolListing: the tools that the replies to tools/list name, by session. Knows when a session's list is whole (all pages) and when it may be
// stale (list_changed). Sessions of one server have the same list: a page that was read before is neither read nor kept again. Not a
// validator of schemas.
// Ownership: copies names and digests, and the texts of the pages read last. Threads: none. Bound: kMost tools of a list, kPages texts of
// kPageBytes, sessions open at a time.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/by_session.h"
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
  std::unordered_map<std::string_view, const ListedTool*> by_name;  // of equal ones the last
  bool last = false;                 // no page follows

  ToolPage() = default;
  ToolPage(const ToolPage&) = delete;  // by_name points into tools
  ToolPage& operator=(const ToolPage&) = delete;

  const ListedTool* find(std::string_view name) const;
};

class ToolListing {
 public:
  static constexpr std::size_t kMost = 10000;

  // The pages of one session's list.
  struct Listed {
    std::vector<std::shared_ptr<const ToolPage>> pages;
    std::size_t tools = 0;
    bool whole = false, stale = false, open = false;

    const ListedTool* find(std::string_view name) const;
  };

  // Replies, requests and notifications of a session; keeps its list up to date. The page that this event brought, until the
  // next one; else null.
  const ToolPage* note(const model::TimelineEvent& event);
  void forget(std::uint32_t session) { sessions_.erase(session); }
  // The session's list, if it is whole and nothing has said that it changed since; else null.
  const Listed* whole(std::uint32_t session) const;

 private:
  static constexpr std::size_t kPages = 8, kPageBytes = 256u << 10;
  struct Read {
    std::string text;
    std::shared_ptr<const ToolPage> page;
  };
  std::shared_ptr<const ToolPage> page_of(const model::RpcMessage& message);
  std::shared_ptr<const ToolPage> read(const model::RpcMessage& message);

  MessageJson json_;
  std::shared_ptr<const ToolPage> page_;   // given out last
  std::array<Read, kPages> read_;
  std::size_t next_read_ = 0;
  BySession<Listed> sessions_;
};

}  // namespace mcpscan::engine
