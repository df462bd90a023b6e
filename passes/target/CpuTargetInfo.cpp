#include "passes/target/CpuTargetInfo.h"

namespace kiln {
namespace {

constexpr unsigned ElementBits = 32; // of permutes, and of masks without registers of their own

// The numbers of x86 processors. Those of time and cost come from measurements of the kernels of bench/ with AVX2 and
// AVX-512 (passes/simd/README.md). Another architecture is another table.
constexpr CpuTargetInfo X86{
    .features = {},
    .vectorRegisters = 0,
    .maskElementBits = ElementBits, // AVX2 would pack and unpack a vector of i1 in each iteration
    .permuteTableSize = 0,
    .minMaskedElementBits = 32, // AVX2 has no masked accesses of 8- and 16-bit elements
    .gathers = false,
    .maxSpannedStride = 4,
    .maxLocalSpannedStride = 2, // tree_scan/64: 132 us, with 4 163, of scalar loads 224
    .groupBytes = 32,           // one access on AVX2
    .maxIndexScale = 8,         // x86 addressing modes scale an index and add it to the base
    .quadTransposeBits = 32,    // SSE has shuffles of two operands for this size
    .operationsPerCycle = 2.5,
    .floatLatency = 4,
    .productLatency = 5,
    .maxUniformLoopOps = 64,
    .maxDivergentLoopOps = 24,
    .maxCarried = 4,
    .maxCarriedForFour = 2,
    .maxPressureRatio = 1.5, // x86 instructions take an operand from memory
    .functionRegisters = 4,
    .mispredicted = 3,
    .groupedLane = 2,
    .gatheredLane = 3,
    .scatteredLane = 2.5,
    .maskedRead = 4,
    .maskedWrite = 4,
    .updatedLane = 3,
    .gatherInstructionLane = 1,
    .spannedRow = 2,
    .permuteLoad = 10,
    .scalarStep = 0.25,
    .cacheMiss = 4,
    .lineBytes = 64,
    .transposedComponent = 3,
    .scalarFunction = 15,
    .vectorFunction = 30,
    .division = 8,
    .scalarizedDivision = 10,
    .dividedLane = 4, // two vectors of doubles, each with two conversions (cpu/DivisionLowering)
    .multipliedLane = 1,
};

// Processors on which a gather of 16 floats at computed addresses was measured to be faster than 16 scalar loads, which
// take their addresses from the vector through the stack: 3.6 and 14.7 ns on Emerald Rapids from the L1 cache, 8.2 and
// 22 from L2, 83 and 61 from memory. On Zen 4 scalar loads are 1.3 times as fast. Others were not measured; up to Ice
// Lake, microcode against data sampling makes gathers slow. `kiln-processor` measures this and more on a machine
// (docs/measurements/processors.md).
constexpr llvm::StringLiteral FastGathers[] = {"emeraldrapids"};

} // namespace

CpuTargetInfo CpuTargetInfo::of(ocl::TargetAttr target) {
  CpuTargetInfo info = X86;
  info.features = target.getFeatures();
  info.vectorRegisters = target.getVectorRegisters();
  if (info.has(ocl::TargetFeature::MaskRegisters))
    info.maskElementBits = 1;
  if (info.has(ocl::TargetFeature::Permutes))
    info.permuteTableSize = 2 * target.getRegisterBits() / ElementBits;
  info.gathers = llvm::is_contained(FastGathers, target.getChip());
  return info;
}

} // namespace kiln
