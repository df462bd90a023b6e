#include "bench/measure/TerminalLine.h"
#include <unistd.h>

namespace bench {

TerminalLine::TerminalLine(FILE *stream) : stream_(stream), isTerminal_(isatty(fileno(stream))) {}

void TerminalLine::show(const std::string &text) {
  const auto now = std::chrono::steady_clock::now();
  if (!isTerminal_ || now < next_)
    return;
  next_ = now + std::chrono::milliseconds(200);
  std::fprintf(stream_, "\r\x1b[K%s", text.c_str());
  std::fflush(stream_);
  isShown_ = true;
}

void TerminalLine::clear() {
  if (isShown_)
    std::fputs("\r\x1b[K", stream_);
  isShown_ = false;
}

} // namespace bench
