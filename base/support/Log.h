// Log lines on stderr. KILN_LOG=info,event,memory: a level, then the groups to show (none: all).
//   KILN_LOG(Info, Event, "command ", id, " waits for ", count);
// The arguments are evaluated only if the line is shown.
#pragma once
#include "base/support/Status.h"
#include <atomic>
#include <string_view>

namespace kiln::log {

enum class Level : uint8_t { Off, Error, Warn, Info, Debug };
enum class Group : uint8_t { Api, Compile, Device, Event, Memory, Program, Cache, Count };

/// One level for a set of groups.
struct Filter {
  Level level = Level::Error;
  uint32_t groups = ~0u;
  bool shows(Level wanted, Group group) const { return wanted <= level && (groups >> static_cast<int>(group) & 1); }
  /// Ignores words that are neither a level nor a group.
  static Filter parse(std::string_view text);
};

bool enabled(Level level, Group group) noexcept;
/// Writes the line in one call, without regard to the filter.
void write(Level level, Group group, std::string_view line);
/// Writes the line that `line` returns. Drops it if there is no memory for it, so that logging never fails a call.
template <typename Line> void writeLazily(Level level, Group group, Line line) noexcept {
  try {
    write(level, group, line());
  } catch (const std::bad_alloc &) {
  }
}

} // namespace kiln::log

#define KILN_LOG(level, group, ...)                                                                                    \
  do {                                                                                                                 \
    if (::kiln::log::enabled(::kiln::log::Level::level, ::kiln::log::Group::group))                                    \
      ::kiln::log::writeLazily(::kiln::log::Level::level, ::kiln::log::Group::group,                                   \
                               [&] { return ::kiln::text(__VA_ARGS__); });                                             \
  } while (false)
