// The compiler's description of a program: the values of queries, and the plan that every variant of a kernel obeys. It
// is stored with the code in the cache and in program binaries.
#pragma once
#include "base/support/Wire.h"
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace kiln {

enum class ArgKind : uint8_t { Value, Global, Constant, Local, Image, Sampler, Pipe, Queue };
enum class AccessQualifier : uint8_t { None, ReadOnly, WriteOnly, ReadWrite };
/// Bits of `ArgInfo::typeQualifiers`, the values of CL_KERNEL_ARG_TYPE_*.
enum TypeQualifier : uint8_t { QualifierConst = 1, QualifierRestrict = 2, QualifierVolatile = 4, QualifierPipe = 8 };

struct ArgInfo {
  ArgKind kind = ArgKind::Value;
  AccessQualifier access = AccessQualifier::None;
  uint8_t typeQualifiers = 0;
  uint32_t offset = 0;              // in the argument block
  uint32_t size = 0;                // the size for clSetKernelArg, and of the slot in the block (8 for pointers)
  std::string name, typeName;       // empty if the module has none
  bool read = true, written = true; // the kernel may read, write through the pointer
  uint64_t maxBytes = UINT64_MAX;   // that the pointer may reach (MaxByteOffset)
  uint32_t imageType = 0;           // of an Image: CL_MEM_OBJECT_IMAGE*; 0 takes every type
  bool depth = false;               // requires CL_DEPTH; an image2d_t without it excludes CL_DEPTH

  auto fields() {
    return std::tie(kind, access, typeQualifiers, offset, size, name, typeName, read, written, maxBytes, imageType,
                    depth);
  }
};

/// Bits of `KernelPlan::traits`, for the cross-check (runtime/crosscheck).
enum KernelTrait : uint32_t {
  TraitAtomicOrder = 1,     // results may depend on the order in which work-items execute atomics
  TraitClock = 2,           // reads a clock
  TraitHostAtomics = 4,     // atomics or fences of scope all_svm_devices: the host may take part while the kernel runs
  TraitFollowsPointers = 8, // may use pointers that it finds in memory
};

/// Properties that are fixed before code generation and hold for every variant.
struct KernelPlan {
  uint32_t subGroupSize = 1;
  uint32_t preferredMultiple = 1;
  uint64_t maxWorkGroupSize = 0;
  uint64_t staticLocalBytes = 0;
  uint64_t privateBytes = 0; // per work-item, for CL_KERNEL_PRIVATE_MEM_SIZE
  uint64_t itemBytes = 0;    // KernelAbi.h: per work-item in the items area
  uint64_t threadBytes = 0;  // KernelAbi.h: once per thread in the items area
  bool hasBarrier = false;
  bool prefersFixedLocalSize = false; // request a variant for the local size in use
  bool dependsOnLocalSize = true;     // groups must have the local size of the launch
  uint32_t roundedDims = 0;           // bit d: a launch may have more work-items in dimension d than the NDRange
  bool prefersTiles = false;          // Kiln should choose tiles, not rows, as local sizes
  uint32_t rowDimension = 0;          // the dimension in which groups should be long, if Kiln chooses their size
  bool prints = false;                // its launches need an abi::PrintfBuffer
  bool enqueues = false;              // its launches need an abi::EnqueueArena
  uint32_t traits = 0;                // KernelTrait

  auto fields() {
    return std::tie(subGroupSize, preferredMultiple, maxWorkGroupSize, staticLocalBytes, privateBytes, itemBytes,
                    threadBytes, hasBarrier, prefersFixedLocalSize, dependsOnLocalSize, roundedDims, prefersTiles,
                    rowDimension, prints, enqueues, traits);
  }
};

/// How a kernel is launched: by the application, by the runtime before the first kernel or at the program's end, or by
/// a kernel that enqueues it.
enum class KernelRole : uint8_t { Kernel, Initializer, Finalizer, Block };

struct KernelInfo {
  std::string name;       // in the source
  std::string entry;      // symbol of the generic variant in the code
  std::string attributes; // CL_KERNEL_ATTRIBUTES; empty without the source
  std::string hash;       // hash of the code, the same on every machine; empty if the request has no hashKernels
  KernelRole role = KernelRole::Kernel;
  uint64_t block = 0;                          // of a Block: its index in the program
  std::array<uint64_t, 3> requiredLocalSize{}; // zero: any
  std::array<uint64_t, 3> localSizeHint{};
  uint64_t requiredSubGroupSize = 0; // zero: any
  uint64_t requiredSubGroups = 0;    // in each work-group; zero: any number
  uint64_t argumentBytes = 0;        // of the argument block
  std::vector<ArgInfo> args;
  KernelPlan plan;
  std::vector<wire::Bytes> checkSites; // of code for GPUs that checks: an abi::CheckSite each, with its strings

  auto fields() {
    return std::tie(name, entry, attributes, hash, role, block, requiredLocalSize, localSizeHint, requiredSubGroupSize,
                    requiredSubGroups, argumentBytes, args, plan, checkSites);
  }
};

struct SpecConstantInfo {
  uint32_t id = 0;
  uint32_t size = 0; // bytes; 1 for bool
  auto fields() { return std::tie(id, size); }
};

/// An address in the block of variables that must be relocated.
struct Relocation {
  uint64_t offset = 0; // of the eight bytes in the image
  uint64_t target = 0; // their target, from the block's start
  bool operator==(const Relocation &) const = default;
  auto fields() { return std::tie(offset, target); }
};

/// The program's variables in global memory: one block, which the runtime allocates once per program and device.
/// Kernels of all variants get its address through the launch (KernelAbi.h).
struct ProgramVariables {
  uint64_t size = 0; // of the block; 0: no block
  uint64_t alignment = 1;
  uint64_t largest = 0; // bytes of the largest variable
  wire::Bytes image;    // initial contents of the block's start; the rest is zero
  std::vector<Relocation> relocations;

  bool operator==(const ProgramVariables &) const = default;
  auto fields() { return std::tie(size, alignment, largest, image, relocations); }
};

/// One argument in a printf record.
struct PrintfArgument {
  enum class Kind : uint8_t { Integer, Float, Pointer, Literal }; // Literal: a pointer that may be one to a literal
  Kind kind = Kind::Integer;
  uint8_t bytes = 4; // of a component
  uint8_t components = 1;
  bool operator==(const PrintfArgument &) const = default;
  auto fields() { return std::tie(kind, bytes, components); }
};

/// Tables that printf records (KernelAbi.h) refer to.
struct PrintfTables {
  std::vector<std::string> strings; // formats, and literals passed as arguments
  std::vector<std::vector<PrintfArgument>> signatures;
  bool operator==(const PrintfTables &) const = default;
  auto fields() { return std::tie(strings, signatures); }
};

struct ProgramInfo {
  std::vector<KernelInfo> kernels;
  std::vector<SpecConstantInfo> specConstants;
  ProgramVariables variables;
  PrintfTables printf;
  auto fields() { return std::tie(kernels, specConstants, variables, printf); }
};

} // namespace kiln
