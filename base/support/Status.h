// The result of a function that may fail: a cl_int, a sentence with the caller's value in it, and the source location.
// Success is a null pointer, so it costs one register. A Status becomes a bare cl_int in api/Enter.h and nowhere else.
//
// Failing must not fail: without memory for the sentence, a Status is its code alone. So functions that cannot throw
// can return a Status as well.
#pragma once
#include "base/support/OpenCL.h"
#include <memory>
#include <new>
#include <optional>
#include <source_location>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

namespace kiln {

class [[nodiscard]] Status {
public:
  Status() = default;
  Status(cl_int code, std::string message, std::source_location where = std::source_location::current()) noexcept {
    auto *failure = new (std::nothrow) Failure{code, std::move(message), where};
    word_ = failure ? reinterpret_cast<uintptr_t>(failure) : bare(code);
  }
  /// A Status without a message.
  static Status withoutMessage(cl_int code) noexcept {
    Status status;
    status.word_ = bare(code);
    return status;
  }
  Status(Status &&other) noexcept : word_(std::exchange(other.word_, 0)) {}
  Status &operator=(Status &&other) noexcept {
    std::swap(word_, other.word_);
    return *this;
  }
  ~Status() { delete failure(); }

  bool ok() const { return !word_; }
  cl_int code() const {
    const Failure *found = failure();
    return found ? found->code : cl_int(intptr_t(word_) >> 1);
  }
  std::string_view message() const {
    const Failure *found = failure();
    return found ? std::string_view(found->message) : ok() ? "success" : "no message: out of memory";
  }
  Status &status() & { return *this; }
  Status status() && { return std::move(*this); }
  void value() && {}

private:
  struct Failure {
    cl_int code;
    std::string message;
    std::source_location where; // for debuggers
  };
  static uintptr_t bare(cl_int code) { return uintptr_t(intptr_t(code)) << 1 | 1; }
  Failure *failure() const { return word_ & 1 ? nullptr : reinterpret_cast<Failure *>(word_); }
  uintptr_t word_ = 0; // a Failure pointer; or the code shifted left with bit 0 set; 0 is success
};

/// A value, or a Status that is not ok.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : value_(std::move(value)) {}
  template <typename U>
    requires(std::is_convertible_v<U, T> && !std::is_same_v<std::remove_cvref_t<U>, Result> &&
             !std::is_same_v<std::remove_cvref_t<U>, Status> && !std::is_same_v<std::remove_cvref_t<U>, T>)
  Result(U &&value) : value_(std::forward<U>(value)) {}
  Result(Status failure) : status_(std::move(failure)) {}

  bool ok() const { return value_.has_value(); }
  cl_int code() const { return status_.code(); }
  std::string_view message() const { return status_.message(); }
  Status &status() & { return status_; }
  Status status() && { return std::move(status_); }
  T &value() & { return *value_; }
  T value() && { return std::move(*value_); }
  T &operator*() { return *value_; }
  T *operator->() { return &*value_; }

private:
  Status status_;
  std::optional<T> value_;
};

/// Concatenates its arguments. `fail(CL_INVALID_VALUE, "size is ", size, ", must be ", n)`
template <typename... Parts> std::string text(const Parts &...parts) {
  std::ostringstream out;
  out.exceptions(std::ios::badbit); // bad_alloc must not be swallowed, or the text would be truncated
  (out << ... << parts);
  return std::move(out).str();
}

/// Captures the source location of the call next to the code, so that `fail` can have a parameter pack after it.
struct FailureCode {
  FailureCode(cl_int code, std::source_location where = std::source_location::current()) : code(code), where(where) {}
  cl_int code;
  std::source_location where;
};
template <typename... Parts> Status fail(FailureCode code, const Parts &...parts) noexcept {
  try {
    return Status(code.code, text(parts...), code.where);
  } catch (const std::bad_alloc &) {
    return Status::withoutMessage(code.code);
  }
}

} // namespace kiln

/// Evaluates to the value of a Result (void for a Status). On failure it returns the Status from the enclosing
/// function.
#define KILN_TRY(expression)                                                                                           \
  ({                                                                                                                   \
    auto kilnTried = (expression);                                                                                     \
    if (!kilnTried.ok())                                                                                               \
      return std::move(kilnTried).status();                                                                            \
    std::move(kilnTried).value();                                                                                      \
  })
