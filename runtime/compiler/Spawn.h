// Starts a program that the application never hears of: no SIGCHLD, nothing for wait() to find, none of its
// descriptors, signal settings or LD_PRELOAD, a session of its own.
#pragma once
#include <string>

namespace kiln {

/// Runs `program argument` with `socket` as descriptor 3, /dev/null as standard input and output, and `errors` (or
/// /dev/null where that is negative) as standard error. Returns 0, or the errno that says why not.
int spawnDetached(const std::string &program, const std::string &argument, int socket, int errors);

/// The number that `socket` has in the program.
inline constexpr int SpawnedSocket = 3;

} // namespace kiln
