// What can be enqueued. A command holds Refs, so that its objects live until it is complete. Its contents are already
// checked.
#pragma once
#include "runtime/memory/Buffer.h"
#include "runtime/program/Kernel.h"
#include "runtime/queue/SvmFreeCallback.h"
#include <span>
#include <variant>

namespace kiln {

/// Bytes of a buffer on one memory node. Offsets count from the root buffer.
struct NodeRange {
  MemoryNode node;
  size_t begin, end;
};

// Commands on buffers and images. Each operates on boxes of bytes; `type` is the entry that the application called.

struct ReadBuffer {
  StorageRef buffer;
  BoxLayout from;
  void *host;
  BoxLayout to;
  Extent extent;
  cl_command_type type = CL_COMMAND_READ_BUFFER;
  /// The nodes to read from, set by ResidencyManager: any number if the box is contiguous, else one. Empty: the queue's
  /// device.
  std::vector<NodeRange> ranges{};
};

struct WriteBuffer {
  StorageRef buffer;
  BoxLayout to;
  const void *host;
  BoxLayout from;
  Extent extent;
  cl_command_type type = CL_COMMAND_WRITE_BUFFER;
};

struct CopyBuffer {
  StorageRef source, destination;
  BoxLayout from, to;
  Extent extent;
  cl_command_type type = CL_COMMAND_COPY_BUFFER;
};

/// A copy of the pattern of a fill: 1 to 128 bytes, a power of two or the size of a pixel.
class Pattern {
public:
  Pattern(const void *bytes, size_t size);
  std::span<const std::byte> bytes() const { return std::span(bytes_).first(size_); }

private:
  alignas(16) std::array<std::byte, 128> bytes_;
  size_t size_;
};

/// The size of every row is a multiple of the pattern's size.
struct FillBuffer {
  FillBuffer(StorageRef buffer, const Pattern &pattern, const BoxLayout &to, const Extent &extent, cl_command_type type)
      : buffer(std::move(buffer)), pattern(pattern), to(to), extent(extent), type(type) {}
  FillBuffer(StorageRef buffer, const void *bytes, size_t patternSize, size_t offset, size_t size)
      : FillBuffer(std::move(buffer), Pattern(bytes, patternSize), {offset}, {size, 1, 1}, CL_COMMAND_FILL_BUFFER) {}
  StorageRef buffer;
  Pattern pattern;
  BoxLayout to;
  Extent extent;
  cl_command_type type;
};

/// Buffer::beginMap made the map. A command that fails ends it.
struct MapBuffer {
  StorageRef buffer;
  cl_map_flags flags;
  BoxLayout at;
  Extent extent;
  cl_command_type type = CL_COMMAND_MAP_BUFFER;
  void *pointer = nullptr;
};

/// Buffer::endMap ended the map at the enqueue.
struct UnmapMem {
  StorageRef buffer;
  Buffer::Map map;
};

/// A kernel with its arguments at the time of the enqueue.
struct NDRange {
  KernelLaunch launch;
  bool task = false; // enqueued by clEnqueueTask
};

/// With `all`, waits for everything enqueued before; without, only for its wait list.
struct Marker {
  bool all;
  bool barrier = false; // later commands wait for it
};

struct Migrate {
  std::vector<Ref<MemObject>> objects;
  cl_mem_migration_flags flags;
};

/// clEnqueueNativeKernel. `arguments` is the copied block, with host pointers in the place of memory objects.
struct NativeKernel {
  void(CL_CALLBACK *function)(void *);
  std::vector<std::byte> arguments;
  std::vector<Ref<MemObject>> objects;
  bool hasArguments;
};

/// A pointer of the application, and the allocation that contains it; null for other host memory.
struct PointerOperand {
  std::byte *at;
  Ref<Allocation> in;
};
struct PointerRange {
  PointerOperand pointed;
  size_t size;
};

/// Commands on memory that is named by pointers. `type`: SVM and USM have one each.
struct CopyMemory {
  PointerOperand to, from;
  size_t size;
  cl_command_type type;
};
struct FillMemory {
  PointerOperand to;
  Pattern pattern;
  size_t size;
  cl_command_type type;
};
/// Only a hint: the memory has one address everywhere, and the driver may move it ahead of its use.
struct MigrateMemory {
  std::vector<PointerRange> ranges;
  cl_mem_migration_flags flags;
  cl_command_type type;
};
/// Map, unmap and advice. They keep their place in the order and keep the memory alive.
struct NoOpCommand {
  PointerOperand pointed;
  cl_command_type type;
};
/// Frees allocations, or calls the application's function for that.
struct FreeMemory {
  std::vector<Ref<Allocation>> allocations;
  std::unique_ptr<SvmFreeCallback> call; // instead of freeing
};

/// A command that a command buffer can contain.
using RecordedCommand = std::variant<CopyBuffer, FillBuffer, NDRange, CopyMemory, FillMemory>;
/// One execution of a command buffer. Its commands run in this order on one stream.
struct RecordedCommands {
  /// Of a launch that the trace or the explorer times.
  struct Times {
    std::unique_ptr<TimeMark> start, end;
  };
  std::vector<RecordedCommand> commands;
  std::vector<Times> times{}; // of each command that was issued; empty unless launches are timed
};

/// libstdc++'s std::visit is a switch for up to eleven alternatives and a function table beyond. `Command` has eleven,
/// so rare commands share one.
struct RareCommand {
  std::variant<NativeKernel, CopyMemory, FillMemory, MigrateMemory, NoOpCommand, FreeMemory, RecordedCommands> command;
};

/// Internal: makes bytes current on a memory node. See ResidencyManager.
struct Transfer {
  Ref<Buffer> root;
  MemoryNode from, to;
  std::vector<NodeRange> ranges; // of `from`
};

using Command = std::variant<Marker, ReadBuffer, WriteBuffer, CopyBuffer, FillBuffer, MapBuffer, UnmapMem, NDRange,
                             Migrate, RareCommand, Transfer>;

/// The command as a rare one of this type, or null.
template <typename Rare> Rare *asRare(Command &command) {
  auto *rare = std::get_if<RareCommand>(&command);
  return rare ? std::get_if<Rare>(&rare->command) : nullptr;
}

/// Calls `visit` with each kernel launch of the command.
template <typename Visit> void forEachLaunch(Command &command, Visit visit) {
  if (auto *range = std::get_if<NDRange>(&command))
    return visit(range->launch);
  if (auto *recorded = asRare<RecordedCommands>(command))
    for (RecordedCommand &one : recorded->commands)
      if (auto *range = std::get_if<NDRange>(&one))
        visit(range->launch);
}

cl_command_type commandType(const Command &command);
/// A name for the log and the trace.
const char *commandName(cl_command_type type);

} // namespace kiln
