// The `wg` dialect: how a work-group runs on one core (README.md).
#ifndef KILN_WG_TD
#define KILN_WG_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/Dialect/LLVMIR/LLVMOpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "dialects/ocl/OclBase.td"

def Wg_Dialect : Dialect {
  let name = "wg";
  let cppNamespace = "::kiln::wg";
  let summary = "executes a work-group on one core";
  let useDefaultTypePrinterParser = 1;
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

class Wg_Op<string mnemonic, list<Trait> traits = []> : Op<Wg_Dialect, mnemonic, traits>;

def Wg_SlotType : TypeDef<Wg_Dialect, "Slot"> {
  let mnemonic = "slot";
  let summary = "an array with one element per work-item";
  let description = [{
    Holds one `element` for each work-item of the group, for as long as the group runs. `!wg.slot<f32>`
  }];
  let parameters = (ins "::mlir::Type":$element);
  let assemblyFormat = "`<` $element `>`";
  let builders = [TypeBuilderWithInferredContext<(ins "::mlir::Type":$element), [{
    return $_get(element.getContext(), element);
  }]>];
}

def Wg_SlotOp : Wg_Op<"slot"> {
  let summary = "allocates one value per work-item";
  let description = [{
    Must be in the entry block of the kernel. The contents are undefined at first and live across parallel regions.
    Example: `%s = wg.slot : !wg.slot<f32>`
  }];
  let results = (outs Wg_SlotType:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Wg_ParallelOp : Wg_Op<"parallel", [RecursiveMemoryEffects]> {
  let summary = "runs its body once for each work-item of the group";
  let description = [{
    Work-items of a region are not ordered; the end of the region is a barrier. With a mask, only those work-items run
    whose element is true. The body may be any control flow graph that ends in `wg.yield`; queries in it
    (`ocl.query local_id`, ...) return the work-item's values.

    A row is the work-items that differ in the dimension `along` only, which is 0 by default.

    With `lanes`, `vector_body` runs that many work-items, adjacent in a row, at once. Queries and `wg.address` in it
    return the values of the first of them (lane 0), and it loads the mask itself. The scalar body runs the tail of a
    row. `ids_fit_i32`: the vector body may run only if all global ids fit 31 bits.

    With `jam`, one execution of either body runs that many work-items adjacent in dimension 1, and queries return the
    values of the first of them. The local size in dimension 1 must be a multiple of it, and 1 in dimension 2. Rows must
    be along dimension 0.
    Example:
    ```mlir
    wg.parallel mask %m : !wg.slot<i1> { ...  wg.yield }
    wg.parallel { ... wg.yield } lanes 8 { ... wg.yield }
    wg.parallel jam 4 { ... wg.yield }
    wg.parallel along 1 { ... wg.yield }
    ```
  }];
  let arguments = (ins Optional<Wg_SlotType>:$mask, OptionalAttr<I64Attr>:$lanes, UnitAttr:$ids_fit_i32,
                       OptionalAttr<I64Attr>:$jam, OptionalAttr<I64Attr>:$along);
  let regions = (region AnyRegion:$body, AnyRegion:$vector_body);
  let builders = [OpBuilder<(ins "::mlir::Value":$mask), [{
    if (mask)
      $_state.addOperands(mask);
    $_state.addRegion();
    $_state.addRegion();
  }]>];
  let extraClassDeclaration = [{
    /// The dimension of rows.
    unsigned rowDimension() { return unsigned(getAlong().value_or(0)); }
  }];
  let assemblyFormat = [{
    (`mask` $mask^ `:` type($mask))? (`jam` $jam^)? (`along` $along^)? $body
    (`lanes` $lanes^ (`ids_fit_i32` $ids_fit_i32^)? $vector_body)? attr-dict
  }];
  let hasVerifier = 1;
}

def Wg_YieldOp : Wg_Op<"yield", [Terminator, Pure, AttrSizedOperandSegments, ParentOneOf<["ParallelOp"]>]> {
  let summary = "ends a work-item's execution of a parallel region";
  let description = [{
    A vector body may fall back. If `done` is false, the vector body had no side effect, and the scalar body runs its
    work-items, provided that `more` is true. If `more` is false, neither this vector nor a later one of the row has
    work. The scalar body always runs its work-item: there, `done` is true, and `more` is false if no later work-item of
    the row has work. Example: `wg.yield done %all more %some`
  }];
  let arguments = (ins Optional<I1>:$done, Optional<I1>:$more);
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::Value(), ::mlir::Value()); }]>];
  let assemblyFormat = "(`done` $done^ `more` $more)? attr-dict";
}

class Wg_ItemOp<string mnemonic, list<Trait> traits = []> : Wg_Op<mnemonic, traits> {
  let hasVerifier = 1; // must be inside a parallel region
}

def Wg_LoadOp : Wg_ItemOp<"load", [MemoryEffects<[MemRead]>,
    TypesMatchWith<"the slot's element", "slot", "value", "::llvm::cast<SlotType>($_self).getElement()">]> {
  let summary = "reads this work-item's element of a slot";
  let description = [{ Example: `%v = wg.load %s : !wg.slot<f32>` }];
  let arguments = (ins Wg_SlotType:$slot);
  let results = (outs AnyType:$value);
  let assemblyFormat = "$slot attr-dict `:` type($slot)";
}

def Wg_StoreOp : Wg_ItemOp<"store", [MemoryEffects<[MemWrite]>,
    TypesMatchWith<"the slot's element", "slot", "value", "::llvm::cast<SlotType>($_self).getElement()">]> {
  let summary = "writes this work-item's element of a slot";
  let description = [{ Example: `wg.store %v, %s : !wg.slot<f32>` }];
  let arguments = (ins AnyType:$value, Wg_SlotType:$slot);
  let assemblyFormat = "$value `,` $slot attr-dict `:` type($slot)";
}

def Wg_AddressOp : Wg_ItemOp<"address", [Pure]> {
  let summary = "returns the address of this work-item's element of a slot";
  let description = [{
    For private arrays and structs that live across barriers. Example: `%p = wg.address %s : !wg.slot<!llvm.array<4 x f32>>`
  }];
  let arguments = (ins Wg_SlotType:$slot);
  let results = (outs Res<LLVM_PointerInAddressSpace<0>>:$address);
  let assemblyFormat = "$slot attr-dict `:` type($slot)";
}

def Wg_AssumptionReportOp : Wg_Op<"assumption_report", [Pure]> {
  let summary = "returns the address of the launch's abi::AssumptionReport";
  let description = [{
    In code that checks its assumptions (`wg-vectorize{check-assumptions}`).
    Example: `%r = wg.assumption_report : !llvm.ptr`
  }];
  let results = (outs Res<LLVM_PointerInAddressSpace<0>>:$address);
  let assemblyFormat = "attr-dict `:` type($address)";
}

def Wg_DistinctArgumentsOp : Wg_Op<"distinct_arguments", [Pure]> {
  let summary = "returns true if the launch's memory objects do not overlap";
  let description = [{
    True if no argument through which the kernel may write overlaps another argument in global or constant memory. Each
    launch sets it (abi::CpuLaunch). OpenCL does not define accesses beyond a memory object, so two addresses that are
    computed from different arguments are different then. False does not tell that objects overlap.
    Example: `%d = wg.distinct_arguments`
  }];
  let results = (outs I1:$distinct);
  let assemblyFormat = "attr-dict";
}

def Wg_PermuteOp : Wg_Op<"permute", [Pure, AllTypesMatch<["index", "low", "high", "result"]>]> {
  let summary = "selects an element of two vectors for each lane";
  let description = [{
    Lane n of the result is element `index[n]` of `low` followed by `high`. An index must be less than twice the number of
    lanes. Only targets with the feature `permutes` have it, for 8 lanes and as many as a vector register has; their code
    generator has its instructions. Example: `%r = wg.permute %i of %a, %b : vector<16xi32>`
  }];
  let arguments = (ins VectorOfRankAndType<[1], [I32]>:$index, VectorOfRankAndType<[1], [I32]>:$low,
                       VectorOfRankAndType<[1], [I32]>:$high);
  let results = (outs VectorOfRankAndType<[1], [I32]>:$result);
  let assemblyFormat = "$index `of` $low `,` $high attr-dict `:` type($result)";
}

def Wg_AnyOp : Wg_Op<"any", [MemoryEffects<[MemRead]>]> {
  let summary = "returns true if the slot is true for any work-item of the group";
  let description = [{ Must be between parallel regions. Example: `%c = wg.any %s : !wg.slot<i1>` }];
  let arguments = (ins Wg_SlotType:$slot);
  let results = (outs I1:$result);
  let assemblyFormat = "$slot attr-dict `:` type($slot)";
  let hasVerifier = 1;
}

def Wg_ReadOp : Wg_Op<"read", [MemoryEffects<[MemRead]>,
    TypesMatchWith<"the slot's element", "slot", "value", "::llvm::cast<SlotType>($_self).getElement()">]> {
  let summary = "reads any work-item's element of a slot";
  let description = [{
    `item` is the work-item's linear local id, below the number of elements. Must not be in a region that writes the
    slot.
    Example: `%v = wg.read %s[%i] : !wg.slot<f32>`
  }];
  let arguments = (ins Wg_SlotType:$slot, I64:$item);
  let results = (outs AnyType:$value);
  let assemblyFormat = "$slot `[` $item `]` attr-dict `:` type($slot)";
}

def Wg_ReduceOp : Wg_Op<"reduce", [MemoryEffects<[MemRead]>,
    TypesMatchWith<"the slot's element", "slot", "result", "::llvm::cast<SlotType>($_self).getElement()">]> {
  let summary = "reduces a slot over the work-items of the group";
  let description = [{
    Only work-items in the mask contribute; if there are none, the result is the identity value. Must be between parallel
    regions.
    Example: `%sum = wg.reduce add %s mask %m : !wg.slot<i32>`
  }];
  let arguments = (ins Ocl_CombiningKind:$kind, Wg_SlotType:$slot, Optional<Wg_SlotType>:$mask);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$kind $slot (`mask` $mask^)? attr-dict `:` type($slot) (`,` type($mask)^)?";
  let hasVerifier = 1;
}

def Wg_CombineOp : Wg_Op<"combine", [MemoryEffects<[MemRead, MemWrite]>, AllTypesMatch<["from", "to"]>]> {
  let summary = "reduces or scans a slot, with a result per work-item";
  let description = [{
    As `ocl.combine`, over runs of `width` consecutive work-items (a power of two), or over the whole group without
    `width`. Only work-items in the mask contribute; the elements of `to` of other work-items are unspecified. Must be
    between parallel regions.
    Example: `wg.combine inclusive_scan add width 16 %s, %r mask %m : !wg.slot<i32>, !wg.slot<i1>`
  }];
  let arguments = (ins Ocl_GroupOperation:$group_operation, Ocl_CombiningKind:$kind, Wg_SlotType:$from, Wg_SlotType:$to,
                       Optional<Wg_SlotType>:$mask, OptionalAttr<I32Attr>:$width);
  let assemblyFormat = [{
    $group_operation $kind (`width` $width^)? $from `,` $to (`mask` $mask^)? attr-dict `:` type($from) (`,` type($mask)^)?
  }];
  let hasVerifier = 1;
}

#endif
