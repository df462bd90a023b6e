// What can be enqueued. A command holds Refs, so a queued command keeps its objects alive; they are dropped when it has
// ended. Everything in it has been checked.
#pragma once
#include "runtime/memory/Buffer.h"
#include "runtime/program/Kernel.h"
#include "runtime/queue/SvmFreeCallback.h"
#include <span>
#include <variant>

namespace kiln {

/// Bytes of a buffer, counted in its root, that a command finds in one place.
struct NodeRange {
  Place node;
  size_t begin, end;
};

// The commands on buffers and images: boxes of bytes. `type` says what the application enqueued.

struct ReadBuffer {
  StorageRef buffer;
  BoxLayout from;
  void *host;
  BoxLayout to;
  Extent extent;
  cl_command_type type = CL_COMMAND_READ_BUFFER;
  /// Where to read from, as Placement says: any number where the box is flat, else one. None: the queue's device.
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

/// What a fill repeats, copied: 1 to 128 bytes, a power of two or a pixel.
class Pattern {
public:
  Pattern(const void *bytes, size_t size);
  std::span<const std::byte> bytes() const { return std::span(bytes_).first(size_); }

private:
  alignas(16) std::array<std::byte, 128> bytes_;
  size_t size_;
};

/// Every row is a multiple of the pattern.
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

/// The map itself was made by Buffer::beginMap; a command that fails takes it back.
struct MapBuffer {
  StorageRef buffer;
  cl_map_flags flags;
  BoxLayout at;
  Extent extent;
  cl_command_type type = CL_COMMAND_MAP_BUFFER;
  void *pointer = nullptr;
};

/// The map was ended by Buffer::endMap when the command was enqueued.
struct UnmapMem {
  StorageRef buffer;
  Buffer::Map map;
};

/// A kernel with its arguments as they were at the enqueue.
struct NDRange {
  KernelLaunch launch;
  bool task = false; // came from clEnqueueTask
};

/// With `all`, waits for everything enqueued before; else only for its wait list.
struct Marker {
  bool all;
  bool barrier = false; // what comes later waits for it
};

struct Migrate {
  std::vector<Ref<MemObject>> objects;
  cl_mem_migration_flags flags;
};

/// clEnqueueNativeKernel: `arguments` is the copied block; memory objects stand in it as host pointers.
struct NativeKernel {
  void(CL_CALLBACK *function)(void *);
  std::vector<std::byte> arguments;
  std::vector<Ref<MemObject>> objects;
  bool hasArguments;
};

/// Memory that the application named by a pointer, and the allocation that it leads to, held; null for other memory of
/// the host's.
struct PointerOperand {
  std::byte *at;
  Ref<Allocation> in;
};
struct PointerRange {
  PointerOperand pointed;
  size_t size;
};

/// The commands on such memory. `type`: SVM and USM have one each.
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
/// The memory is where it is used, so this may only bring it there ahead of time.
struct MigrateMemory {
  std::vector<PointerRange> ranges;
  cl_mem_migration_flags flags;
  cl_command_type type;
};
/// Map, unmap and advice: there is nothing to do for them but to come in order and to keep the memory.
struct NoOpCommand {
  PointerOperand pointed;
  cl_command_type type;
};
/// Frees allocations, or has the application do it.
struct FreeMemory {
  std::vector<Ref<Allocation>> allocations;
  std::unique_ptr<SvmFreeCallback> call; // in place of freeing
};

/// Up to eleven kinds, the library's visit is a switch: those that come seldom share one.
struct RareCommand {
  std::variant<NativeKernel, CopyMemory, FillMemory, MigrateMemory, NoOpCommand, FreeMemory> command;
};

/// Ours, not the application's: makes bytes current in a place. See Placement.
struct Transfer {
  Ref<Buffer> root;
  Place from, to;
  std::vector<NodeRange> ranges; // of `from`
};

using Command = std::variant<Marker, ReadBuffer, WriteBuffer, CopyBuffer, FillBuffer, MapBuffer, UnmapMem, NDRange,
                             Migrate, RareCommand, Transfer>;

/// The command, if it is a FreeMemory.
inline FreeMemory *asFreeMemory(Command &command) {
  auto *rare = std::get_if<RareCommand>(&command);
  return rare ? std::get_if<FreeMemory>(&rare->command) : nullptr;
}

cl_command_type commandType(const Command &command);
/// For the log and the trace.
const char *commandName(cl_command_type type);

} // namespace kiln
