// The server side of both compilers: a process that has loaded and warmed everything, and forks one child per build.
// A child that crashes, hangs or eats memory ends alone, and its client hears why. No threads, no LLVM.
//
// Transport: the client spawns `PROGRAM --serve=FD,...` with one end of a SOCK_SEQPACKET pair, the control socket. The
// first message on it is the server's hello, its build id. For each build the client sends one byte and two
// descriptors: a stream for the child (request in, reply out, each a 64-bit length and so many bytes) and a pipe on
// which the zygote itself, after the child has died, says of what. End of file on the control socket ends the zygote
// and all its children.
#pragma once
#include "runtime/compiler/Wire.h"
#include <functional>
#include <optional>
#include <string>

namespace kiln::zygote {

struct Limits {
  uint64_t processorSeconds = 120;
  uint64_t wallSeconds = 600;
  uint64_t memoryBytes = 4096ull << 20; // beyond what the warm process has mapped already
  uint64_t idleSeconds = 300;           // without a build, after which the server ends
};

struct Invocation {
  int socket = -1;
  Limits limits;
};

/// How a client spells an invocation on the command line: one argument.
std::string argument(const Invocation &invocation);
/// The invocation, where the only argument is one: `if (auto serving = zygote::invocation(argc, argv)) return
/// zygote::serve(*serving, ...)` stands first in main.
std::optional<Invocation> invocation(int argc, char **argv);

using Handler = std::function<wire::Bytes(wire::Bytes request)>;

/// What the server does for its children, so that they find it done.
struct WarmUp {
  /// What every build needs first: at once, before any build.
  std::function<void()> prepare;
  /// A build of its own, which takes as long as a build does: when nobody has asked for one for a while, so that it
  /// keeps nobody waiting, or before the third that would start cold.
  std::function<void()> warmUpBuild;
};

/// Serves until the client is gone or nothing was asked for a while; returns the process's exit status. `handler` runs
/// in the children; what it throws is an answer of failure.
int serve(const Invocation &invocation, const Handler &handler, const WarmUp &warmUp);
/// Libraries.h: of this process as it was when it began to serve; what is built here was built by those.
const std::string &libraries();

} // namespace kiln::zygote
