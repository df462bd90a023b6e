// What the vectoriser knows about a CPU: what `ocl.target` states, and numbers that were measured on one processor. All
// other code of passes/simd is the same for every CPU.
#pragma once
#include "dialects/ocl/Ocl.h"

namespace kiln {

struct CpuTargetInfo {
  /// Returns the description of a CPU target.
  static CpuTargetInfo of(ocl::TargetAttr target);

  /// For features that only one place asks for.
  bool has(ocl::TargetFeature feature) const { return features.contains(feature); }
  bool hasPermute() const { return permuteTableSize > 0; }

  // ---- what the processor has ---------------------------------------------------------------------------------------

  ocl::TargetFeatures features;
  unsigned vectorRegisters;      // their number
  unsigned maskElementBits;      // element width of masks that branches and loops carry
  unsigned permuteTableSize;     // 32-bit elements that one wg.permute selects from; 0: it has no such instruction
  unsigned minMaskedElementBits; // of accesses under a mask
  bool gathers;                  // an instruction loads from an address for each lane, faster than scalar loads
  int64_t maxSpannedStride;      // in elements, up to which vectors of all memory between lanes' elements are faster,
  int64_t maxLocalSpannedStride; // and in local memory, where single elements were stored shortly before
  uint64_t groupBytes;           // of the largest access group: one access
  int64_t maxIndexScale;         // that an address has for free
  unsigned quadTransposeBits;    // element size for which a transpose of four rows in one step takes fewer instructions

  // ---- time ---------------------------------------------------------------------------------------------------------

  double operationsPerCycle;             // of vectors, approximately
  unsigned floatLatency, productLatency; // in cycles
  // Loops with more varying operations than these keep the machine busy with one vector, or need all its registers.
  // More carried values need too many registers.
  unsigned maxUniformLoopOps, maxDivergentLoopOps, maxCarried, maxCarriedForFour;
  double maxPressureRatio;    // registers needed by registers available, up to which spilling is harmless
  unsigned functionRegisters; // that a function of the math library needs

  // ---- cost, in units of a simple operation -------------------------------------------------------------------------

  double mispredicted; // a branch that work-items take irregularly
  double groupedLane, gatheredLane,
      scatteredLane;                     // one lane's part of a scattered access: the access, its address, and
  double maskedRead, maskedWrite;        // inserting or extracting the element
  double updatedLane;                    // one lane's part of a scattered update: load, change and store
  double gatherInstructionLane;          // one lane's part of such an instruction
  double spannedRow;                     // one vector of memory between lanes' elements, and its shuffle
  double permuteLoad;                    // a window load, its permute and its check
  double scalarStep;                     // of a strided value in the scalar loop, where LLVM adds steps
  double cacheMiss;                      // a scalar access that misses the L1 cache
  int64_t lineBytes;                     // size of a cache line
  double transposedComponent;            // of a short vector that each lane loads or stores as a whole
  double scalarFunction, vectorFunction; // of the math library
  double division, scalarizedDivision;   // of integers: in scalar code; by a lane of a vector, with its extraction
  double dividedLane, multipliedLane;    // one lane's part of a vector division, by a vector or by a uniform number
};

} // namespace kiln
