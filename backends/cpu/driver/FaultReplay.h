// Finds the place of a fault: runs the work-groups that the faulting thread was running again, in the located form of
// the kernel (base/abi/AccessNote.h), which notes the line and the work-item of each access before it.
//
// They run in a copy of the process, on its one thread, and its memory is copied when it is written. So the replay
// changes nothing of the application's: neither memory of buffers nor whatever a wild store hits, and what the
// work-groups print or enqueue is lost with the process. Memory that the process shares with others (MAP_SHARED) is
// written again; that is legal, because the contents of the launch's buffers are undefined after its error.
//
//   this process                    the copy
//   clone            ------------>  closes all files, blocks all signals but those of faults
//   waits, for at most `limit`      runs the groups; code writes its note to shared memory
//                                   fault: the handler writes the signal to shared memory, and ends the process
//   reads the shared memory
//
// The copy has no exit signal: the application gets no SIGCHLD, and its `wait` does not return the process. It has no
// core file, runs no handlers of `fork`, and ends with its parent's thread. It allocates nothing, because another
// thread may have held the lock of the heap.
//
// A fault that does not happen again, because memory is not as it was, has no place.
#pragma once
#include "backends/Device.h"
#include <optional>

namespace kiln::cpu {

/// Issuer::replay.
std::optional<FaultPlace> replayFault(const Launch &launch, const LaunchFault &fault, uint64_t limit);

} // namespace kiln::cpu
