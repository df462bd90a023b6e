#ifndef KILN_OCL_PIPE_OPS_TD
#define KILN_OCL_PIPE_OPS_TD

include "dialects/ocl/OclBase.td"

// A pipe is the address of an abi::PipeHead (backends/PipeAbi.h), a reservation a number of 64 bits: 0 is none. `side`
// is abi::PipeSide.

def Ocl_Pipe : LLVM_PointerInAddressSpace<1>;

class Ocl_PipeOp<string mnemonic, string what, list<Trait> traits = []>
    : Ocl_Op<mnemonic, [Ocl_LibraryOp, MemoryEffects<[MemRead, MemWrite]>] # traits> {
  let summary = what;
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

// The packet is copied, `bytes` of it; the result is 0, or negative where there was no room or no packet.
class Ocl_PipeCopyOp<string mnemonic, string what> : Ocl_PipeOp<mnemonic, what> {
  let arguments = (ins Ocl_Pipe:$pipe, LLVM_AnyPointer:$packet, I32:$bytes);
  let results = (outs I32:$result);
}
def Ocl_WritePipeOp : Ocl_PipeCopyOp<"write_pipe", "puts a packet into a pipe">;
def Ocl_ReadPipeOp : Ocl_PipeCopyOp<"read_pipe", "takes a packet out of a pipe">;

// The same for a packet of an open reservation; anything else as an id or an index is a negative result.
class Ocl_ReservedCopyOp<string mnemonic, string what> : Ocl_PipeOp<mnemonic, what> {
  let arguments = (ins Ocl_Pipe:$pipe, I64:$id, I32:$index, LLVM_AnyPointer:$packet, I32:$bytes);
  let results = (outs I32:$result);
}
def Ocl_WriteReservedOp : Ocl_ReservedCopyOp<"write_reserved", "fills a packet that was reserved">;
def Ocl_ReadReservedOp : Ocl_ReservedCopyOp<"read_reserved", "reads a packet that was reserved">;

// All or nothing: `count` packets that follow one another, or 0. For a group, all its work-items come here and get the
// same.
class Ocl_ReservePacketsOp<string mnemonic, string what, list<Trait> traits = []> : Ocl_PipeOp<mnemonic, what, traits> {
  let arguments = (ins Ocl_Pipe:$pipe, I32:$side, I32:$count);
  let results = (outs I64:$id);
}
def Ocl_ReservePacketsOp : Ocl_ReservePacketsOp<"reserve_packets", "reserves packets for a work-item">;
def Ocl_WorkGroupReservePacketsOp
    : Ocl_ReservePacketsOp<"work_group_reserve_packets", "reserves packets for a work-group", [Ocl_Convergent]>;
def Ocl_SubGroupReservePacketsOp
    : Ocl_ReservePacketsOp<"sub_group_reserve_packets", "reserves packets for a sub-group", [Ocl_Convergent]>;

// The other side gets the packets, all at once, when it has got those that were reserved before. What is no open
// reservation changes nothing.
class Ocl_CommitPacketsOp<string mnemonic, string what, list<Trait> traits = []> : Ocl_PipeOp<mnemonic, what, traits> {
  let arguments = (ins Ocl_Pipe:$pipe, I32:$side, I64:$id);
}
def Ocl_CommitPacketsOp : Ocl_CommitPacketsOp<"commit_packets", "ends a reservation">;
def Ocl_WorkGroupCommitPacketsOp
    : Ocl_CommitPacketsOp<"work_group_commit_packets", "ends a work-group's reservation", [Ocl_Convergent]>;
def Ocl_SubGroupCommitPacketsOp
    : Ocl_CommitPacketsOp<"sub_group_commit_packets", "ends a sub-group's reservation", [Ocl_Convergent]>;

def Ocl_IsValidReserveIdOp : Ocl_Op<"is_valid_reserve_id", [Ocl_LibraryOp, Pure]> {
  let summary = "1 for what reserving packets gave, 0 for what it gives where it fails";
  let arguments = (ins I64:$id);
  let results = (outs I32:$valid);
  let assemblyFormat = "$id attr-dict `:` type($valid)";
}
def Ocl_PipeNumPacketsOp : Ocl_PipeOp<"pipe_num_packets", "packets that could be read now"> {
  let arguments = (ins Ocl_Pipe:$pipe);
  let results = (outs I32:$count);
}
def Ocl_PipeMaxPacketsOp : Ocl_PipeOp<"pipe_max_packets", "packets that a pipe can hold"> {
  let arguments = (ins Ocl_Pipe:$pipe);
  let results = (outs I32:$count);
}

#endif
