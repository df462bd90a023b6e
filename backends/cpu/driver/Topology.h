// Which processors share a memory node or a cache. Read from /sys, where the kernel has applied what a virtual machine
// or the firmware hides.
#pragma once
#include "base/support/OpenCL.h"
#include <map>
#include <span>
#include <string>
#include <vector>

namespace kiln::cpu {

/// The numbers of the processors that this process may run on; at least one.
std::vector<unsigned> allowedProcessors();

/// Parses a processor list as the kernel writes it, "0-3,8". Stops at the first error.
std::vector<unsigned> parseProcessors(const std::string &list);

class Topology {
public:
  /// The machine's topology, read on first use.
  static const Topology &get();
  /// `root` is a prefix of every path that is read, for tests.
  explicit Topology(const std::string &root);

  /// One list of indices into `processors` for each memory node or cache of the domain (CL_DEVICE_AFFINITY_DOMAIN_NUMA
  /// to _L1_CACHE), in the order of their first index. Empty if the domain of one of the processors is unknown.
  std::vector<std::vector<unsigned>> sharing(cl_device_affinity_domain domain,
                                             std::span<const unsigned> processors) const;

private:
  /// Maps domain and processor to the first processor of the same group.
  std::map<cl_device_affinity_domain, std::map<unsigned, unsigned>> groups_;
};

} // namespace kiln::cpu
