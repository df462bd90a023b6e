// The `ocl` dialect's C++ face.
#pragma once
#include "dialects/ocl/TargetFeatures.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/ocl/Ocl.dialect.h.inc"
#include "dialects/ocl/Ocl.enum.h.inc"

namespace kiln::ocl {
/// See OclBase.td.
template <typename ConcreteType> class Convergent : public mlir::OpTrait::TraitBase<ConcreteType, Convergent> {};
/// `ocl-lower-to-library` replaces the operation by a call.
template <typename ConcreteType> class LibraryOp : public mlir::OpTrait::TraitBase<ConcreteType, LibraryOp> {};
} // namespace kiln::ocl

#define GET_ATTRDEF_CLASSES
#include "dialects/ocl/Ocl.attr.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/ocl/Ocl.type.h.inc"
#define GET_OP_CLASSES
#include "dialects/ocl/Ocl.op.h.inc"

namespace kiln::ocl {

/// Address spaces of `!llvm.ptr<n>` until a target replaces them.
enum AddressSpace : unsigned { Private = 0, Global = 1, Constant = 2, Local = 3, Generic = 4 };

/// Unit, on a kernel after `wg-vectorize`: a variant with a fixed local size is faster.
inline constexpr llvm::StringLiteral PrefersFixedLocalSizeAttr = "ocl.prefers_fixed_local_size";
/// i64, on a kernel after `wg-vectorize`: the preferred multiple of the local size, if it is more than a vector.
inline constexpr llvm::StringLiteral PreferredMultipleAttr = "ocl.preferred_multiple";

// clang-format off: a table
// Discardable attributes that the importer sets and later passes read.
inline constexpr llvm::StringLiteral KernelAttr = "ocl.kernel";                // unit, on a func.func
inline constexpr llvm::StringLiteral InitializerAttr = "ocl.initializer";      // unit, on a kernel that the runtime launches
inline constexpr llvm::StringLiteral FinalizerAttr = "ocl.finalizer";          // unit, on a kernel that the runtime launches
inline constexpr llvm::StringLiteral RequiredSizeAttr = "ocl.reqd_local_size"; // array<i64: x, y, z>, on a kernel
inline constexpr llvm::StringLiteral SizeHintAttr = "ocl.local_size_hint";     // array<i64: x, y, z>, on a kernel
inline constexpr llvm::StringLiteral SubGroupSizeAttr = "ocl.reqd_sub_group_size"; // i64, on a kernel
inline constexpr llvm::StringLiteral SubGroupCountAttr = "ocl.reqd_num_sub_groups"; // i64, on a kernel
inline constexpr llvm::StringLiteral AttributesAttr = "ocl.attributes";        // string, CL_KERNEL_ATTRIBUTES
inline constexpr llvm::StringLiteral BlockAttr = "ocl.block"; // unit, on a kernel that only kernels launch; from ocl-number-blocks on i64
inline constexpr llvm::StringLiteral RoundedDimsAttr = "ocl.rounded_dims"; // i32, on a kernel, from gpu-round-launches on: bit d is set if a launch may have more work-items in dimension d than the NDRange
inline constexpr llvm::StringLiteral DontInlineAttr = "ocl.dont_inline";        // unit: SPIR-V's DontInline
inline constexpr llvm::StringLiteral InlineIfConstantAttr = "ocl.inline_if_constant"; // unit, on large library functions (noinline there): inlined only if the first argument is a constant
inline constexpr llvm::StringLiteral CalledAttr = "ocl.called"; // unit, on a function that is too large to be inlined at each call, from ocl-keep-calls on
inline constexpr llvm::StringLiteral InlinesAllAttr = "ocl.inlines_all"; // unit, on a kernel in which functions with ocl.called are inlined as well, from ocl-keep-calls on
inline constexpr llvm::StringLiteral TrackedAttr = "ocl.tracked"; // unit, on a kernel whose accesses are noted (KILN_CHECK=races)
inline constexpr llvm::StringLiteral CheckSitesAttr = "ocl.check_sites"; // array of strings, on a kernel for a GPU: the bytes of each abi::CheckSite
inline constexpr llvm::StringLiteral TrustedAttr = "ocl.trusted"; // unit, on an access of the device library: KILN_CHECK does not check it
inline constexpr llvm::StringLiteral ArgNameAttr = "ocl.name";                 // string, on an argument
inline constexpr llvm::StringLiteral ArgTypeNameAttr = "ocl.type_name";        // string, on an argument
inline constexpr llvm::StringLiteral ArgQualifiersAttr = "ocl.qualifiers";     // i32: TypeQualifier bits, on an argument
inline constexpr llvm::StringLiteral ArgAccessAttr = "ocl.access";             // i32: AccessQualifier, on an argument
inline constexpr llvm::StringLiteral ArgKindAttr = "ocl.kind"; // string: "queue", "pipe", "image" or "sampler"; the argument's type is the same as that of a pointer or integer
inline constexpr llvm::StringLiteral ArgByValueAttr = "ocl.byval";             // type: a !llvm.ptr argument that is a struct by value
inline constexpr llvm::StringLiteral ArgImageTypeAttr = "ocl.image_type"; // i32: CL_MEM_OBJECT_*, on an image; absent if any is valid
inline constexpr llvm::StringLiteral ArgDepthAttr = "ocl.depth"; // unit: an image of depths
inline constexpr llvm::StringLiteral ArgConstantAttr = "ocl.constant_value"; // i32, on an image or sampler of a variant: its format, or the sampler
inline constexpr llvm::StringLiteral ArgPointeeAlignAttr = "ocl.pointee_align"; // i64, on a pointer argument, if known
inline constexpr llvm::StringLiteral ArgMaxBytesAttr = "ocl.max_bytes";        // i64, on a pointer argument: the maximum offset that it is used with
inline constexpr llvm::StringLiteral ArgNoWriteAttr = "ocl.no_write";          // unit: the kernel does not write through it
inline constexpr llvm::StringLiteral ArgNoReadAttr = "ocl.no_read";            // unit: the kernel does not read through it
// clang-format on

/// Returns true if the function is called on every target. All other functions are inlined.
inline bool staysFunction(mlir::Operation *function) {
  return function->hasAttr(InlineIfConstantAttr) || function->hasAttr(CalledAttr);
}

/// Returns true for a kernel that the application enqueues: not a block, and not one that the runtime launches.
inline bool isLaunchedByHost(mlir::Operation *kernel) {
  return kernel->hasAttr(KernelAttr) && !kernel->hasAttr(BlockAttr) && !kernel->hasAttr(InitializerAttr) &&
         !kernel->hasAttr(FinalizerAttr);
}

/// On the module, a dictionary that describes the block whose address `ocl.program_variables` returns: `size`,
/// `alignment` and `largest` (i64: bytes of the block and of its largest variable), `image` (array<i8>: the first bytes
/// of the block; the rest is zero) and `relocations` (array<i64>: pairs of the offset of an address in the image and
/// the offset in the block that it points to).
inline constexpr llvm::StringLiteral ProgramVariablesAttr = "ocl.program_variables";

/// On the module, for the records of printf: `ocl.printf_strings`, an array of strings, and
/// `ocl.printf_signatures`, an array of array<i8>: kind, bytes of an element and number of elements of each argument
/// (PrintfArgument in base/abi/ProgramInfo.h).
inline constexpr llvm::StringLiteral PrintfStringsAttr = "ocl.printf_strings";
inline constexpr llvm::StringLiteral PrintfSignaturesAttr = "ocl.printf_signatures";

} // namespace kiln::ocl
