// Divides the processors of a machine between the ranks that it runs.
#pragma once
#include <mpi.h>

#include <string>

namespace cluster {

/// Ranks of one machine to which the launcher gave the same processors divide them: each is bound to its part, whole
/// cores if there are enough. A rank that shares its processors with no other one keeps them. With more ranks than
/// processors, some ranks have the same processor. All ranks call this after MPI_Init_thread and before their first
/// call of OpenCL: Kiln's CPU device has the processors that the process may use at that time.
/// Returns the rank's processors as a list such as 0-3,8. Empty if the system does not allow to bind the process.
std::string shareProcessors();

} // namespace cluster
