#ifndef KILN_OCL_ENQUEUE_OPS_TD
#define KILN_OCL_ENQUEUE_OPS_TD

include "dialects/ocl/OclBase.td"
include "mlir/IR/SymbolInterfaces.td"

// Queues and events are 64-bit integers; base/abi/EnqueueAbi.h defines them.

def Ocl_Arena : LLVM_PointerInAddressSpace<1>;

class Ocl_EnqueueOp<string mnemonic, list<Trait> traits = []>
    : Ocl_Op<mnemonic, [Ocl_LibraryOp, MemoryEffects<[MemRead, MemWrite]>] # traits>;

def Ocl_EnqueueArenaOp : Ocl_Op<"enqueue_arena", [Pure]> {
  let summary = "returns the address of the launch's enqueue arena";
  let description = [{
    The arena is an `abi::EnqueueArena`. A launch has one if its kernel's plan has `enqueues`.
    Example: `%a = ocl.enqueue_arena : !llvm.ptr<1>`
  }];
  let results = (outs Ocl_Arena:$address);
  let assemblyFormat = "attr-dict `:` type($address)";
}

def Ocl_BlockNumberOp : Ocl_Op<"block_number", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "returns the index of a block in the program";
  let description = [{
    Blocks are launched by index, not by address. `ocl-number-blocks` assigns the indices after all modules of the
    program are linked. Example: `%n = ocl.block_number @block : i32`
  }];
  let arguments = (ins FlatSymbolRefAttr:$block);
  let results = (outs I32:$number);
  let assemblyFormat = "$block attr-dict `:` type($number)";
}

def Ocl_DefaultQueueOp : Ocl_EnqueueOp<"default_queue"> {
  let summary = "returns the default device queue at the time of the launch, or 0";
  let description = [{ Example: `%q = ocl.default_queue %a : i64` }];
  let arguments = (ins Ocl_Arena:$arena);
  let results = (outs I64:$queue);
  let assemblyFormat = "$arena attr-dict `:` type($queue)";
}

def Ocl_EnqueueKernelOp : Ocl_EnqueueOp<"enqueue_kernel"> {
  let summary = "enqueues a block, to run after this launch";
  let description = [{
    The NDRange has three offsets, three sizes and three local sizes, 0 in dimensions that `work_dim` excludes; the
    runtime chooses a local size of 0. `events` points to `waits` events. `event` is the address for the child's event,
    or null. The block gets a copy of the `bytes` bytes at `captured`, and local memory of each of the `locals` sizes
    (i32) at `local_sizes`. The result is 0 or an error code of OpenCL C.
    Example: `%r = ocl.enqueue_kernel %a, %queue, %flags range %dim (%o0, ...) waits %n at %e event %p
    block %b captured %c of %bytes locals %l at %s : !llvm.ptr<4>, ...`
  }];
  let arguments = (ins Ocl_Arena:$arena, I64:$queue, I32:$flags, I32:$work_dim, Variadic<I64>:$range, I32:$waits,
                       LLVM_AnyPointer:$events, LLVM_AnyPointer:$event, I32:$block, LLVM_AnyPointer:$captured,
                       I32:$bytes, I32:$locals, LLVM_AnyPointer:$local_sizes);
  let results = (outs I32:$result);
  let assemblyFormat = [{
    $arena `,` $queue `,` $flags `range` $work_dim `(` $range `)` `waits` $waits `at` $events `event` $event
    `block` $block `captured` $captured `of` $bytes `locals` $locals `at` $local_sizes attr-dict `:`
    type($events) `,` type($event) `,` type($captured) `,` type($local_sizes)
  }];
  let hasVerifier = 1;
}

def Ocl_EnqueueMarkerOp : Ocl_EnqueueOp<"enqueue_marker"> {
  let summary = "enqueues a marker that waits for events";
  let description = [{ Example: `%r = ocl.enqueue_marker %a, %queue waits %n at %e event %p : !llvm.ptr<4>, !llvm.ptr<4>` }];
  let arguments = (ins Ocl_Arena:$arena, I64:$queue, I32:$waits, LLVM_AnyPointer:$events, LLVM_AnyPointer:$event);
  let results = (outs I32:$result);
  let assemblyFormat = [{
    $arena `,` $queue `waits` $waits `at` $events `event` $event attr-dict `:` type($events) `,` type($event)
  }];
}

def Ocl_CreateUserEventOp : Ocl_EnqueueOp<"create_user_event"> {
  let summary = "creates a user event; returns 0 if there are none left";
  let description = [{ Example: `%e = ocl.create_user_event %a : i64` }];
  let arguments = (ins Ocl_Arena:$arena);
  let results = (outs I64:$event);
  let assemblyFormat = "$arena attr-dict `:` type($event)";
}

def Ocl_IsValidEventOp : Ocl_EnqueueOp<"is_valid_event"> {
  let summary = "returns 1 if an event is valid, else 0";
  let description = [{ Example: `%v = ocl.is_valid_event %a, %e : i32` }];
  let arguments = (ins Ocl_Arena:$arena, I64:$event);
  let results = (outs I32:$valid);
  let assemblyFormat = "$arena `,` $event attr-dict `:` type($valid)";
}

def Ocl_RetainEventOp : Ocl_EnqueueOp<"retain_event"> {
  let summary = "increments an event's reference count";
  let description = [{ Example: `ocl.retain_event %a, %e` }];
  let arguments = (ins Ocl_Arena:$arena, I64:$event);
  let assemblyFormat = "$arena `,` $event attr-dict";
}

def Ocl_ReleaseEventOp : Ocl_EnqueueOp<"release_event"> {
  let summary = "decrements an event's reference count";
  let description = [{ Example: `ocl.release_event %a, %e` }];
  let arguments = (ins Ocl_Arena:$arena, I64:$event);
  let assemblyFormat = "$arena `,` $event attr-dict";
}

def Ocl_SetUserEventStatusOp : Ocl_EnqueueOp<"set_user_event_status"> {
  let summary = "completes a user event with status 0 or with a negative error code";
  let description = [{ Example: `ocl.set_user_event_status %a, %e, %status` }];
  let arguments = (ins Ocl_Arena:$arena, I64:$event, I32:$status);
  let assemblyFormat = "$arena `,` $event `,` $status attr-dict";
}

def Ocl_CaptureEventProfilingOp : Ocl_EnqueueOp<"capture_event_profiling"> {
  let summary = "requests that a command's times are stored when it is complete";
  let description = [{ Example: `ocl.capture_event_profiling %a, %e, %what, %p : !llvm.ptr<1>` }];
  let arguments = (ins Ocl_Arena:$arena, I64:$event, I32:$what, LLVM_AnyPointer:$value);
  let assemblyFormat = "$arena `,` $event `,` $what `,` $value attr-dict `:` type($value)";
}

// The executor (base/abi/EnqueueAbi.h), a kernel of one loop:
//
//   %own = ocl.begin_executor %launched, %child
//   while (ocl.next_chunk %own, %child)
//     if (ocl.place_item %child, %item) one work-item of the block that %child names
//
// All work-items of its group execute these operations. `own` is the group's arena, `child` its abi::ExecutorChild.
def Ocl_Child : LLVM_PointerInAddressSpace<3>;

def Ocl_BeginExecutorOp : Ocl_EnqueueOp<"begin_executor"> {
  let summary = "returns the arena of the executor's group, a copy of the launch's";
  let description = [{
    With `leaves_events`, children with events are left to the host. The arena is valid after the first `next_chunk`.
    Example: `%own = ocl.begin_executor %launched, %child leaves_events %l : !llvm.ptr<1>`
  }];
  let arguments = (ins Ocl_Arena:$launched, Ocl_Child:$child, I1:$leaves_events);
  let results = (outs Ocl_Arena:$own);
  let assemblyFormat = "$launched `,` $child `leaves_events` $leaves_events attr-dict `:` type($own)";
}

def Ocl_NextChunkOp : Ocl_EnqueueOp<"next_chunk", [Ocl_Convergent]> {
  let summary = "ends the group's chunk and goes on to the next one, of any child; returns false if the group must end";
  let description = [{
    Has barriers of the group. `blocks` are the abi::ExecutorBlock of all blocks. `partial_barriers` is
    `ocl::TargetFeature::PartialBarriers`.
    Example: `%c = ocl.next_chunk %own, %child of %blocks on %sub_group_size, %partial_barriers : i1`
  }];
  let arguments = (ins Ocl_Arena:$own, Ocl_Child:$child, LLVM_PointerInAddressSpace<2>:$blocks, I32:$sub_group_size,
                       I1:$partial_barriers);
  let results = (outs I1:$runs);
  let assemblyFormat = [{
    $own `,` $child `of` $blocks `on` $sub_group_size `,` $partial_barriers attr-dict `:` type($runs)
  }];
}

def Ocl_PlaceItemOp : Ocl_EnqueueOp<"place_item"> {
  let summary = "sets the ids of the work-item that this one runs in the chunk; returns false if it runs none";
  let description = [{
    `item` is an abi::ExecutorItem. With `uses_groups`, the chunk is a work-group of the child.
    Example: `%r = ocl.place_item %child, %item uses_groups %g : i1`
  }];
  let arguments = (ins Ocl_Child:$child, LLVM_PointerInAddressSpace<0>:$item, I1:$uses_groups);
  let results = (outs I1:$runs);
  let assemblyFormat = "$child `,` $item `uses_groups` $uses_groups attr-dict `:` type($runs)";
}

def Ocl_LocalArgumentOp : Ocl_EnqueueOp<"local_argument"> {
  let summary = "returns the offset of a child's argument in the executor's local memory for arguments";
  let description = [{ Example: `%o = ocl.local_argument %child, %index : i64` }];
  let arguments = (ins Ocl_Child:$child, I32:$index);
  let results = (outs I64:$offset);
  let assemblyFormat = "$child `,` $index attr-dict `:` type($offset)";
}

// A property of a block, by the block's index.
class Ocl_BlockQueryOp<string mnemonic, string what, dag more = (ins)>
    : Ocl_Op<mnemonic, [Ocl_LibraryOp, MemoryEffects<[MemRead]>]> {
  let summary = what;
  let arguments = !con((ins Ocl_Arena:$arena, I32:$block), more);
  let results = (outs I32:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, $result)";
}
def Ocl_BlockWorkGroupSizeOp : Ocl_BlockQueryOp<"block_work_group_size", "returns the maximum work-group size of a block">;
def Ocl_BlockPreferredMultipleOp : Ocl_BlockQueryOp<"block_preferred_multiple", "returns the preferred work-group size multiple of a block">;
def Ocl_BlockSubGroupCountOp
    : Ocl_BlockQueryOp<"block_sub_group_count", "returns the number of sub-groups of a block with a local size",
                       (ins I64:$local0, I64:$local1, I64:$local2)>;
def Ocl_BlockMaxSubGroupSizeOp
    : Ocl_BlockQueryOp<"block_max_sub_group_size", "returns the maximum sub-group size of a block with a local size",
                       (ins I64:$local0, I64:$local1, I64:$local2)>;
def Ocl_BlockLocalSizeForSubGroupsOp
    : Ocl_BlockQueryOp<"block_local_size_for_sub_groups", "returns a local size with `count` sub-groups, or 0",
                       (ins I32:$count)>;
def Ocl_BlockMaxSubGroupsOp : Ocl_BlockQueryOp<"block_max_sub_groups", "returns the maximum number of sub-groups of a work-group">;

#endif
