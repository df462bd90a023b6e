// A build log of bounded size: the application holds it as long as its program, and a source with a warning in each
// line of a generated file has hundreds of megabytes of them. Of a log that is too large, the beginning and the end
// stay: the first messages have the cause, and the last ones say how the build ended. A line between them says how many
// bytes are left out.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace kiln::protocol {

/// A whole log has at most HeadBytes + TailBytes; one with parts left out has some words more.
class BuildLog {
public:
  static constexpr size_t HeadBytes = 768 << 10, TailBytes = 256 << 10;

  void append(std::string_view text);
  bool empty() const { return head_.empty(); }
  /// Returns the log. Parts are cut at the ends of lines, if these are not too long.
  std::string text() const;

private:
  std::string head_;
  std::string tail_;     // at most twice TailBytes: what was appended last
  uint64_t leftOut_ = 0; // bytes between them
};

/// Returns the log if it is small enough, else its parts that BuildLog keeps.
std::string bounded(std::string log);

} // namespace kiln::protocol
