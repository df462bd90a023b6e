// The server side of both compilers: a process that has loaded and warmed everything, and forks one child per build. A
// child that crashes, hangs or exceeds its memory limit ends alone, and its client receives the reason. No threads, no
// LLVM.
//
// Transport: the client spawns `PROGRAM --serve=FD,...` with one end of a SOCK_SEQPACKET pair, the control socket. The
// server's first message is its build id. For each build the client sends one byte and two descriptors: a stream for
// the child (request in, reply out, each a 64-bit length and that many bytes) and a pipe on which the zygote writes why
// a child has died. End of file on the control socket ends the zygote and all its children, except one:
//
// A third descriptor (BuildTurn.h) says that the build is worth finishing if the client ends, because a later process
// needs its result. The first message on the stream is then the place where the result belongs, and the second one the
// request. The zygote goes on with one such build, with the lowest priority and for at most 60 s, unless another zygote
// has one with the same cache: the lock is one byte of the descriptor's file. The child calls `keep` in place of the
// reply. The key's own lock, which the descriptor has, ends with the build, so another process that needs the result
// waits for it.
//
// A build whose process was stopped (SIGSTOP) for 5 s fails; the client ends a server that was stopped for as long.
#pragma once
#include "base/support/Wire.h"
#include <functional>
#include <optional>
#include <string>

namespace kiln::zygote {

struct Limits {
  uint64_t processorSeconds = 120;
  uint64_t wallSeconds = 600;
  uint64_t memoryBytes = 4096ull << 20; // in addition to the mappings of the warm process
  uint64_t idleSeconds = 300;           // without a build, before the server ends
};

struct Invocation {
  int socket = -1;
  Limits limits;
};

/// Returns the command-line argument for an invocation.
std::string argument(const Invocation &invocation);
/// Parses the command line; nothing unless its only argument is an invocation. First in main: `if (auto serving =
/// zygote::invocation(argc, argv)) return zygote::serve(*serving, ...)`.
std::optional<Invocation> invocation(int argc, char **argv);

inline constexpr int64_t StoppedMilliseconds = 5000;
inline constexpr size_t MaxDescriptors = 3; // of a message on the control socket

using Handler = std::function<wire::Bytes(wire::Bytes request)>;

/// Work that the server does once, for all its children.
struct WarmUp {
  /// Initialisation that every build needs; called before the first build.
  std::function<void()> prepare;
  /// A whole build, to warm up everything else. Called after 100 ms without a request, or before the third cold build.
  std::function<void()> warmUpBuild;
};

/// Stores a reply whose client has ended.
using Keep = std::function<void(const wire::Bytes &place, wire::Bytes reply)>;

/// Serves until the client has gone or the idle limit; returns the exit status. `handler` and `keep` run in the
/// children; an exception from `handler` fails the build.
int serve(const Invocation &invocation, const Handler &handler, const WarmUp &warmUp, const Keep &keep = {});
/// Libraries.h: the libraries of this process when it began to serve.
const std::string &libraries();

} // namespace kiln::zygote
