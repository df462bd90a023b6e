#ifndef KILN_OCL_ATOMIC_OPS_TD
#define KILN_OCL_ATOMIC_OPS_TD

include "dialects/ocl/OclBase.td"

def Ocl_AtomicKind : I32EnumAttr<"AtomicKind", "read-modify-write operation", [
    I32EnumAttrCase<"xchg", 0>, I32EnumAttrCase<"add", 1>, I32EnumAttrCase<"sub", 2>, I32EnumAttrCase<"smin", 3>,
    I32EnumAttrCase<"smax", 4>, I32EnumAttrCase<"umin", 5>, I32EnumAttrCase<"umax", 6>, I32EnumAttrCase<"and_", 7, "and">,
    I32EnumAttrCase<"or_", 8, "or">, I32EnumAttrCase<"xor_", 9, "xor">, I32EnumAttrCase<"fadd", 10>, I32EnumAttrCase<"fmin", 11>,
    I32EnumAttrCase<"fmax", 12>]> {
  let cppNamespace = "::kiln::ocl";
}

class Ocl_AtomicOp<string mnemonic, list<Trait> traits = []>
    : Ocl_Op<mnemonic, !listconcat([MemoryEffects<[MemRead, MemWrite]>], traits)>;

def Ocl_AtomicRmwOp : Ocl_AtomicOp<"atomic_rmw", [AllTypesMatch<["value", "old"]>]> {
  let summary = "applies an operator to a value in memory and returns the old value";
  let description = [{ Example: `%old = ocl.atomic_rmw add %p, %v relaxed device : !llvm.ptr<1>, i32` }];
  let arguments = (ins Ocl_AtomicKind:$kind, LLVM_AnyPointer:$pointer, Ocl_AtomicValue:$value, Ocl_Order:$order,
                       Ocl_Scope:$scope, UnitAttr:$is_volatile);
  let results = (outs Ocl_AtomicValue:$old);
  let assemblyFormat = [{
    $kind $pointer `,` $value $order $scope (`volatile` $is_volatile^)? attr-dict `:` type($pointer) `,` type($value)
  }];
  let hasVerifier = 1;
}

def Ocl_AtomicCmpXchgOp : Ocl_AtomicOp<"atomic_cmpxchg", [AllTypesMatch<["expected", "value", "old"]>]> {
  let summary = "stores a value if memory has the expected bits, and returns the old bits";
  let description = [{ Example: `%old = ocl.atomic_cmpxchg %p, %e, %v acq_rel acquire device : !llvm.ptr<1>, i32` }];
  let arguments = (ins LLVM_AnyPointer:$pointer, AnyTypeOf<[I32, I64]>:$expected, AnyTypeOf<[I32, I64]>:$value,
                       Ocl_Order:$order, Ocl_Order:$failure, Ocl_Scope:$scope, UnitAttr:$is_volatile);
  let results = (outs AnyTypeOf<[I32, I64]>:$old);
  let assemblyFormat = [{
    $pointer `,` $expected `,` $value $order $failure $scope (`volatile` $is_volatile^)? attr-dict
    `:` type($pointer) `,` type($value)
  }];
}

def Ocl_AtomicLoadOp : Ocl_AtomicOp<"atomic_load"> {
  let summary = "atomically loads a value";
  let description = [{ Example: `%v = ocl.atomic_load %p acquire device : !llvm.ptr<1> -> i32` }];
  let arguments = (ins LLVM_AnyPointer:$pointer, Ocl_Order:$order, Ocl_Scope:$scope, UnitAttr:$is_volatile);
  let results = (outs Ocl_AtomicValue:$value);
  let assemblyFormat = "$pointer $order $scope (`volatile` $is_volatile^)? attr-dict `:` type($pointer) `->` type($value)";
  let hasVerifier = 1;
}

def Ocl_AtomicStoreOp : Ocl_AtomicOp<"atomic_store"> {
  let summary = "atomically stores a value";
  let description = [{ Example: `ocl.atomic_store %v, %p release device : i32, !llvm.ptr<1>` }];
  let arguments = (ins Ocl_AtomicValue:$value, LLVM_AnyPointer:$pointer, Ocl_Order:$order, Ocl_Scope:$scope,
                       UnitAttr:$is_volatile);
  let assemblyFormat = [{
    $value `,` $pointer $order $scope (`volatile` $is_volatile^)? attr-dict `:` type($value) `,` type($pointer)
  }];
  let hasVerifier = 1;
}

#endif
