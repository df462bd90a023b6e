// KILN_DEBUG=kernel[:group]: the work-groups that a person looks at with gdb run in the debugged form of the kernel
// (LocatedKernel.h), the others of the launch, and all other kernels, as usual.
//
// The form is compiled when the kernel is launched for the first time, which waits for the compilers. A breakpoint may
// be set before that: gdb looks for its line in each code object that the dynamic loader maps.
#pragma once
#include "base/support/Options.h"
#include "runtime/program/HostLaunch.h"
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace kiln::debugger {

/// Returns true if KILN_DEBUG names a kernel.
inline bool enabled() { return !options().debug.empty(); }
/// Returns true if KILN_DEBUG names this one.
bool isSelected(const std::string &kernel);
bool isSelected(const HostLaunch &launch);

/// The value of KILN_DEBUG.
struct Selection {
  std::string kernel;
  std::vector<uint64_t> group; // empty: all; one: the group's number, dimension 0 fastest; more: its ids
};
/// Returns nothing, with an error in the log, if the group is not as above.
std::optional<Selection> parse(const std::string &text);
/// The number of the group in a launch; nothing if the launch has no such group.
std::optional<uint64_t> numberOf(const std::vector<uint64_t> &group, const Launch &launch);

/// Issues a launch of a kernel that is selected, by `run`.
Status launch(HostLaunch &launch, const DeviceObject &device, const std::function<Status()> &run);

} // namespace kiln::debugger
