// How a function says that it failed: a cl_int, a sentence with the caller's value in it, and where it was found.
// Success is a null pointer, so it costs one register. A Status becomes a bare cl_int in api/Enter.h and nowhere else.
#pragma once
#include "runtime/support/OpenCL.h"
#include <memory>
#include <optional>
#include <source_location>
#include <sstream>
#include <string>
#include <utility>

namespace kiln {

class [[nodiscard]] Status {
public:
  Status() = default;
  Status(cl_int code, std::string message, std::source_location where = std::source_location::current())
      : failure_(std::make_unique<Failure>(Failure{code, std::move(message), where})) {}

  bool ok() const { return !failure_; }
  cl_int code() const { return failure_ ? failure_->code : CL_SUCCESS; }
  const std::string &message() const {
    static const auto &success = *new const std::string("success");
    return failure_ ? failure_->message : success;
  }
  /// Of a failure only.
  const std::source_location &where() const { return failure_->where; }
  Status &status() & { return *this; }
  Status status() && { return std::move(*this); }
  void value() && {}

private:
  struct Failure {
    cl_int code;
    std::string message;
    std::source_location where;
  };
  std::unique_ptr<Failure> failure_;
};

/// A value, or the Status that says why there is none.
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
  const std::string &message() const { return status_.message(); }
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

/// The sentence of a Status: its parts, one after the other. `fail(CL_INVALID_VALUE, "size is ", size, ", not ", n)`
template <typename... Parts> std::string text(const Parts &...parts) {
  std::ostringstream out;
  (out << ... << parts);
  return std::move(out).str();
}

/// Carries the place of the call along with the code, so that `fail` can take any number of parts after it.
struct FailureCode {
  FailureCode(cl_int code, std::source_location where = std::source_location::current()) : code(code), where(where) {}
  cl_int code;
  std::source_location where;
};
template <typename... Parts> Status fail(FailureCode code, const Parts &...parts) {
  return Status(code.code, text(parts...), code.where);
}

} // namespace kiln

/// Evaluates to the value of a Result (nothing for a Status); a failure leaves the function that it stands in.
#define KILN_TRY(expression)                                                                                           \
  ({                                                                                                                   \
    auto kilnTried = (expression);                                                                                     \
    if (!kilnTried.ok())                                                                                               \
      return std::move(kilnTried).status();                                                                            \
    std::move(kilnTried).value();                                                                                      \
  })
