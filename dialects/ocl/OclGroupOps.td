#ifndef KILN_OCL_GROUP_OPS_TD
#define KILN_OCL_GROUP_OPS_TD

include "dialects/ocl/OclBase.td"

def Ocl_Value : AnyTypeOf<[Ocl_Int, Ocl_Float], "number or vector of numbers">;

// The work-items that execute the operation together take part; those that took another branch or have returned do not.
// These are the semantics of the non-uniform built-ins. The other built-ins require that all work-items of the group
// execute them, and then the results are equal; their operations are `uniform`. The operations declare reads and writes of memory, because MLIR has no
// other way to keep an operation in its place.
class Ocl_GroupOp<string mnemonic, list<Trait> traits = []>
    : Ocl_Op<mnemonic, !listconcat([Ocl_Convergent, MemoryEffects<[MemRead, MemWrite]>], traits)> {
  let hasVerifier = 1;
}

def Ocl_CombineOp : Ocl_GroupOp<"combine", [AllTypesMatch<["value", "result"]>]> {
  let summary = "reduces or scans a value over the work-items that execute it";
  let description = [{
    `reduce` combines the values of all of them, `inclusive_scan` those up to this work-item in the order of linear local
    ids, `exclusive_scan` those before it, starting with the identity value. `cluster` divides the sub-group into runs of
    that many work-items, each with its own result; a cluster larger than the sub-group is the whole of it. The built-ins
    `all` and `any` are `and` and `or` of i1. The order in which floating-point numbers are added is not fixed.
    Example: `%s = ocl.combine inclusive_scan add work_group uniform %v : i32`
    Example: `%m = ocl.combine reduce fmax sub_group cluster 4 %v : f32`
  }];
  let arguments = (ins Ocl_GroupOperation:$group_operation, Ocl_CombiningKind:$kind, Ocl_Scope:$scope, Ocl_Value:$value,
                       OptionalAttr<I32Attr>:$cluster, UnitAttr:$uniform);
  let results = (outs Ocl_Value:$result);
  let assemblyFormat = [{
    $group_operation $kind $scope (`uniform` $uniform^)? (`cluster` $cluster^)? $value attr-dict `:` type($value)
  }];
  let extraClassDeclaration = [{
    /// Returns true if every work-item of the work-group that executes the operation gets the same result.
    bool isUniformResult() { return getScope() == Scope::work_group && getGroupOperation() == GroupOperation::reduce; }
  }];
}

def Ocl_LaneLimit : I32EnumAttr<"LaneLimit", "the lanes that a shuffle may name", [
    I32EnumAttrCase<"group", 0>, I32EnumAttrCase<"pair", 1>, I32EnumAttrCase<"none", 2>]> {
  let cppNamespace = "::kiln::ocl";
}

def Ocl_ShuffleOp : Ocl_GroupOp<"shuffle", [AllTypesMatch<["value", "result"]>]> {
  let summary = "returns the value of another work-item";
  let description = [{
    `lane` is the other work-item's id in the sub-group, or its linear local id in the work-group; in the second case it
    must be uniform, as for `uniform` operations. The result is unspecified if that work-item does not exist or does not
    execute the operation.

    `limit` says which lanes are right for `KILN_CHECK`: those of the group; those below twice the maximum size of a
    sub-group, if another operation shuffles the value that follows (`pair`); all, if Kiln has computed the lane (`none`).
    Example: `%v = ocl.shuffle sub_group %x[%lane] : f32`
    Example: `%v = ocl.shuffle sub_group %x[%lane] limit pair : f32`
  }];
  let arguments = (ins Ocl_Scope:$scope, Ocl_Value:$value, I32:$lane, UnitAttr:$uniform,
                       DefaultValuedAttr<Ocl_LaneLimit, "::kiln::ocl::LaneLimit::group">:$limit);
  let results = (outs Ocl_Value:$result);
  let assemblyFormat = [{
    $scope (`uniform` $uniform^)? $value `[` $lane `]` (`limit` $limit^)? attr-dict `:` type($value)
  }];
}

def Ocl_BallotOp : Ocl_GroupOp<"ballot"> {
  let summary = "returns a bit for each work-item of the sub-group whose predicate is true";
  let description = [{ Bit n is for the work-item with sub-group local id n. Example: `%b = ocl.ballot %c : vector<4xi32>` }];
  let arguments = (ins I1:$predicate);
  let results = (outs VectorOfLengthAndType<[4], [I32]>:$result);
  let assemblyFormat = "$predicate attr-dict `:` type($result)";
  let hasVerifier = 0;
}

#endif
