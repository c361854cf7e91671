// Result<T>: a value, or an Error that says what failed, where, why and how to put it right.
// Not an exception: no library of this project throws across its border, prints or exits.
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace mcpscan {

enum class ErrorCode { not_found, unreadable, unsupported, malformed, invalid_argument, limit, internal };

struct [[nodiscard]] Error {
  ErrorCode code = ErrorCode::internal;
  std::string what;   // one sentence, no full stop
  std::string where;  // file:line, or the path; may be empty
  std::string hint;   // how to put it right; may be empty

  // `where: what (hint)`, the text for a person; a caret picture, where one helps, is part of `what`.
  std::string to_string() const {
    std::string text = where.empty() ? what : where + ": " + what;
    if (!hint.empty()) text += "\n  hint: " + hint;
    return text;
  }
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit by design
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  T& value() { assert(ok()); return std::get<0>(state_); }
  const T& value() const { assert(ok()); return std::get<0>(state_); }
  T take() { assert(ok()); return std::move(std::get<0>(state_)); }
  const Error& error() const { assert(!ok()); return std::get<1>(state_); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }

 private:
  std::variant<T, Error> state_;
};

// The outcome of something that has no value.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Error error) : error_(std::move(error)) {}  // NOLINT: implicit by design

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  const Error& error() const { assert(!ok()); return *error_; }

 private:
  std::optional<Error> error_;
};

}  // namespace mcpscan
