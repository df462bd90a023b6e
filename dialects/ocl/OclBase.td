#ifndef KILN_OCL_BASE_TD
#define KILN_OCL_BASE_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Dialect/LLVMIR/LLVMOpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Ocl_Dialect : Dialect {
  let name = "ocl";
  let cppNamespace = "::kiln::ocl";
  let summary = "OpenCL kernels, one work-item's view";
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect"];
  let hasConstantMaterializer = 1;
  let hasCanonicalizer = 1; // DeadCycles.cpp
}

class Ocl_Op<string mnemonic, list<Trait> traits = []> : Op<Ocl_Dialect, mnemonic, traits>;

// Scalars and the vectors OpenCL has of them.
def Ocl_Float : AnyTypeOf<[AnyFloat, VectorOfAnyRankOf<[AnyFloat]>], "floating-point scalar or vector">;
def Ocl_Int : AnyTypeOf<[AnySignlessInteger, VectorOfAnyRankOf<[AnySignlessInteger]>], "integer scalar or vector">;
def Ocl_AtomicValue : AnyTypeOf<[I32, I64, F32, F64], "32 or 64 bit scalar">;

def Ocl_Scope : I32EnumAttr<"Scope", "who takes part, or sees it", [
    I32EnumAttrCase<"work_item", 0>, I32EnumAttrCase<"sub_group", 1>, I32EnumAttrCase<"work_group", 2>,
    I32EnumAttrCase<"device", 3>, I32EnumAttrCase<"all_devices", 4>]> {
  let cppNamespace = "::kiln::ocl";
}
def Ocl_Order : I32EnumAttr<"Order", "memory order", [
    I32EnumAttrCase<"relaxed", 0>, I32EnumAttrCase<"acquire", 1>, I32EnumAttrCase<"release", 2>,
    I32EnumAttrCase<"acq_rel", 3>, I32EnumAttrCase<"seq_cst", 4>]> {
  let cppNamespace = "::kiln::ocl";
}
// Bit values are CLK_LOCAL_MEM_FENCE, CLK_GLOBAL_MEM_FENCE, CLK_IMAGE_MEM_FENCE.
def Ocl_Fence : I32BitEnumAttr<"Fence", "memory that a barrier or fence orders", [
    I32BitEnumAttrCaseNone<"none">, I32BitEnumAttrCaseBit<"local", 0>, I32BitEnumAttrCaseBit<"global", 1>,
    I32BitEnumAttrCaseBit<"image", 2>]> {
  let cppNamespace = "::kiln::ocl";
  let separator = "|";
}
def Ocl_CombiningKind : I32EnumAttr<"CombiningKind", "how two values become one", [
    I32EnumAttrCase<"add", 0>, I32EnumAttrCase<"mul", 1>, I32EnumAttrCase<"smin", 2>, I32EnumAttrCase<"smax", 3>,
    I32EnumAttrCase<"umin", 4>, I32EnumAttrCase<"umax", 5>, I32EnumAttrCase<"and_", 6, "and">,
    I32EnumAttrCase<"or_", 7, "or">, I32EnumAttrCase<"xor_", 8, "xor">, I32EnumAttrCase<"fadd", 9>,
    I32EnumAttrCase<"fmul", 10>, I32EnumAttrCase<"fmin", 11>, I32EnumAttrCase<"fmax", 12>]> {
  let cppNamespace = "::kiln::ocl";
}
def Ocl_GroupOperation : I32EnumAttr<"GroupOperation", "whose values a work-item gets combined", [
    I32EnumAttrCase<"reduce", 0>, I32EnumAttrCase<"inclusive_scan", 1>, I32EnumAttrCase<"exclusive_scan", 2>]> {
  let cppNamespace = "::kiln::ocl";
}

// Work-items wait for one another here, or exchange values: which of them come together is part of the meaning, so
// nothing may move such an operation into or out of a branch, make two of one or one of two.
def Ocl_Convergent : NativeOpTrait<"Convergent"> {
  let cppNamespace = "::kiln::ocl";
}

// What such an operation does is a function of dialects/library with the operation's name and operands.
def Ocl_LibraryOp : NativeOpTrait<"LibraryOp"> {
  let cppNamespace = "::kiln::ocl";
}

#endif
