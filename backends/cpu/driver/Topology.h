// Which processors share what: a memory node, or a cache. Read from the kernel's /sys, which has it after all that a
// virtual machine or the firmware hides.
#pragma once
#include "runtime/support/OpenCL.h"
#include <map>
#include <span>
#include <string>
#include <vector>

namespace kiln::cpu {

/// The processors that this process may run on, by the system's numbers; at least one.
std::vector<unsigned> allowedProcessors();

/// "0-3,8": lists of processors as the kernel writes them. Stops at what it does not understand.
std::vector<unsigned> parseProcessors(const std::string &list);

class Topology {
public:
  /// The machine's; read when it is first asked for.
  static const Topology &get();
  /// `root` stands before every path that is read: a folder of a test's in place of the machine's.
  explicit Topology(const std::string &root);

  /// Positions in `processors`, a list for each node or cache (CL_DEVICE_AFFINITY_DOMAIN_NUMA to _L1_CACHE) that some
  /// of them have in common, in the order of their first. None where the machine does not say it of all of them.
  std::vector<std::vector<unsigned>> sharing(cl_device_affinity_domain domain,
                                             std::span<const unsigned> processors) const;

private:
  /// By domain and processor: the first processor of those that it shares with.
  std::map<cl_device_affinity_domain, std::map<unsigned, unsigned>> groups_;
};

} // namespace kiln::cpu
