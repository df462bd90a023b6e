#ifndef KILN_OCL_POINTER_OPS_TD
#define KILN_OCL_POINTER_OPS_TD

include "dialects/ocl/OclBase.td"

// The values of ocl::AddressSpace.
def Ocl_NamedSpace : I32EnumAttr<"NamedSpace", "an address space that generic pointers may point into", [
    I32EnumAttrCase<"private_", 0, "private">, I32EnumAttrCase<"global", 1>, I32EnumAttrCase<"local", 3>]> {
  let cppNamespace = "::kiln::ocl";
}

def Ocl_IsAddrSpaceOp : Ocl_Op<"is_addrspace", [Pure]> {
  let summary = "returns true if a pointer points into an address space";
  let description = [{
    Decided by the address, so the pointer may have been stored anywhere. The result for a null pointer is unspecified.
    Folds if the pointer was cast from a named address space.
    Example: `%c = ocl.is_addrspace local %p : !llvm.ptr<4>`
  }];
  let arguments = (ins Ocl_NamedSpace:$space, LLVM_AnyPointer:$pointer);
  let results = (outs I1:$result);
  let assemblyFormat = "$space $pointer attr-dict `:` type($pointer)";
  let hasFolder = 1;
}

#endif
