#ifndef KILN_OCL_CHECK_OPS_TD
#define KILN_OCL_CHECK_OPS_TD

include "dialects/ocl/OclBase.td"

def Ocl_AccessKind : I32EnumAttr<"AccessKind", "what an access does", [
    I32EnumAttrCase<"read", 0>, I32EnumAttrCase<"write", 1>, I32EnumAttrCase<"atomic", 2>]> {
  let cppNamespace = "::kiln::ocl";
}

// Not speculatable: a check that a work-item does not reach must not report.
def Ocl_CheckAccessOp : Ocl_Op<"check_access", [NoMemoryEffect, AllTypesMatch<["pointer", "result"]>]> {
  let summary = "returns the pointer of an access if its bytes are in an object, else reports the access";
  let description = [{
    The access is to `bytes` bytes at `pointer`. It is right if all of them are in the `size` bytes at `base`, and the
    result is `pointer`. Otherwise the runtime decides (`abi::CheckLaunch`): it accepts the access, or it reports it and
    returns the address of other memory, which is zero for reads. An access whose object is not known has size 0.

    `x`, `y` and `z` are the work-item's global ids; all ones means that the kernel does not depend on it. `argument` is
    the index of the kernel's argument that the object belongs to, `name` the name of the variable or argument.

    The operation has no effect that another one of the program can observe, so it may be executed again, and a check
    whose result is not used may be erased.
    Example: `%q = ocl.check_access write %p in %b[%size] bytes %n item(%x, %y, %z) "out" argument 1 : !llvm.ptr<1>, !llvm.ptr<1>`
  }];
  let arguments = (ins Ocl_AccessKind:$access, LLVM_AnyPointer:$pointer, LLVM_AnyPointer:$base, I64:$size, I64:$bytes,
                       I64:$x, I64:$y, I64:$z, StrAttr:$name, OptionalAttr<I32Attr>:$argument);
  let results = (outs LLVM_AnyPointer:$result);
  let assemblyFormat = [{
    $access $pointer `in` $base `[` $size `]` `bytes` $bytes `item` `(` $x `,` $y `,` $z `)` $name
    (`argument` $argument^)? attr-dict `:` type($pointer) `,` type($base)
  }];
  let hasFolder = 1;
}

// Not speculatable, as ocl.check_access.
def Ocl_CheckImageOp : Ocl_Op<"check_image", [NoMemoryEffect]> {
  let summary = "returns false if an access of an image is undefined because its coordinates are outside, and reports it";
  let description = [{
    A write is undefined outside of the image. So is a read through a sampler without an addressing mode
    (CLK_ADDRESS_NONE), or without a sampler, which is sampler 0. The layer of a read is clamped.

    `shape` is the number of coordinates of a pixel (abi::ShapeDims), and whether a layer follows them
    (abi::ShapeLayers). As `ocl.check_access`, it may be executed again, and may be erased if its result is not used.
    Example: `%inside = ocl.check_image read %i sampler %s shape 2 at %x, %y : i32, i32`
  }];
  let arguments = (ins Ocl_AccessKind:$access, LLVM_PointerInAddressSpace<0>:$image, I32:$sampler, I32Attr:$shape,
                       Variadic<AnyTypeOf<[I32, F32]>>:$coordinates);
  let results = (outs I1:$inside);
  let assemblyFormat = [{
    $access $image `sampler` $sampler `shape` $shape `at` $coordinates attr-dict `:` qualified(type($image)) `,` type($coordinates)
  }];
}

// Reads and writes of all memory: no pass may move it across a barrier, an atomic operation or a fence.
def Ocl_TrackAccessOp : Ocl_Op<"track_access", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "notes an access before it is executed";
  let description = [{
    For each bit n of `lanes` the work-item with the linear local id `item` + n is about to access `bytes` bytes at
    `pointer` + n * `step`. With 0 bytes it is a fence. The runtime compares it with earlier accesses of other
    work-items (`abi::CheckLaunch::track`).

    `sync` says how an atomic operation or a fence orders other accesses (`abi::CheckSync`). `granule` is the logarithm
    of a number of bytes of which the sizes of all tracked accesses of the kernel in this memory are multiples. `argument` and `name`
    are as in `ocl.check_access`.
    Example: `ocl.track_access write %p bytes %n step %s lanes %l item %i "out" argument 1 granule 2 : !llvm.ptr<1>`
  }];
  let arguments = (ins Ocl_AccessKind:$access, LLVM_AnyPointer:$pointer, I64:$bytes, I64:$step, I64:$lanes, I64:$item,
                       StrAttr:$name, OptionalAttr<I32Attr>:$argument, I32Attr:$granule, DefaultValuedAttr<I32Attr, "0">:$sync);
  let assemblyFormat = [{
    $access $pointer `bytes` $bytes `step` $step `lanes` $lanes `item` $item $name (`argument` $argument^)?
    `granule` $granule (`sync` $sync^)? attr-dict `:` type($pointer)
  }];
}

def Ocl_TrackLanesOp : Ocl_Op<"track_lanes", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "notes accesses of the lanes of a vector before they are executed";
  let description = [{
    As `ocl.track_access`, for addresses that are no linear function of the lane
    (`abi::CheckLaunch::trackLanes`).
    Example: `ocl.track_lanes write %p bytes %n lanes %l item %i "out" argument 1 granule 2 : vector<16x!llvm.ptr<1>>`
  }];
  let arguments = (ins Ocl_AccessKind:$access, LLVM_VectorOf<LLVM_AnyPointer>:$pointers, I64:$bytes, I64:$lanes,
                       I64:$item, StrAttr:$name, OptionalAttr<I32Attr>:$argument, I32Attr:$granule,
                       DefaultValuedAttr<I32Attr, "0">:$sync);
  let assemblyFormat = [{
    $access $pointers `bytes` $bytes `lanes` $lanes `item` $item $name (`argument` $argument^)?
    `granule` $granule (`sync` $sync^)? attr-dict `:` type($pointers)
  }];
}

def Ocl_TrackGroupOp : Ocl_Op<"track_group", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "notes an access of all work-items of a group when the group begins";
  let description = [{
    The work-item with the linear local id i is about to access `bytes` bytes at
    `pointer` + i % `row` * `step` + i / `row` * `pitch`; there are `rows` rows of `row` work-items. Returns false if each
    work-item's access has to be noted (`abi::CheckLaunch::trackGroup`). Others as in `ocl.track_access`.
    Example: `%n = ocl.track_group read %p bytes %b step %s row %x pitch %d rows %y "in" argument 1 granule 2 : !llvm.ptr<1>`
  }];
  let arguments = (ins Ocl_AccessKind:$access, LLVM_AnyPointer:$pointer, I64:$bytes, I64:$step, I64:$row, I64:$pitch,
                       I64:$rows, StrAttr:$name, OptionalAttr<I32Attr>:$argument, I32Attr:$granule,
                       DefaultValuedAttr<I32Attr, "0">:$sync);
  let results = (outs I1:$noted);
  let assemblyFormat = [{
    $access $pointer `bytes` $bytes `step` $step `row` $row `pitch` $pitch `rows` $rows $name (`argument` $argument^)?
    `granule` $granule (`sync` $sync^)? attr-dict `:` type($pointer)
  }];
}

def Ocl_ArgumentTrackedOp : Ocl_Op<"argument_tracked", [Pure]> {
  let summary = "returns which accesses through a pointer argument are tracked";
  let description = [{
    The launch sets it (`abi::CheckTracked`). Example: `%t = ocl.argument_tracked 2`
  }];
  let arguments = (ins I32Attr:$argument);
  let results = (outs I64:$tracked);
  let assemblyFormat = "$argument attr-dict";
}

def Ocl_ArgumentRangeOp : Ocl_Op<"argument_range", [Pure]> {
  let summary = "returns the memory that a pointer argument of the kernel may access";
  let description = [{
    The range is that of the launch's memory object (`abi::CheckLaunch`, `abi::GpuCheck`). For an argument in local
    memory only the size is set. On GPUs, the index after that of the last argument is that of the addresses that
    pointers of unknown objects may have without a further look. Example: `%begin, %size = ocl.argument_range 2 : !llvm.ptr<1>`
  }];
  let arguments = (ins I32Attr:$argument);
  let results = (outs LLVM_AnyPointer:$begin, I64:$size);
  let assemblyFormat = "$argument attr-dict `:` type($begin)";
}

// Checks of kernels for GPUs. `check` is the launch's abi::GpuCheck, `site` the index of an abi::CheckSite among the
// kernel's (`ocl.check_sites`), and `x`, `y` and `z` are global ids.
class Ocl_GpuCheckOp<string mnemonic, list<Trait> traits = []>
    : Ocl_Op<mnemonic, [Ocl_LibraryOp, MemoryEffects<[MemRead, MemWrite]>] # traits>;

def Ocl_ReportAccessOp : Ocl_GpuCheckOp<"report_access"> {
  let summary = "records an access that is not in its object; returns true if it is right nevertheless";
  let description = [{
    The access is to `bytes` bytes at the address `pointer`, and its object is the `size` bytes at `base`; both are
    offsets if the object is in private or local memory. `range` is the index of the abi::GpuCheckRange that says which
    accesses outside are right; all ones: none.
    Example: `%r = ocl.report_access %check site %s range %r at %p bytes %n in %b[%size] item(%x, %y, %z)`
  }];
  let arguments = (ins LLVM_PointerInAddressSpace<1>:$check, I32:$site, I32:$range, I64:$pointer, I64:$base, I64:$size,
                       I64:$bytes, I64:$x, I64:$y, I64:$z);
  let results = (outs I1:$accepted);
  let assemblyFormat = [{
    $check `site` $site `range` $range `at` $pointer `bytes` $bytes `in` $base `[` $size `]`
    `item` `(` $x `,` $y `,` $z `)` attr-dict `:` type($check)
  }];
}

def Ocl_ReportFindingOp : Ocl_GpuCheckOp<"report_finding"> {
  let summary = "records what a comparison has found to be wrong";
  let description = [{
    What the three numbers are follows from the site: the coordinates of an access of an image, as doubles; the address
    of a misaligned access; the number and the limit of a collective.
    Example: `ocl.report_finding %check site %s of(%a, %b, %c) item(%x, %y, %z)`
  }];
  let arguments = (ins LLVM_PointerInAddressSpace<1>:$check, I32:$site, I64:$first, I64:$second, I64:$third, I64:$x,
                       I64:$y, I64:$z);
  let assemblyFormat = [{
    $check `site` $site `of` `(` $first `,` $second `,` $third `)` `item` `(` $x `,` $y `,` $z `)` attr-dict `:`
    type($check)
  }];
}

def Ocl_Arrivals : LLVM_PointerInAddressSpace<3>; // of an abi::BarrierArrivals

def Ocl_StartArrivalsOp : Ocl_GpuCheckOp<"start_arrivals", [Ocl_Convergent]> {
  let summary = "prepares the group's local memory for ocl.check_barrier";
  let description = [{
    All work-items of the group execute it. `item` is the linear local id.
    Example: `ocl.start_arrivals %a item %i : !llvm.ptr<3>`
  }];
  let arguments = (ins Ocl_Arrivals:$arrivals, I32:$item);
  let assemblyFormat = "$arrivals `item` $item attr-dict `:` type($arrivals)";
}

def Ocl_EndArrivalsOp : Ocl_GpuCheckOp<"end_arrivals"> {
  let summary = "records that the work-item returns";
  let description = [{ Example: `ocl.end_arrivals %a item %i : !llvm.ptr<3>` }];
  let arguments = (ins Ocl_Arrivals:$arrivals, I32:$item);
  let assemblyFormat = "$arrivals `item` $item attr-dict `:` type($arrivals)";
}

def Ocl_CheckBarrierOp : Ocl_GpuCheckOp<"check_barrier", [Ocl_Convergent]> {
  let summary = "is a barrier of the work-group; records the work-items that do not come to it";
  let description = [{
    `are_free` says that lanes of a sub-group run independently, so that they come to a barrier one after the other.
    `item` is the linear local id, `width`, `height` and `depth` are the local size, and the ids are those of the group's
    first work-item. It orders accesses to the abi::BarrierArrivals only.
    Example: `ocl.check_barrier %a, %check free %f site %s item %i of %w, %h, %d from(%x, %y, %z) : !llvm.ptr<3>, !llvm.ptr<1>`
  }];
  let arguments = (ins Ocl_Arrivals:$arrivals, LLVM_PointerInAddressSpace<1>:$check, I1:$are_free, I32:$site, I32:$item,
                       I32:$width, I32:$height, I32:$depth, I64:$x, I64:$y, I64:$z);
  let assemblyFormat = [{
    $arrivals `,` $check `free` $are_free `site` $site `item` $item `of` $width `,` $height `,` $depth
    `from` `(` $x `,` $y `,` $z `)` attr-dict `:` type($arrivals) `,` type($check)
  }];
}

def Ocl_CheckLaunchOp : Ocl_Op<"check_launch", [Pure]> {
  let summary = "returns the address of the launch's abi::CheckLaunch, or abi::GpuCheck on GPUs";
  let description = [{
    In kernels that check their accesses. Example: `%c = ocl.check_launch : !llvm.ptr<1>`
  }];
  let results = (outs LLVM_PointerInAddressSpace<1>:$address);
  let assemblyFormat = "attr-dict `:` type($address)";
}

#endif
