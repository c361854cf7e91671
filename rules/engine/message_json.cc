#include "engine/message_json.h"

#include <bit>
#include <string>

#include "base/hash.h"

namespace mcpscan::engine {

using Element = MessageJson::Element;
using simdjson::dom::element_type;

namespace {

constexpr int kDeepest = 64;  // beyond it everything counts as equal

std::uint64_t digest_of(const Element& element, int depth) {
  if (depth > kDeepest) return 0;
  switch (element.type()) {
    case element_type::OBJECT: {
      std::uint64_t sum = 1;
      for (const auto& [key, value] : simdjson::dom::object(element)) sum += hash_combine(hash_bytes(key), digest_of(value, depth + 1));
      return sum;
    }
    case element_type::ARRAY: {
      std::uint64_t all = 2;
      for (const Element& item : simdjson::dom::array(element)) all = hash_combine(all, digest_of(item, depth + 1));
      return all;
    }
    case element_type::STRING: return hash_bytes(std::string_view(element), 3);
    case element_type::INT64:
    case element_type::UINT64:
    case element_type::DOUBLE: return hash_combine(4, std::bit_cast<std::uint64_t>(static_cast<double>(element.get_double())));
    case element_type::BOOL: return bool(element) ? 5 : 6;
    case element_type::NULL_VALUE: return 7;
  }
  return 0;
}

}  // namespace

bool MessageJson::read(const model::RpcMessage& message) {
  if (message.text.empty() || message.text.size() > kMost || (message.defects & (model::kTruncated | model::kNotJson | model::kTooDeep)) != 0) return false;
  return parser_.parse(message.text.data(), message.text.size()).get(root_) == simdjson::SUCCESS;
}

std::optional<Element> MessageJson::at(std::string_view pointer) const {
  Element found;
  if (root_.at_pointer(pointer).get(found) != simdjson::SUCCESS) return std::nullopt;
  return found;
}

std::string_view MessageJson::text(std::string_view pointer) const {
  std::string_view found;
  if (root_.at_pointer(pointer).get(found) != simdjson::SUCCESS) return {};
  return found;
}

std::optional<double> MessageJson::number(std::string_view pointer) const {
  double found = 0;
  if (root_.at_pointer(pointer).get(found) != simdjson::SUCCESS) return std::nullopt;
  return found;
}

model::OwnedId MessageJson::id(std::string_view pointer) const {
  model::OwnedId id;
  const auto found = at(pointer);
  if (!found) return id;
  if (found->is_string()) {
    id.type = model::IdType::string;
    id.value = std::string_view(*found);
  } else if (found->is_int64() || found->is_uint64()) {
    id.type = model::IdType::integer;
    id.value = found->is_int64() ? std::to_string(std::int64_t(*found)) : std::to_string(std::uint64_t(*found));
  }
  return id;
}

std::uint64_t MessageJson::digest(const Element& element) { return digest_of(element, 0); }

}  // namespace mcpscan::engine
