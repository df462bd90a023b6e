#ifndef KILN_OCL_SYNC_OPS_TD
#define KILN_OCL_SYNC_OPS_TD

include "dialects/ocl/OclBase.td"

// No access may be moved past a barrier or a fence, so both declare reads and writes of all memory.
def Ocl_BarrierOp : Ocl_Op<"barrier", [Ocl_Convergent, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits for every work-item of the group that has not returned";
  let description = [{
    A release fence on entry and an acquire fence on exit over the memory that `fence` names, at `scope`. `execution`
    is the group whose work-items wait for each other. Work-items that have returned from the kernel count as arrived.
    Example: `ocl.barrier work_group "local|global" device`
  }];
  let arguments = (ins Ocl_Scope:$execution, Ocl_Fence:$fence, DefaultValuedAttr<Ocl_Scope, "Scope::work_group">:$scope);
  let assemblyFormat = "$execution $fence ($scope^)? attr-dict";
  let hasVerifier = 1;
}

def Ocl_PartialBarrierOp : Ocl_Op<"partial_barrier", [Ocl_Convergent, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits for the first `items` work-items of the work-group";
  let description = [{
    As `ocl.barrier work_group` in a group of `items` work-items; others do not execute it. With `execution` sub_group
    `items` are at most a sub-group's size, else a multiple of it.
    Example: `ocl.partial_barrier work_group of %n local`
  }];
  let arguments = (ins Ocl_Scope:$execution, I32:$items, Ocl_Fence:$fence,
                       DefaultValuedAttr<Ocl_Scope, "Scope::work_group">:$scope);
  let assemblyFormat = "$execution `of` $items $fence ($scope^)? attr-dict";
  let hasVerifier = 1;
}

def Ocl_FenceOp : Ocl_Op<"fence", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "orders this work-item's accesses without waiting";
  let description = [{ Example: `ocl.fence acq_rel work_group "local|global"` }];
  let arguments = (ins Ocl_Order:$order, Ocl_Scope:$scope, Ocl_Fence:$fence);
  let assemblyFormat = "$order $scope $fence attr-dict";
}

def Ocl_AsyncCopyOp : Ocl_Op<"async_copy", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "copies elements between local and global memory, cooperatively by all work-items of the group";
  let description = [{
    `stride` is in elements, on the side of global memory. Every work-item of the group must execute it with the same
    operands. The copied elements may be used after the `ocl.barrier` that a wait for the copy's event is lowered to.
    Example: `ocl.async_copy %to, %from, %count, %stride f32 : !llvm.ptr<3>, !llvm.ptr<1>`
  }];
  let arguments = (ins LLVM_AnyPointer:$destination, LLVM_AnyPointer:$source, I64:$count, I64:$stride,
                       TypeAttr:$element);
  let assemblyFormat = [{
    $destination `,` $source `,` $count `,` $stride $element attr-dict `:` type($destination) `,` type($source)
  }];
  let hasVerifier = 1;
}

#endif
