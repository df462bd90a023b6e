// Adjacent cells of local memory of up to 64 adjacent work-items, one cell each: what AccessTracker does for one cell,
// for all of them and without branches, so that the loops become vectors.
#pragma once
#include "runtime/check/Shadow.h"

namespace kiln::check {

/// The accesses of a row.
struct CellRow {
  unsigned count; // cells
  uint64_t lanes; // bit n: cell n is accessed
  Cell mine;      // the access of the first work-item
  Cell barrier;   // the time of the group's last barrier, where cells have theirs
};

/// Lanes that access one granule each.
struct CellLanes {
  const uintptr_t *pointers; // of the lanes
  unsigned count;            // at most 64
  uintptr_t begin;           // of the page
  unsigned granule;          // log2
  Cell mine;                 // an atomic operation of any of the lanes
  Cell barrier;              // as that of a row
};
struct LaneSets {
  uint64_t inPage, repeated;
};

struct LocalRows {
  /// Returns true if all cells are older than the barrier, or of the work-item that accesses them now.
  static bool areRight(const Cell *cells, const CellRow &row);
  static void set(Cell *cells, const CellRow &row);
  /// Puts readers into the first row of cells where it has none that is not ordered, else into the second.
  static void addReaders(Cell *first, Cell *second, const CellRow &row);
  /// Returns the lanes whose addresses are in the page, and those of them whose cells need no change: the granule's
  /// last write was an atomic operation with the same time and scope, and nothing has read it since the last barrier.
  /// Of lanes without an address, the bits have no meaning.
  static LaneSets repeatedAtomics(ShadowPage &page, const CellLanes &lanes);
};

} // namespace kiln::check
