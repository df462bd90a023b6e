#ifndef KILN_OCL_PRINTF_OPS_TD
#define KILN_OCL_PRINTF_OPS_TD

include "dialects/ocl/OclBase.td"

def Ocl_PrintfArgument : AnyTypeOf<[AnySignlessInteger, AnyFloat, VectorOfAnyRankOf<[AnySignlessInteger, AnyFloat]>,
                                    LLVM_AnyPointer], "number, vector of numbers or pointer">;

def Ocl_PrintfOp : Ocl_Op<"printf", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "OpenCL C's printf: 0, or -1 where the output was lost";
  let description = [{
    The format is a pointer to a string that is known when the kernel is compiled, once calls are inlined. What it says
    about the arguments is read when the output is printed. `ocl-expand-printf` turns the op into a record in the
    launch's buffer.
    Example: `%r = ocl.printf %format(%x, %v) : !llvm.ptr<2>, i32, vector<4xf32>`
  }];
  let arguments = (ins LLVM_AnyPointer:$format, Variadic<Ocl_PrintfArgument>:$values);
  let results = (outs I32:$result);
  let assemblyFormat = "$format `(` $values `)` attr-dict `:` type($format) (`,` type($values)^)?";
  let hasVerifier = 1;
}

def Ocl_PrintfBufferOp : Ocl_Op<"printf_buffer", [Pure]> {
  let summary = "where the launch collects the records of printf";
  let description = [{
    The address of the launch's `abi::PrintfBuffer`, which `backends/KernelAbi.h` describes. A launch has one if the
    kernel's plan says that it prints.
    Example: `%b = ocl.printf_buffer : !llvm.ptr<1>`
  }];
  let results = (outs LLVM_PointerInAddressSpace<1>:$address);
  let assemblyFormat = "attr-dict `:` type($address)";
}

#endif
