#ifndef KILN_OCL_QUERY_OPS_TD
#define KILN_OCL_QUERY_OPS_TD

include "dialects/ocl/OclBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

// Ids first: the fold of a dimension above 2 depends on the order.
def Ocl_Query : I32EnumAttr<"Query", "component of an NDRange", [
    I32EnumAttrCase<"global_id", 0>, I32EnumAttrCase<"local_id", 1>, I32EnumAttrCase<"group_id", 2>,
    I32EnumAttrCase<"global_offset", 3>, I32EnumAttrCase<"global_size", 4>, I32EnumAttrCase<"local_size", 5>,
    I32EnumAttrCase<"enqueued_local_size", 6>, I32EnumAttrCase<"num_groups", 7>]> {
  let cppNamespace = "::kiln::ocl";
}

def Ocl_QueryOp : Ocl_Op<"query", [Pure]> {
  let summary = "returns one component of an NDRange query";
  let description = [{
    The `get_*(uint)` built-ins differ only in the queried property, so they are one op with an enum. `dim` may be a
    run-time value. Outside 0..2 an id or offset is 0 and a size is 1, as in OpenCL C.
    Example: `%i = ocl.query global_id[%d] : i64`
  }];
  let arguments = (ins Ocl_Query:$kind, I32:$dim);
  let results = (outs AnyTypeOf<[I32, I64]>:$result);
  let assemblyFormat = "$kind `[` $dim `]` attr-dict `:` type($result)";
  let hasFolder = 1;
}

def Ocl_ProgramVariablesOp : Ocl_Op<"program_variables", [Pure]> {
  let summary = "returns the address of the program's variables";
  let description = [{
    Returns the address of the block of the program's variables in global memory; each device has one per program.
    `ocl-lay-out-program-variables` lays it out, in the module's attribute `ocl.program_variables`. Constants that contain
    addresses of variables are in the block as well and are accessed as constant memory.
    Example: `%b = ocl.program_variables : !llvm.ptr<1>`
  }];
  let results = (outs AnyTypeOf<[LLVM_PointerInAddressSpace<1>, LLVM_PointerInAddressSpace<2>]>:$address);
  let assemblyFormat = "attr-dict `:` type($address)";
}

def Ocl_AccessNoteOp : Ocl_Op<"access_note", [Pure]> {
  let summary = "returns the address of the launch's abi::AccessNote";
  let description = [{
    In the located form, where each access to memory is noted (`wg-note-accesses`).
    Example: `%n = ocl.access_note : !llvm.ptr`
  }];
  let results = (outs LLVM_PointerInAddressSpace<0>:$address);
  let assemblyFormat = "attr-dict `:` type($address)";
}

def Ocl_LinearQuery : I32EnumAttr<"LinearQuery", "scalar property of an NDRange", [
    I32EnumAttrCase<"work_dim", 0>, I32EnumAttrCase<"global_linear_id", 1>, I32EnumAttrCase<"local_linear_id", 2>,
    I32EnumAttrCase<"sub_group_size", 3>, I32EnumAttrCase<"max_sub_group_size", 4>, I32EnumAttrCase<"num_sub_groups", 5>,
    I32EnumAttrCase<"enqueued_num_sub_groups", 6>, I32EnumAttrCase<"sub_group_id", 7>,
    I32EnumAttrCase<"sub_group_local_id", 8>]> {
  let cppNamespace = "::kiln::ocl";
}

def Ocl_LinearQueryOp : Ocl_Op<"linear_query", [Pure]> {
  let summary = "returns a scalar property of the NDRange";
  let description = [{
    In linear ids dimension 0 varies fastest; they exclude the global offset.
    Example: `%i = ocl.linear_query local_linear_id : i64`
  }];
  let arguments = (ins Ocl_LinearQuery:$kind);
  let results = (outs AnyTypeOf<[I32, I64]>:$result);
  let assemblyFormat = "$kind attr-dict `:` type($result)";
}

def Ocl_ReadClockOp : Ocl_Op<"read_clock", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "reads a monotonic counter";
  let description = [{
    One counter for all work-items of `scope`; its unit is not fixed. Two reads are not merged, and no access is moved
    past a read: like a barrier, the operation declares reads and writes of memory. Example: `%t = ocl.read_clock device : i64`
  }];
  let arguments = (ins Ocl_Scope:$scope);
  let results = (outs I64:$result);
  let assemblyFormat = "$scope attr-dict `:` type($result)";
}

#endif
