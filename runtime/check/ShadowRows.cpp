#include "runtime/check/ShadowRows.h"

// Each function is compiled for three widths of vectors.
#if defined(__x86_64__)
#define KILN_VECTOR_FORMS __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define KILN_VECTOR_FORMS
#endif

// A row has 16 to 64 cells: four vectors at once would leave most of them to the scalar rest of the loop.
#if defined(__clang__)
#define KILN_NO_INTERLEAVING _Pragma("clang loop vectorize(enable) interleave(disable)")
#else
#define KILN_NO_INTERLEAVING
#endif

namespace kiln::check {
namespace {

constexpr Cell LocalStep = Cell(1) << 16, LocalItem = 0xffff0000; // of a cell's item

/// All ones if the lane is active.
inline Cell activeAt(uint64_t lanes, unsigned i) { return ~Cell(0) * (lanes >> i & 1); }

inline bool isLocalRight(Cell cell, Cell mine, Cell barrier) {
  return (cell < barrier) | (((cell ^ mine) & LocalItem) == 0);
}

} // namespace

KILN_VECTOR_FORMS bool LocalRows::areRight(const Cell *cells, const CellRow &row) {
  const uint64_t lanes = row.lanes;
  const Cell barrier = row.barrier;
  Cell mine = row.mine, wrong = 0;
  KILN_NO_INTERLEAVING
  for (unsigned i = 0; i < row.count; ++i, mine += LocalStep)
    wrong |= isLocalRight(cells[i], mine, barrier) ? 0 : activeAt(lanes, i);
  return wrong == 0;
}

KILN_VECTOR_FORMS void LocalRows::set(Cell *cells, const CellRow &row) {
  const uint64_t lanes = row.lanes;
  Cell mine = row.mine;
  KILN_NO_INTERLEAVING
  for (unsigned i = 0; i < row.count; ++i, mine += LocalStep) {
    if (lanes >> i & 1)
      cells[i] = mine;
  }
}

KILN_VECTOR_FORMS void LocalRows::addReaders(Cell *first, Cell *second, const CellRow &row) {
  const uint64_t lanes = row.lanes;
  const Cell barrier = row.barrier;
  Cell mine = row.mine;
  KILN_NO_INTERLEAVING
  for (unsigned i = 0; i < row.count; ++i, mine += LocalStep) {
    const Cell active = activeAt(lanes, i), known = first[i];
    const Cell isFree = isLocalRight(known, mine, barrier) ? active : 0, isSecond = active & ~isFree;
    if (isFree)
      first[i] = mine;
    if (isSecond)
      second[i] = mine;
  }
}

KILN_VECTOR_FORMS LaneSets LocalRows::repeatedAtomics(ShadowPage &page, const CellLanes &lanes) {
  constexpr Cell ItemsAndSites = 0xfffffffc;
  const Cell *writes = page.writes(), *reads = page.reads(), *otherReads = page.otherReads();
  const uintptr_t *pointers = lanes.pointers, begin = lanes.begin;
  const Cell mine = lanes.mine, barrier = lanes.barrier;
  const unsigned granule = lanes.granule;
  const uintptr_t inGranule = (uintptr_t(1) << granule) - 1;
  uint64_t inPage = 0, repeated = 0;
  KILN_NO_INTERLEAVING
  for (unsigned i = 0; i < lanes.count; ++i) {
    const uintptr_t offset = pointers[i] - begin;
    const bool isIn = offset < ShadowPage::Bytes;
    const uintptr_t at = isIn ? offset >> granule : 0;
    const bool isRepeated = ((writes[at] ^ mine) & ~ItemsAndSites) == 0;
    const bool isUnread = (reads[at] < barrier) & (otherReads[at] < barrier);
    inPage |= uint64_t(isIn) << i;
    repeated |= uint64_t(isIn & isRepeated & isUnread & ((offset & inGranule) == 0)) << i;
  }
  return {inPage, repeated};
}

} // namespace kiln::check
