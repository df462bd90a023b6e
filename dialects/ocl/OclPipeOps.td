#ifndef KILN_OCL_PIPE_OPS_TD
#define KILN_OCL_PIPE_OPS_TD

include "dialects/ocl/OclBase.td"

// A pipe is the address of an abi::PipeHead (base/abi/PipeAbi.h). A reservation is a 64-bit id; 0 is invalid. `side` is
// abi::PipeSide.

def Ocl_Pipe : LLVM_PointerInAddressSpace<1>;

class Ocl_PipeOp<string mnemonic, string what, list<Trait> traits = []>
    : Ocl_Op<mnemonic, [Ocl_LibraryOp, MemoryEffects<[MemRead, MemWrite]>] # traits> {
  let summary = what;
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

// Copies one packet of `bytes` bytes. The result is 0, or negative if the pipe is full or empty.
class Ocl_PipeCopyOp<string mnemonic, string what> : Ocl_PipeOp<mnemonic, what> {
  let arguments = (ins Ocl_Pipe:$pipe, LLVM_AnyPointer:$packet, I32:$bytes);
  let results = (outs I32:$result);
}
def Ocl_WritePipeOp : Ocl_PipeCopyOp<"write_pipe", "writes a packet to a pipe">;
def Ocl_ReadPipeOp : Ocl_PipeCopyOp<"read_pipe", "reads a packet from a pipe">;

// The same for a packet of an open reservation. The result is negative if the id or the index is invalid.
class Ocl_ReservedCopyOp<string mnemonic, string what> : Ocl_PipeOp<mnemonic, what> {
  let arguments = (ins Ocl_Pipe:$pipe, I64:$id, I32:$index, LLVM_AnyPointer:$packet, I32:$bytes);
  let results = (outs I32:$result);
}
def Ocl_WriteReservedOp : Ocl_ReservedCopyOp<"write_reserved", "writes a reserved packet">;
def Ocl_ReadReservedOp : Ocl_ReservedCopyOp<"read_reserved", "reads a reserved packet">;

// Reserves `count` consecutive packets; the id is 0 if there are fewer. For a group, all its work-items must execute the
// operation, and all get the same id.
class Ocl_ReservePacketsOp<string mnemonic, string what, list<Trait> traits = []> : Ocl_PipeOp<mnemonic, what, traits> {
  let arguments = (ins Ocl_Pipe:$pipe, I32:$side, I32:$count);
  let results = (outs I64:$id);
}
def Ocl_ReservePacketsOp : Ocl_ReservePacketsOp<"reserve_packets", "reserves packets for a work-item">;
def Ocl_WorkGroupReservePacketsOp
    : Ocl_ReservePacketsOp<"work_group_reserve_packets", "reserves packets for a work-group", [Ocl_Convergent]>;
def Ocl_SubGroupReservePacketsOp
    : Ocl_ReservePacketsOp<"sub_group_reserve_packets", "reserves packets for a sub-group", [Ocl_Convergent]>;

// Makes the packets visible to the other side at once, after the packets of earlier reservations. Has no effect if the
// id is not an open reservation.
class Ocl_CommitPacketsOp<string mnemonic, string what, list<Trait> traits = []> : Ocl_PipeOp<mnemonic, what, traits> {
  let arguments = (ins Ocl_Pipe:$pipe, I32:$side, I64:$id);
}
def Ocl_CommitPacketsOp : Ocl_CommitPacketsOp<"commit_packets", "ends a reservation">;
def Ocl_WorkGroupCommitPacketsOp
    : Ocl_CommitPacketsOp<"work_group_commit_packets", "ends a work-group's reservation", [Ocl_Convergent]>;
def Ocl_SubGroupCommitPacketsOp
    : Ocl_CommitPacketsOp<"sub_group_commit_packets", "ends a sub-group's reservation", [Ocl_Convergent]>;

def Ocl_IsValidReserveIdOp : Ocl_Op<"is_valid_reserve_id", [Ocl_LibraryOp, Pure]> {
  let summary = "returns 1 for the id of a successful reservation, 0 for a failed one";
  let arguments = (ins I64:$id);
  let results = (outs I32:$valid);
  let assemblyFormat = "$id attr-dict `:` type($valid)";
}
def Ocl_PipeNumPacketsOp : Ocl_PipeOp<"pipe_num_packets", "returns the number of packets that can be read now"> {
  let arguments = (ins Ocl_Pipe:$pipe);
  let results = (outs I32:$count);
}
def Ocl_PipeMaxPacketsOp : Ocl_PipeOp<"pipe_max_packets", "returns the capacity of a pipe in packets"> {
  let arguments = (ins Ocl_Pipe:$pipe);
  let results = (outs I32:$count);
}

#endif
