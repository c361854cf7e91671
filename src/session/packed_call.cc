#include "session/packed_call.h"

#include <array>
#include <cstring>
#include <type_traits>

namespace mcpscan::session {

using model::Call;
using model::CallFacts;
using model::IdType;

namespace {

// The texts of a call, in the order they are written.
constexpr std::size_t kTexts = 9;
template <typename AnyCall>
auto texts_of(AnyCall& call) {
  return std::array{&call.id.value, &call.id.raw, &call.method, &call.target, &call.head, &call.progress_token.value, &call.progress_token.raw,
                    &call.taken_by_method, &call.taken_by_target};
}

// What stands before them.
struct Header {
  CallFacts facts;
  IdType id = IdType::absent, progress_token = IdType::absent;
  std::array<std::uint32_t, kTexts> sizes{};
};
static_assert(std::is_trivially_copyable_v<Header>, "a header is copied byte by byte");

}  // namespace

void pack_call(const Call& call, std::string& to) {
  Header header{call, call.id.type, call.progress_token.type, {}};
  const auto texts = texts_of(call);
  for (std::size_t i = 0; i < kTexts; ++i) header.sizes[i] = static_cast<std::uint32_t>(texts[i]->size());
  to.append(reinterpret_cast<const char*>(&header), sizeof header);
  for (const std::string* text : texts) to.append(*text);
}

void unpack_call(std::string_view packed, Call& call) {
  Header header;
  std::memcpy(&header, packed.data(), sizeof header);
  static_cast<CallFacts&>(call) = header.facts;
  call.id.type = header.id;
  call.progress_token.type = header.progress_token;
  packed.remove_prefix(sizeof header);
  const auto texts = texts_of(call);
  for (std::size_t i = 0; i < kTexts; ++i) {
    texts[i]->assign(packed.substr(0, header.sizes[i]));
    packed.remove_prefix(header.sizes[i]);
  }
}

}  // namespace mcpscan::session
