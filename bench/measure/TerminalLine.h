// One line at the bottom of a terminal that later texts replace. Nothing if the stream is no terminal.
#pragma once
#include <chrono>
#include <cstdio>
#include <string>

namespace bench {

class TerminalLine {
public:
  explicit TerminalLine(FILE *stream);
  ~TerminalLine() { clear(); }
  TerminalLine(const TerminalLine &) = delete;
  /// Shows the text, at most five times a second.
  void show(const std::string &text);
  void clear();

private:
  FILE *const stream_;
  const bool isTerminal_;
  bool isShown_ = false;
  std::chrono::steady_clock::time_point next_;
};

} // namespace bench
