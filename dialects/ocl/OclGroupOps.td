#ifndef KILN_OCL_GROUP_OPS_TD
#define KILN_OCL_GROUP_OPS_TD

include "dialects/ocl/OclBase.td"

def Ocl_Value : AnyTypeOf<[Ocl_Int, Ocl_Float], "number, or vector of numbers">;

// Whoever comes here together takes part: work-items that took another way, or have returned, do not. That is the
// meaning of the non-uniform built-ins; the others demand that all come, which makes them the same. The operations
// claim to read and write memory because MLIR has no other word for what must stay where it is.
class Ocl_GroupOp<string mnemonic, list<Trait> traits = []>
    : Ocl_Op<mnemonic, !listconcat([Ocl_Convergent, MemoryEffects<[MemRead, MemWrite]>], traits)> {
  let hasVerifier = 1;
}

def Ocl_CombineOp : Ocl_GroupOp<"combine", [AllTypesMatch<["value", "result"]>]> {
  let summary = "combines the values of the work-items that come here";
  let description = [{
    Of all of them (`reduce`), of those up to this one, in the order of linear local ids (`inclusive_scan`), or of those
    before it (`exclusive_scan`, which begins with the value that changes nothing). `cluster` cuts the sub-group into
    runs of so many work-items, each of which is combined by itself; one that is larger than the sub-group is all of it.
    What `all` and `any` ask is `and` and `or` of i1. The order in which floating-point numbers are added is not fixed.
    Example: `%s = ocl.combine inclusive_scan add work_group %v : i32`
    Example: `%m = ocl.combine reduce fmax sub_group cluster 4 %v : f32`
  }];
  let arguments = (ins Ocl_GroupOperation:$group_operation, Ocl_CombiningKind:$kind, Ocl_Scope:$scope, Ocl_Value:$value,
                       OptionalAttr<I32Attr>:$cluster);
  let results = (outs Ocl_Value:$result);
  let assemblyFormat = "$group_operation $kind $scope (`cluster` $cluster^)? $value attr-dict `:` type($value)";
  let extraClassDeclaration = [{
    /// Does every work-item of the work-group that comes here get the same.
    bool isUniformResult() { return getScope() == Scope::work_group && getGroupOperation() == GroupOperation::reduce; }
  }];
}

def Ocl_ShuffleOp : Ocl_GroupOp<"shuffle", [AllTypesMatch<["value", "result"]>]> {
  let summary = "gives the value that another work-item brings";
  let description = [{
    `lane` is the other one's id: in its sub-group, or its linear local id in the work-group, and then all work-items
    name the same. A work-item that is not there, or does not come here, has some value.
    Example: `%v = ocl.shuffle sub_group %x[%lane] : f32`
  }];
  let arguments = (ins Ocl_Scope:$scope, Ocl_Value:$value, I32:$lane);
  let results = (outs Ocl_Value:$result);
  let assemblyFormat = "$scope $value `[` $lane `]` attr-dict `:` type($value)";
}

def Ocl_BallotOp : Ocl_GroupOp<"ballot"> {
  let summary = "which work-items of the sub-group come here with true";
  let description = [{ Bit n is the work-item with that id. Example: `%b = ocl.ballot %c : vector<4xi32>` }];
  let arguments = (ins I1:$predicate);
  let results = (outs VectorOfLengthAndType<[4], [I32]>:$result);
  let assemblyFormat = "$predicate attr-dict `:` type($result)";
  let hasVerifier = 0;
}

#endif
