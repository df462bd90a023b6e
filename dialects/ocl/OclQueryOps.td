#ifndef KILN_OCL_QUERY_OPS_TD
#define KILN_OCL_QUERY_OPS_TD

include "dialects/ocl/OclBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

// Ids first: the fold of a dimension that does not exist depends on the order.
def Ocl_Query : I32EnumAttr<"Query", "component of an NDRange", [
    I32EnumAttrCase<"global_id", 0>, I32EnumAttrCase<"local_id", 1>, I32EnumAttrCase<"group_id", 2>,
    I32EnumAttrCase<"global_offset", 3>, I32EnumAttrCase<"global_size", 4>, I32EnumAttrCase<"local_size", 5>,
    I32EnumAttrCase<"enqueued_local_size", 6>, I32EnumAttrCase<"num_groups", 7>]> {
  let cppNamespace = "::kiln::ocl";
}

def Ocl_QueryOp : Ocl_Op<"query", [Pure]> {
  let summary = "one component of an NDRange query";
  let description = [{
    The `get_*(uint)` built-ins differ by one word, so they are one op with an enum. `dim` may be a run-time
    value; outside 0..2 an id or offset is 0 and a size is 1, as OpenCL C has it.
    Example: `%i = ocl.query global_id[%d] : i64`
  }];
  let arguments = (ins Ocl_Query:$kind, I32:$dim);
  let results = (outs AnyTypeOf<[I32, I64]>:$result);
  let assemblyFormat = "$kind `[` $dim `]` attr-dict `:` type($result)";
  let hasFolder = 1;
}

def Ocl_ProgramVariablesOp : Ocl_Op<"program_variables", [Pure]> {
  let summary = "where the program's variables lie";
  let description = [{
    The address of the block that holds the program's variables in global memory, one for the program on each device.
    `ocl-lay-out-program-variables` lays it out, in the module's attribute `ocl.program_variables`. Constants that hold
    addresses of variables lie in the block too and are reached as constant memory.
    Example: `%b = ocl.program_variables : !llvm.ptr<1>`
  }];
  let results = (outs AnyTypeOf<[LLVM_PointerInAddressSpace<1>, LLVM_PointerInAddressSpace<2>]>:$address);
  let assemblyFormat = "attr-dict `:` type($address)";
}

def Ocl_LinearQuery : I32EnumAttr<"LinearQuery", "scalar fact of an NDRange", [
    I32EnumAttrCase<"work_dim", 0>, I32EnumAttrCase<"global_linear_id", 1>, I32EnumAttrCase<"local_linear_id", 2>,
    I32EnumAttrCase<"sub_group_size", 3>, I32EnumAttrCase<"max_sub_group_size", 4>, I32EnumAttrCase<"num_sub_groups", 5>,
    I32EnumAttrCase<"enqueued_num_sub_groups", 6>, I32EnumAttrCase<"sub_group_id", 7>,
    I32EnumAttrCase<"sub_group_local_id", 8>]> {
  let cppNamespace = "::kiln::ocl";
}

def Ocl_LinearQueryOp : Ocl_Op<"linear_query", [Pure]> {
  let summary = "a scalar fact of the NDRange, without a dimension";
  let description = [{
    Linear ids count dimension 0 fastest and leave the global offset out.
    Example: `%i = ocl.linear_query local_linear_id : i64`
  }];
  let arguments = (ins Ocl_LinearQuery:$kind);
  let results = (outs AnyTypeOf<[I32, I64]>:$result);
  let assemblyFormat = "$kind attr-dict `:` type($result)";
}

def Ocl_ReadClockOp : Ocl_Op<"read_clock", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "what a clock that only goes up says now";
  let description = [{
    One clock for all in `scope`; its unit is not fixed. Nothing is folded into another reading or moved past it, which it says
    as barriers do. Example: `%t = ocl.read_clock device : i64`
  }];
  let arguments = (ins Ocl_Scope:$scope);
  let results = (outs I64:$result);
  let assemblyFormat = "$scope attr-dict `:` type($result)";
}

#endif
