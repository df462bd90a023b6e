// The `wg` dialect: how a work-group runs on one core. README.md says what belongs here and what does not.
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
  let summary = "a work-group on one core";
  let useDefaultTypePrinterParser = 1;
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

class Wg_Op<string mnemonic, list<Trait> traits = []> : Op<Wg_Dialect, mnemonic, traits>;

def Wg_SlotType : TypeDef<Wg_Dialect, "Slot"> {
  let mnemonic = "slot";
  let summary = "storage for one value per work-item";
  let description = [{
    One `element` for each work-item of the group, in an array that lasts as long as the group. `!wg.slot<f32>`
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
    Stands in the entry block of the kernel. Contents are undefined at first, and kept from one parallel region to the
    next. Example: `%s = wg.slot : !wg.slot<f32>`
  }];
  let results = (outs Wg_SlotType:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Wg_ParallelOp : Wg_Op<"parallel", [RecursiveMemoryEffects]> {
  let summary = "runs its body once for each work-item of the group";
  let description = [{
    Nothing orders one work-item against another inside one region; the end of the region is a barrier. With a mask,
    only those work-items run whose slot holds true. The body may be any control flow graph that ends in `wg.yield`;
    queries in it (`ocl.query local_id`, ...) answer for the work-item.

    With `lanes`, a second body does the same for so many work-items at a time, neighbours in dimension 0: queries and
    `wg.address` in it answer for the first of them, and it asks for the mask itself. Where fewer are left in a row,
    the body for one serves. `small_ids`: only where no global id needs more than 31 bits.

    With `rows`, both bodies do the work of so many neighbours in dimension 1 at a time, and queries answer for the
    first of them. Groups are known to have a multiple of so many then, and one work-item in dimension 2.
    Example:
    ```mlir
    wg.parallel mask %m : !wg.slot<i1> { ...  wg.yield }
    wg.parallel { ... wg.yield } lanes 8 { ... wg.yield }
    wg.parallel rows 4 { ... wg.yield }
    ```
  }];
  let arguments = (ins Optional<Wg_SlotType>:$mask, OptionalAttr<I64Attr>:$lanes, UnitAttr:$small_ids,
                       OptionalAttr<I64Attr>:$rows);
  let regions = (region AnyRegion:$body, AnyRegion:$wide);
  let builders = [OpBuilder<(ins "::mlir::Value":$mask), [{
    if (mask)
      $_state.addOperands(mask);
    $_state.addRegion();
    $_state.addRegion();
  }]>];
  let assemblyFormat = [{
    (`mask` $mask^ `:` type($mask))? (`rows` $rows^)? $body (`lanes` $lanes^ (`small_ids` $small_ids^)? $wide)? attr-dict
  }];
  let hasVerifier = 1;
}

def Wg_YieldOp : Wg_Op<"yield", [Terminator, Pure, AttrSizedOperandSegments, ParentOneOf<["ParallelOp"]>]> {
  let summary = "ends a work-item's way through a parallel region";
  let description = [{
    In a body for vectors it may say how far that came: where not all lanes were to do the same, nothing was done, and
    the body for one takes their work-items. `more`: may there be anything to do for these and those behind them.
    Example: `wg.yield done %all more %some`
  }];
  let arguments = (ins Optional<I1>:$done, Optional<I1>:$more);
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::Value(), ::mlir::Value()); }]>];
  let assemblyFormat = "(`done` $done^ `more` $more)? attr-dict";
}

class Wg_ItemOp<string mnemonic, list<Trait> traits = []> : Wg_Op<mnemonic, traits> {
  let hasVerifier = 1; // stands inside a parallel region
}

def Wg_LoadOp : Wg_ItemOp<"load", [MemoryEffects<[MemRead]>,
    TypesMatchWith<"the slot's element", "slot", "value", "::llvm::cast<SlotType>($_self).getElement()">]> {
  let summary = "reads this work-item's value of a slot";
  let description = [{ Example: `%v = wg.load %s : !wg.slot<f32>` }];
  let arguments = (ins Wg_SlotType:$slot);
  let results = (outs AnyType:$value);
  let assemblyFormat = "$slot attr-dict `:` type($slot)";
}

def Wg_StoreOp : Wg_ItemOp<"store", [MemoryEffects<[MemWrite]>,
    TypesMatchWith<"the slot's element", "slot", "value", "::llvm::cast<SlotType>($_self).getElement()">]> {
  let summary = "writes this work-item's value of a slot";
  let description = [{ Example: `wg.store %v, %s : !wg.slot<f32>` }];
  let arguments = (ins AnyType:$value, Wg_SlotType:$slot);
  let assemblyFormat = "$value `,` $slot attr-dict `:` type($slot)";
}

def Wg_AddressOp : Wg_ItemOp<"address", [Pure]> {
  let summary = "where this work-item's value of a slot lies";
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

def Wg_AnyOp : Wg_Op<"any", [MemoryEffects<[MemRead]>]> {
  let summary = "is the slot true for any work-item of the group";
  let description = [{ Stands between parallel regions. Example: `%c = wg.any %s : !wg.slot<i1>` }];
  let arguments = (ins Wg_SlotType:$slot);
  let results = (outs I1:$result);
  let assemblyFormat = "$slot attr-dict `:` type($slot)";
  let hasVerifier = 1;
}

def Wg_ReadOp : Wg_Op<"read", [MemoryEffects<[MemRead]>,
    TypesMatchWith<"the slot's element", "slot", "value", "::llvm::cast<SlotType>($_self).getElement()">]> {
  let summary = "reads the value of a slot that belongs to some work-item";
  let description = [{
    `item` is its linear local id, below the number of work-items that slots are made for. Stands where no region writes
    the slot at the same time: in another one than those that do, or between them.
    Example: `%v = wg.read %s[%i] : !wg.slot<f32>`
  }];
  let arguments = (ins Wg_SlotType:$slot, I64:$item);
  let results = (outs AnyType:$value);
  let assemblyFormat = "$slot `[` $item `]` attr-dict `:` type($slot)";
}

def Wg_ReduceOp : Wg_Op<"reduce", [MemoryEffects<[MemRead]>,
    TypesMatchWith<"the slot's element", "slot", "result", "::llvm::cast<SlotType>($_self).getElement()">]> {
  let summary = "makes one value of a slot's, over the work-items of the group";
  let description = [{
    Of those alone that the mask names, and of none the value that changes nothing. Stands between parallel regions.
    Example: `%sum = wg.reduce add %s mask %m : !wg.slot<i32>`
  }];
  let arguments = (ins Ocl_Combiner:$combiner, Wg_SlotType:$slot, Optional<Wg_SlotType>:$mask);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$combiner $slot (`mask` $mask^)? attr-dict `:` type($slot) (`,` type($mask)^)?";
  let hasVerifier = 1;
}

def Wg_CombineOp : Wg_Op<"combine", [MemoryEffects<[MemRead, MemWrite]>, AllTypesMatch<["from", "to"]>]> {
  let summary = "gives each work-item what a slot's values combine to";
  let description = [{
    As `ocl.combine` has it, over runs of `width` consecutive work-items (a power of two), or over the whole group where
    there is none. Only what the mask names takes part; what others find in `to` is nothing in particular. Stands
    between parallel regions.
    Example: `wg.combine inclusive_scan add width 16 %s, %r mask %m : !wg.slot<i32>, !wg.slot<i1>`
  }];
  let arguments = (ins Ocl_Reach:$reach, Ocl_Combiner:$combiner, Wg_SlotType:$from, Wg_SlotType:$to,
                       Optional<Wg_SlotType>:$mask, OptionalAttr<I32Attr>:$width);
  let assemblyFormat = [{
    $reach $combiner (`width` $width^)? $from `,` $to (`mask` $mask^)? attr-dict `:` type($from) (`,` type($mask)^)?
  }];
  let hasVerifier = 1;
}

#endif
