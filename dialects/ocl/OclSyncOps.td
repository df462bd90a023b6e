#ifndef KILN_OCL_SYNC_OPS_TD
#define KILN_OCL_SYNC_OPS_TD

include "dialects/ocl/OclBase.td"

// Neither op lists memory effects per address space: both are walls for every access, which MLIR says by declaring
// read and write of everything.
def Ocl_BarrierOp : Ocl_Op<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits for every work-item of the group that has not returned";
  let description = [{
    A release fence on entry and an acquire fence on exit over the memory that `fence` names, at `scope`. `execution`
    says whose work-items meet. Work-items that have returned from the kernel count as arrived.
    Example: `ocl.barrier work_group "local|global" device`
  }];
  let arguments = (ins Ocl_Scope:$execution, Ocl_Fence:$fence, DefaultValuedAttr<Ocl_Scope, "Scope::work_group">:$scope);
  let assemblyFormat = "$execution $fence ($scope^)? attr-dict";
  let hasVerifier = 1;
}

def Ocl_FenceOp : Ocl_Op<"fence", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "orders this work-item's accesses without waiting";
  let description = [{ Example: `ocl.fence acq_rel work_group "local|global"` }];
  let arguments = (ins Ocl_Order:$order, Ocl_Scope:$scope, Ocl_Fence:$fence);
  let assemblyFormat = "$order $scope $fence attr-dict";
}

#endif
