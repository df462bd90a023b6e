#ifndef KILN_OCL_BASE_TD
#define KILN_OCL_BASE_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Dialect/LLVMIR/LLVMOpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Ocl_Dialect : Dialect {
  let name = "ocl";
  let cppNamespace = "::kiln::ocl";
  let summary = "code of one work-item of an OpenCL kernel";
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect"];
  let hasConstantMaterializer = 1;
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1; // OclTarget.cpp
  let hasCanonicalizer = 1; // DeadCycles.cpp
  let extraClassDeclaration = "void registerAttributes();"; // OclTarget.cpp
}

class Ocl_Op<string mnemonic, list<Trait> traits = []> : Op<Ocl_Dialect, mnemonic, traits>;

// Scalars and vectors.
def Ocl_Float : AnyTypeOf<[AnyFloat, VectorOfAnyRankOf<[AnyFloat]>], "floating-point scalar or vector">;
def Ocl_Int : AnyTypeOf<[AnySignlessInteger, VectorOfAnyRankOf<[AnySignlessInteger]>], "integer scalar or vector">;
def Ocl_AtomicValue : AnyTypeOf<[I32, I64, F16, F32, F64], "32 or 64 bit scalar, or half">;

def Ocl_Scope : I32EnumAttr<"Scope", "the work-items that take part, or that observe the effect", [
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
def Ocl_CombiningKind : I32EnumAttr<"CombiningKind", "the operator that combines two values", [
    I32EnumAttrCase<"add", 0>, I32EnumAttrCase<"mul", 1>, I32EnumAttrCase<"smin", 2>, I32EnumAttrCase<"smax", 3>,
    I32EnumAttrCase<"umin", 4>, I32EnumAttrCase<"umax", 5>, I32EnumAttrCase<"and_", 6, "and">,
    I32EnumAttrCase<"or_", 7, "or">, I32EnumAttrCase<"xor_", 8, "xor">, I32EnumAttrCase<"fadd", 9>,
    I32EnumAttrCase<"fmul", 10>, I32EnumAttrCase<"fmin", 11>, I32EnumAttrCase<"fmax", 12>]> {
  let cppNamespace = "::kiln::ocl";
}
def Ocl_GroupOperation : I32EnumAttr<"GroupOperation", "the work-items whose values are combined for one work-item", [
    I32EnumAttrCase<"reduce", 0>, I32EnumAttrCase<"inclusive_scan", 1>, I32EnumAttrCase<"exclusive_scan", 2>]> {
  let cppNamespace = "::kiln::ocl";
}

// Convergent, as in LLVM: the set of work-items that execute the operation together is part of its meaning. It must not
// be duplicated, merged, or moved into or out of a branch.
def Ocl_Convergent : NativeOpTrait<"Convergent"> {
  let cppNamespace = "::kiln::ocl";
}

// Implemented by a function of dialects/library with the operation's name and operands.
def Ocl_LibraryOp : NativeOpTrait<"LibraryOp"> {
  let cppNamespace = "::kiln::ocl";
}

#endif
