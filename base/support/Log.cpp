#include "base/support/Log.h"
#include "base/support/FileSizeLimit.h"
#include "base/support/Options.h"
#include <array>
#include <unistd.h>

namespace kiln::log {
namespace {
constexpr std::array<std::string_view, 5> Levels{"off", "error", "warn", "info", "debug"};
constexpr std::array<std::string_view, static_cast<size_t>(Group::Count)> Groups{"api",    "compile", "device", "event",
                                                                                 "memory", "program", "cache"};
} // namespace

Filter Filter::parse(std::string_view text) {
  Filter filter;
  uint32_t named = 0;
  bool levelNamed = false;
  for (const std::string &word : splitList(std::string(text), ',')) {
    for (size_t i = 0; i < Levels.size(); ++i)
      if (word == Levels[i])
        filter.level = static_cast<Level>(i), levelNamed = true;
    for (size_t i = 0; i < Groups.size(); ++i)
      if (word == Groups[i])
        named |= 1u << i;
  }
  if (named)
    filter.groups = named;
  if (named && !levelNamed)
    filter.level = Level::Info;
  return filter;
}

bool enabled(Level level, Group group) noexcept {
  try {
    static const Filter filter = Filter::parse(options().log);
    return filter.shows(level, group);
  } catch (const std::bad_alloc &) {
    return false; // there is no memory for the line either
  }
}

void write(Level level, Group group, std::string_view line) {
  std::string whole =
      text("kiln: ", Levels[static_cast<size_t>(level)], ": ", Groups[static_cast<size_t>(group)], ": ", line, "\n");
  // One write call, so that lines of several threads and processes do not mix. Its failure is ignored.
  FileSizeLimit noSignal;
  [[maybe_unused]] ssize_t written = ::write(STDERR_FILENO, whole.data(), whole.size());
}

} // namespace kiln::log
