// Starts a process that is invisible to the application: no SIGCHLD, nothing for wait(), and it inherits no
// descriptors, signal settings or LD_PRELOAD. It has a separate session.
#pragma once
#include <string>

namespace kiln {

/// Runs `program argument` with `socket` as descriptor 3, /dev/null as standard input and output, and `errors` (or
/// /dev/null if negative) as standard error. Returns 0 or an errno.
int spawnDetached(const std::string &program, const std::string &argument, int socket, int errors);

/// The descriptor of `socket` in the program.
inline constexpr int SpawnedSocket = 3;

} // namespace kiln
