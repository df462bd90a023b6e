#include "base/protocol/BuildLog.h"
#include <algorithm>

namespace kiln::protocol {
namespace {

/// A cut moves by at most this many bytes to the end of a line.
constexpr size_t MaxMove = 4096;

/// Bytes of `text` up to the end of its last line; all of them if that line is long.
size_t wholeLinesAtBegin(std::string_view text) {
  const size_t end = text.rfind('\n');
  return end == std::string_view::npos || text.size() - end > MaxMove ? text.size() : end + 1;
}

/// Bytes of `text` from the begin of its first whole line; all of them if that is far.
size_t wholeLinesAtEnd(std::string_view text) {
  const size_t end = text.find('\n');
  return end == std::string_view::npos || end > MaxMove ? text.size() : text.size() - end - 1;
}

} // namespace

void BuildLog::append(std::string_view text) {
  const size_t first = std::min(text.size(), HeadBytes - head_.size());
  head_ += text.substr(0, first);
  text.remove_prefix(first);
  if (text.size() > TailBytes) {
    leftOut_ += tail_.size() + (text.size() - TailBytes);
    tail_.clear();
    text.remove_prefix(text.size() - TailBytes);
  }
  tail_ += text;
  if (tail_.size() > 2 * TailBytes) { // seldom, so that a byte is moved once
    leftOut_ += tail_.size() - TailBytes;
    tail_.erase(0, tail_.size() - TailBytes);
  }
}

std::string BuildLog::text() const {
  std::string_view head = head_, tail = tail_;
  if (!leftOut_ && tail.size() <= TailBytes)
    return head_ + tail_;
  uint64_t leftOut = leftOut_ + head.size() + tail.size();
  tail.remove_prefix(tail.size() - std::min(tail.size(), TailBytes));
  head = head.substr(0, wholeLinesAtBegin(head));
  tail.remove_prefix(tail.size() - wholeLinesAtEnd(tail));
  leftOut -= head.size() + tail.size();
  std::string all(head);
  if (!all.ends_with('\n'))
    all += '\n';
  return all.append("note: ")
      .append(std::to_string(leftOut))
      .append(" bytes of the log are left out here\n")
      .append(tail);
}

std::string bounded(std::string log) {
  if (log.size() <= BuildLog::HeadBytes + BuildLog::TailBytes)
    return log;
  BuildLog parts;
  parts.append(log);
  return parts.text();
}

} // namespace kiln::protocol
