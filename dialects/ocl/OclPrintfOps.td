#ifndef KILN_OCL_PRINTF_OPS_TD
#define KILN_OCL_PRINTF_OPS_TD

include "dialects/ocl/OclBase.td"

def Ocl_PrintfArgument : AnyTypeOf<[AnySignlessInteger, AnyFloat, VectorOfAnyRankOf<[AnySignlessInteger, AnyFloat]>,
                                    LLVM_AnyPointer], "number, vector of numbers or pointer">;

def Ocl_PrintfOp : Ocl_Op<"printf", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "prints; returns 0, or -1 if the output is lost";
  let description = [{
    After inlining, the format must be a pointer to a constant string. The runtime parses it when it prints the output.
    `ocl-expand-printf` lowers the operation to a record in the launch's buffer.
    Example: `%r = ocl.printf %format(%x, %v) : !llvm.ptr<2>, i32, vector<4xf32>`
  }];
  let arguments = (ins LLVM_AnyPointer:$format, Variadic<Ocl_PrintfArgument>:$values);
  let results = (outs I32:$result);
  let assemblyFormat = "$format `(` $values `)` attr-dict `:` type($format) (`,` type($values)^)?";
  let hasVerifier = 1;
}

def Ocl_PrintfBufferOp : Ocl_Op<"printf_buffer", [Pure]> {
  let summary = "returns the address of the launch's printf buffer";
  let description = [{
    The buffer is an `abi::PrintfBuffer` (`base/abi/KernelAbi.h`). A launch has one if its kernel's plan has `prints`.
    Example: `%b = ocl.printf_buffer : !llvm.ptr<1>`
  }];
  let results = (outs LLVM_PointerInAddressSpace<1>:$address);
  let assemblyFormat = "attr-dict `:` type($address)";
}

#endif
