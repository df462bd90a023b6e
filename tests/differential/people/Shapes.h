// Common patterns of kernels. Each function adds the statements of one pattern to a kernel.
#pragma once
#include "tests/differential/people/Kernel.h"

namespace kiln::differential::people {

struct Shape {
  void (*add)(Kernel &);
  unsigned weight;
  bool supportsFarIds; // uses only unique ids, so global ids may be larger than an int
  bool hasBarrier;     // needs a given local size, and uniform control flow
};

/// Stores in nested conditions (Stores.cpp).
void addStores(Kernel &kernel);
/// Two dimensions in one index, and stencils (Grids.cpp).
void addRows(Kernel &kernel);
void addStencil(Kernel &kernel);
/// Loops that divide elements among work-items (Strides.cpp).
void addGridStride(Kernel &kernel);
void addSharedRows(Kernel &kernel);
void addBlock(Kernel &kernel);
void addGroupStride(Kernel &kernel);
/// Private loops with sums (Sums.cpp).
void addSum(Kernel &kernel);
void addWalk(Kernel &kernel);
/// Trees and scans in local memory (Trees.cpp).
void addTree(Kernel &kernel);
void addScan(Kernel &kernel);
/// Tiles in local memory (Tiles.cpp).
void addExchange(Kernel &kernel);
void addHalo(Kernel &kernel);
/// Histograms by atomic operations (Histograms.cpp).
void addHistogram(Kernel &kernel);
void addGroupHistogram(Kernel &kernel);
/// Numbers that wrap around, and conditions on the first work-items of a group (WrapAround.cpp).
void addWrapped(Kernel &kernel);
void addGuardedOverflow(Kernel &kernel);
void addFirstItems(Kernel &kernel);
/// A row of elements per work-item (Records.cpp).
void addRecords(Kernel &kernel);
/// Copies, vectors and structs (Copies.cpp).
void addSameBuffer(Kernel &kernel);
void addVectors(Kernel &kernel);
void addStructs(Kernel &kernel);

} // namespace kiln::differential::people
