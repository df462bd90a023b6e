#include "examples/cluster/Processors.h"

#include <hwloc.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

namespace cluster {

namespace {

struct FreeTopology {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
struct FreeSet {
  void operator()(hwloc_bitmap_t set) const { hwloc_bitmap_free(set); }
};
using Set = std::unique_ptr<hwloc_bitmap_s, FreeSet>;
using Text = std::array<char, 4096>; // of a set

/// This rank among those of its machine that have the same set of processors.
struct Place {
  unsigned number = 0, count = 0;
};

Place placeAmongEqual(hwloc_const_bitmap_t own) {
  MPI_Comm machine;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  int number = 0, count = 1;
  MPI_Comm_rank(machine, &number);
  MPI_Comm_size(machine, &count);
  Text mine{};
  hwloc_bitmap_list_snprintf(mine.data(), mine.size(), own);
  std::vector<Text> all(static_cast<size_t>(count));
  MPI_Allgather(mine.data(), int(mine.size()), MPI_CHAR, all.data(), int(mine.size()), MPI_CHAR, machine);
  MPI_Comm_free(&machine);
  return {unsigned(std::count(all.begin(), all.begin() + number, mine)),
          unsigned(std::count(all.begin(), all.end(), mine))};
}

/// hwloc numbers cores and processors so that those that share caches and memory are neighbours.
void part(hwloc_topology_t topology, Place place, hwloc_bitmap_t result) {
  const auto numberOf = [&](hwloc_obj_type_t type) { return unsigned(hwloc_get_nbobjs_by_type(topology, type)); };
  const hwloc_obj_type_t unit = place.count <= numberOf(HWLOC_OBJ_CORE) ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
  const unsigned units = numberOf(unit), first = place.number * units / place.count;
  const unsigned end = std::max(first + 1, (place.number + 1) * units / place.count);
  for (unsigned i = first; i < end; ++i)
    hwloc_bitmap_or(result, result, hwloc_get_obj_by_type(topology, unit, i)->cpuset);
}

} // namespace

std::string shareProcessors() {
  hwloc_topology_t loaded;
  if (hwloc_topology_init(&loaded))
    return {};
  std::unique_ptr<hwloc_topology, FreeTopology> topology(loaded);
  const Set own(hwloc_bitmap_alloc()), mine(hwloc_bitmap_alloc());
  const bool known =
      !hwloc_topology_load(loaded) && own && mine && !hwloc_get_cpubind(loaded, own.get(), HWLOC_CPUBIND_PROCESS);
  const Place place = placeAmongEqual(own.get()); // of all ranks, also of those that know nothing
  if (!known || hwloc_topology_restrict(loaded, own.get(), 0))
    return {};
  if (place.count > 1)
    part(loaded, place, mine.get());
  else
    hwloc_bitmap_copy(mine.get(), own.get());
  if (hwloc_set_cpubind(loaded, mine.get(), HWLOC_CPUBIND_PROCESS))
    return {};
  Text text{};
  hwloc_bitmap_list_snprintf(text.data(), text.size(), mine.get());
  return text.data();
}

} // namespace cluster
