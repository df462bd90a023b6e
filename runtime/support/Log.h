// Lines on stderr about what Kiln does. KILN_LOG=info,event,memory: a level, then the groups to show (none: all).
//   KILN_LOG(Info, Event, "command ", id, " waits for ", count);
// The parts are evaluated only when the line is shown.
#pragma once
#include "runtime/support/Status.h"
#include <atomic>
#include <string_view>

namespace kiln::log {

enum class Level : uint8_t { Off, Error, Warn, Info, Debug };
enum class Group : uint8_t { Api, Compile, Device, Event, Memory, Program, Cache, Count };

/// What is shown: one level for the groups named.
struct Filter {
  Level level = Level::Error;
  uint32_t groups = ~0u;
  bool shows(Level asked, Group group) const { return asked <= level && (groups >> static_cast<int>(group) & 1); }
  /// Words that are neither a level nor a group are ignored.
  static Filter parse(std::string_view text);
};

bool enabled(Level level, Group group) noexcept;
/// Writes the line whatever the filter says, in one piece.
void write(Level level, Group group, std::string_view line);
/// The same with what makes the line. One for which there is no memory is not written: nobody fails because of the log.
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
