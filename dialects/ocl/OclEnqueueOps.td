#ifndef KILN_OCL_ENQUEUE_OPS_TD
#define KILN_OCL_ENQUEUE_OPS_TD

include "dialects/ocl/OclBase.td"
include "mlir/IR/SymbolInterfaces.td"

// Queues and events are numbers of 64 bits here. What they stand for is said in backends/EnqueueAbi.h.

def Ocl_Arena : LLVM_PointerInAddressSpace<1>;

class Ocl_EnqueueOp<string mnemonic, list<Trait> traits = []>
    : Ocl_Op<mnemonic, [Ocl_LibraryOp, MemoryEffects<[MemRead, MemWrite]>] # traits>;

def Ocl_EnqueueArenaOp : Ocl_Op<"enqueue_arena", [Pure]> {
  let summary = "where the launch puts what its kernel enqueues";
  let description = [{
    The address of the launch's `abi::EnqueueArena`. A launch has one if the kernel's plan says that it enqueues.
    Example: `%a = ocl.enqueue_arena : !llvm.ptr<1>`
  }];
  let results = (outs Ocl_Arena:$address);
  let assemblyFormat = "attr-dict `:` type($address)";
}

def Ocl_BlockNumberOp : Ocl_Op<"block_number", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "which of the program's blocks a kernel is";
  let description = [{
    Blocks are launched by their numbers, never by address. `ocl-number-blocks` hands the numbers out when all modules
    of the program are linked. Example: `%n = ocl.block_number @block : i32`
  }];
  let arguments = (ins FlatSymbolRefAttr:$block);
  let results = (outs I32:$number);
  let assemblyFormat = "$block attr-dict `:` type($number)";
}

def Ocl_DefaultQueueOp : Ocl_EnqueueOp<"default_queue"> {
  let summary = "the default device queue when the kernel was launched; 0 without one";
  let description = [{ Example: `%q = ocl.default_queue %a : i64` }];
  let arguments = (ins Ocl_Arena:$arena);
  let results = (outs I64:$queue);
  let assemblyFormat = "$arena attr-dict `:` type($queue)";
}

def Ocl_EnqueueKernelOp : Ocl_EnqueueOp<"enqueue_kernel"> {
  let summary = "launches a block when this launch has ended";
  let description = [{
    The ND-range is three numbers each of offset, size and local size, 0 where `work_dim` has fewer; a local size of 0
    is the runtime's to choose. `events` points to as many events as `waits` says, `event` to where the child's own
    event goes, or nowhere. The block gets a copy of the `bytes` at `captured`, and for each of the `locals` sizes at
    `local_sizes` (i32) that much local memory. The result is 0 or an error of OpenCL C's.
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
  let summary = "an event for when other events have come";
  let description = [{ Example: `%r = ocl.enqueue_marker %a, %queue waits %n at %e event %p : !llvm.ptr<4>, !llvm.ptr<4>` }];
  let arguments = (ins Ocl_Arena:$arena, I64:$queue, I32:$waits, LLVM_AnyPointer:$events, LLVM_AnyPointer:$event);
  let results = (outs I32:$result);
  let assemblyFormat = [{
    $arena `,` $queue `waits` $waits `at` $events `event` $event attr-dict `:` type($events) `,` type($event)
  }];
}

def Ocl_CreateUserEventOp : Ocl_EnqueueOp<"create_user_event"> {
  let summary = "an event that a kernel completes; 0 where there is none to be had";
  let description = [{ Example: `%e = ocl.create_user_event %a : i64` }];
  let arguments = (ins Ocl_Arena:$arena);
  let results = (outs I64:$event);
  let assemblyFormat = "$arena attr-dict `:` type($event)";
}

def Ocl_IsValidEventOp : Ocl_EnqueueOp<"is_valid_event"> {
  let summary = "1 for an event that exists, else 0";
  let description = [{ Example: `%v = ocl.is_valid_event %a, %e : i32` }];
  let arguments = (ins Ocl_Arena:$arena, I64:$event);
  let results = (outs I32:$valid);
  let assemblyFormat = "$arena `,` $event attr-dict `:` type($valid)";
}

def Ocl_RetainEventOp : Ocl_EnqueueOp<"retain_event"> {
  let summary = "one reference more";
  let description = [{ Example: `ocl.retain_event %a, %e` }];
  let arguments = (ins Ocl_Arena:$arena, I64:$event);
  let assemblyFormat = "$arena `,` $event attr-dict";
}

def Ocl_ReleaseEventOp : Ocl_EnqueueOp<"release_event"> {
  let summary = "one reference less";
  let description = [{ Example: `ocl.release_event %a, %e` }];
  let arguments = (ins Ocl_Arena:$arena, I64:$event);
  let assemblyFormat = "$arena `,` $event attr-dict";
}

def Ocl_SetUserEventStatusOp : Ocl_EnqueueOp<"set_user_event_status"> {
  let summary = "completes a user event with 0, or fails it with a negative number";
  let description = [{ Example: `ocl.set_user_event_status %a, %e, %status` }];
  let arguments = (ins Ocl_Arena:$arena, I64:$event, I32:$status);
  let assemblyFormat = "$arena `,` $event `,` $status attr-dict";
}

def Ocl_CaptureEventProfilingOp : Ocl_EnqueueOp<"capture_event_profiling"> {
  let summary = "has the times of a command stored once it is complete";
  let description = [{ Example: `ocl.capture_event_profiling %a, %e, %what, %p : !llvm.ptr<1>` }];
  let arguments = (ins Ocl_Arena:$arena, I64:$event, I32:$what, LLVM_AnyPointer:$value);
  let assemblyFormat = "$arena `,` $event `,` $what `,` $value attr-dict `:` type($value)";
}

// What a kernel may ask about a block: a number about one, by its own number.
class Ocl_BlockQueryOp<string mnemonic, string what, dag more = (ins)>
    : Ocl_Op<mnemonic, [Ocl_LibraryOp, MemoryEffects<[MemRead]>]> {
  let summary = what;
  let arguments = !con((ins Ocl_Arena:$arena, I32:$block), more);
  let results = (outs I32:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, $result)";
}
def Ocl_BlockWorkGroupSizeOp : Ocl_BlockQueryOp<"block_work_group_size", "the largest work-group of a block">;
def Ocl_BlockPreferredMultipleOp : Ocl_BlockQueryOp<"block_preferred_multiple", "what a block's local size had better be a multiple of">;
def Ocl_BlockSubGroupCountOp
    : Ocl_BlockQueryOp<"block_sub_group_count", "how many sub-groups a block has with a local size",
                       (ins I64:$local0, I64:$local1, I64:$local2)>;
def Ocl_BlockMaxSubGroupSizeOp
    : Ocl_BlockQueryOp<"block_max_sub_group_size", "the largest sub-group of a block with a local size",
                       (ins I64:$local0, I64:$local1, I64:$local2)>;
def Ocl_BlockLocalSizeForSubGroupsOp
    : Ocl_BlockQueryOp<"block_local_size_for_sub_groups", "a local size with so many sub-groups, or 0",
                       (ins I32:$count)>;
def Ocl_BlockMaxSubGroupsOp : Ocl_BlockQueryOp<"block_max_sub_groups", "how many sub-groups a work-group may have">;

#endif
