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

// Steps of the executor (base/abi/EnqueueAbi.h). One work-item of a group executes them; `own` is its group's arena.
def Ocl_TakeChildOp : Ocl_EnqueueOp<"take_child"> {
  let summary = "takes the next entry of the executor's queue; returns 0 if the group must end";
  let description = [{ Waits until the entry's child may start. Example: `%e = ocl.take_child %own : i64` }];
  let arguments = (ins Ocl_Arena:$own);
  let results = (outs I64:$entry);
  let assemblyFormat = "$own attr-dict `:` type($entry)";
}

def Ocl_FirstChunkOp : Ocl_EnqueueOp<"first_chunk"> {
  let summary = "returns the first chunk that the group runs of a child, and lets other groups help";
  let description = [{ Example: `%c = ocl.first_chunk %own, %entry of %chunks : i32` }];
  let arguments = (ins Ocl_Arena:$own, I64:$entry, I32:$chunks);
  let results = (outs I32:$chunk);
  let assemblyFormat = "$own `,` $entry `of` $chunks attr-dict `:` type($chunk)";
}

def Ocl_NextChunkOp : Ocl_EnqueueOp<"next_chunk"> {
  let summary = "returns the next chunk of a child; the number of chunks or more if there is none left";
  let description = [{ Example: `%c = ocl.next_chunk %own, %entry : i32` }];
  let arguments = (ins Ocl_Arena:$own, I64:$entry);
  let results = (outs I32:$chunk);
  let assemblyFormat = "$own `,` $entry attr-dict `:` type($chunk)";
}

def Ocl_FinishChildOp : Ocl_EnqueueOp<"finish_child"> {
  let summary = "records that the group has run `ran` of the child's chunks";
  let description = [{ Example: `ocl.finish_child %own, %entry ran %n of %chunks` }];
  let arguments = (ins Ocl_Arena:$own, I64:$entry, I32:$ran, I32:$chunks);
  let assemblyFormat = "$own `,` $entry `ran` $ran `of` $chunks attr-dict";
}

def Ocl_LeaveChildOp : Ocl_EnqueueOp<"leave_child"> {
  let summary = "leaves the child to the host";
  let description = [{ `reason` is an `abi::LeftReason`. Example: `ocl.leave_child %own, %entry for %reason` }];
  let arguments = (ins Ocl_Arena:$own, I64:$entry, I32:$reason);
  let assemblyFormat = "$own `,` $entry `for` $reason attr-dict";
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
