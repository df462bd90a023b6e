// Everyday patterns of kernels. Each function adds the statements of one pattern to a kernel.
#pragma once
#include "tests/differential/people/Kernel.h"

namespace kiln::differential::people {

struct Shape {
  void (*add)(Kernel &);
  unsigned weight;
  bool takesFarIds; // keeps to slots, so that ids may be as large as they like
  bool hasBarrier;  // needs a local size, and all work-items of the group
};

/// Stores in nested conditions (Each.cpp).
void addStores(Kernel &kernel);
/// Two dimensions in one index, and neighbours in a picture (Pictures.cpp).
void addRows(Kernel &kernel);
void addStencil(Kernel &kernel);
/// Loops over elements that work-items share out (Strides.cpp).
void addGridStride(Kernel &kernel);
void addRowsTogether(Kernel &kernel);
void addBlock(Kernel &kernel);
void addGroupStride(Kernel &kernel);
/// Loops that sum up (Sums.cpp).
void addSum(Kernel &kernel);
void addWalk(Kernel &kernel);
/// Trees and scans in local memory (Trees.cpp).
void addTree(Kernel &kernel);
void addScan(Kernel &kernel);
/// Tiles in local memory (Tiles.cpp).
void addExchange(Kernel &kernel);
void addHalo(Kernel &kernel);
/// Counts by atomic operations (Histograms.cpp).
void addHistogram(Kernel &kernel);
void addGroupHistogram(Kernel &kernel);
/// Numbers that wrap around, and the first work-items of a group (Wraps.cpp).
void addWrapped(Kernel &kernel);
void addBeyond(Kernel &kernel);
void addFirstItems(Kernel &kernel);
/// A row of elements for each work-item (Records.cpp).
void addRecords(Kernel &kernel);
/// Copies, vectors and structs (Copies.cpp).
void addSameBuffer(Kernel &kernel);
void addVectors(Kernel &kernel);
void addStructs(Kernel &kernel);

} // namespace kiln::differential::people
