// The kinds of commands. A command holds Refs, so that its objects live until it is complete. Its contents are already
// checked.
//
// Each kind has, besides its data:
//
//   commandType           the entry that the application called
//   expectedNanoseconds   a rough estimate of its duration
//   issue                 carries it out; the definitions are in Command.cpp
//   forEachUse            names to NodeUses what it uses of buffers
//
// A new kind is a struct here and a name in the list of `Command`. What CommandPath.cpp does at the end of a kind, such
// as to free memory, is there.
#pragma once
#include "runtime/program/Kernel.h"
#include "runtime/queue/NodeUse.h"
#include "runtime/queue/SvmFreeCallback.h"
#include <span>
#include <variant>

namespace kiln {

struct DeviceIssuer;

/// The duration of commands without work for the device.
inline constexpr uint64_t ShortestNanoseconds = 50;
/// Short commands wait for a flush. So a batch costs at most one wake-up, and a blocking call runs them on its own
/// thread. A thread is woken once the unflushed work takes longer than the wake-up. A command of unknown duration
/// counts as that long.
inline constexpr uint64_t FlushAtNanoseconds = 30'000;

inline uint64_t nanosecondsOfBytes(const Extent &extent) {
  return ShortestNanoseconds + extent[0] * extent[1] * extent[2] / 16;
}

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

  cl_command_type commandType() const { return type; }
  uint64_t expectedNanoseconds() const { return nanosecondsOfBytes(extent); }
  Status issue(const DeviceIssuer &on);
  void forEachUse(auto &uses) { uses.box(*buffer, uses.own, from, extent, AccessMode::Read, this); }
};

struct WriteBuffer {
  StorageRef buffer;
  BoxLayout to;
  const void *host;
  BoxLayout from;
  Extent extent;
  cl_command_type type = CL_COMMAND_WRITE_BUFFER;

  cl_command_type commandType() const { return type; }
  uint64_t expectedNanoseconds() const { return nanosecondsOfBytes(extent); }
  Status issue(const DeviceIssuer &on);
  void forEachUse(auto &uses) { uses.box(*buffer, uses.own, to, extent, AccessMode::Overwrite); }
};

struct CopyBuffer {
  StorageRef source, destination;
  BoxLayout from, to;
  Extent extent;
  cl_command_type type = CL_COMMAND_COPY_BUFFER;

  cl_command_type commandType() const { return type; }
  uint64_t expectedNanoseconds() const { return nanosecondsOfBytes(extent); }
  Status issue(const DeviceIssuer &on);
  void forEachUse(auto &uses) {
    uses.box(*source, uses.own, from, extent, AccessMode::Read);
    uses.box(*destination, uses.own, to, extent, AccessMode::Overwrite);
  }
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

  cl_command_type commandType() const { return type; }
  uint64_t expectedNanoseconds() const { return nanosecondsOfBytes(extent); }
  Status issue(const DeviceIssuer &on);
  void forEachUse(auto &uses) { uses.box(*buffer, uses.own, to, extent, AccessMode::Overwrite); }
};

/// Buffer::beginMap made the map. A command that fails ends it.
struct MapBuffer {
  StorageRef buffer;
  cl_map_flags flags;
  BoxLayout at;
  Extent extent;
  cl_command_type type = CL_COMMAND_MAP_BUFFER;
  void *pointer = nullptr;
  const void *mappedAt = nullptr; // return address of the application's call

  cl_command_type commandType() const { return type; }
  uint64_t expectedNanoseconds() const { return ShortestNanoseconds; }
  Status issue(const DeviceIssuer &); // a transfer has made the bytes current
  void forEachUse(auto &uses) {
    // The host writes later, but its node is the only current one from here on: no other command may use the bytes
    // before the unmap.
    AccessMode access = flags & CL_MAP_WRITE_INVALIDATE_REGION ? AccessMode::Overwrite
                        : flags & CL_MAP_WRITE                 ? AccessMode::ReadWrite
                                                               : AccessMode::Read;
    uses.box(*buffer, HostNode, at, extent, access);
  }
};

/// Buffer::endMap ended the map at the enqueue.
struct UnmapMem {
  StorageRef buffer;
  Buffer::Map map;

  cl_command_type commandType() const { return CL_COMMAND_UNMAP_MEM_OBJECT; }
  uint64_t expectedNanoseconds() const { return ShortestNanoseconds; }
  Status issue(const DeviceIssuer &);
  void forEachUse(auto &uses) {
    if (!map.writes)
      return;
    const BoxRows rows(map.at, map.extent);
    uses.add(NodeUse{*buffer, rows.begin, rows.end(), HostNode, AccessMode::HostWrote, nullptr,
                     rows.isContiguous() ? nullptr : &map});
  }
};

/// A kernel with its arguments at the time of the enqueue.
struct NDRange {
  HostLaunch launch;
  bool task = false; // enqueued by clEnqueueTask

  cl_command_type commandType() const { return task ? CL_COMMAND_TASK : CL_COMMAND_NDRANGE_KERNEL; }
  uint64_t expectedNanoseconds() const {
    const auto &size = launch.grid.globalSize;
    if (launch.isEmpty())
      return ShortestNanoseconds;
    const Function *function = launch.grid.function;
    return function ? function->expectedNanoseconds(size[0] * size[1] * size[2]).value_or(FlushAtNanoseconds)
                    : FlushAtNanoseconds;
  }
  Status issue(const DeviceIssuer &on);
  void forEachUse(auto &uses) {
    if (launch.isEmpty())
      return;
    for (const MemoryUse &use : launch.uses)
      if (use.reads || use.writes)
        uses.whole(*use.object, uses.own, use.writes ? AccessMode::ReadWrite : AccessMode::Read);
  }
};

/// With `all`, waits for everything enqueued before; without, only for its wait list.
struct Marker {
  bool all;
  bool barrier = false; // later commands wait for it

  cl_command_type commandType() const { return barrier ? CL_COMMAND_BARRIER : CL_COMMAND_MARKER; }
  uint64_t expectedNanoseconds() const { return ShortestNanoseconds; }
  Status issue(const DeviceIssuer &) { return {}; }
  void forEachUse(auto &) {}
};

struct Migrate {
  std::vector<Ref<MemObject>> objects;
  cl_mem_migration_flags flags;

  cl_command_type commandType() const { return CL_COMMAND_MIGRATE_MEM_OBJECTS; }
  uint64_t expectedNanoseconds() const { return ShortestNanoseconds; }
  Status issue(const DeviceIssuer &) { return {}; } // transfers have made the bytes current
  void forEachUse(auto &uses) {
    const MemoryNode node = flags & CL_MIGRATE_MEM_OBJECT_HOST ? HostNode : uses.own;
    const AccessMode access =
        flags & CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED ? AccessMode::Overwrite : AccessMode::Read;
    for (const Ref<MemObject> &object : objects)
      uses.whole(*object, node, access);
  }
};

/// clEnqueueNativeKernel. `arguments` is the copied block, with host pointers in the place of memory objects.
struct NativeKernel {
  void(CL_CALLBACK *function)(void *);
  std::vector<std::byte> arguments;
  std::vector<Ref<MemObject>> objects;
  bool hasArguments;

  cl_command_type commandType() const { return CL_COMMAND_NATIVE_KERNEL; }
  uint64_t expectedNanoseconds() const { return FlushAtNanoseconds; }
  Status issue(const DeviceIssuer &on);
  void forEachUse(auto &uses) {
    for (const Ref<MemObject> &object : objects)
      uses.whole(*object, HostNode, AccessMode::ReadWrite);
  }
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

// Commands on memory that is named by pointers. It has one address everywhere, so they use no buffer. `type`: an entry
// of SVM or the one of USM.

struct CopyMemory {
  PointerOperand to, from;
  size_t size;
  cl_command_type type;

  cl_command_type commandType() const { return type; }
  uint64_t expectedNanoseconds() const { return nanosecondsOfBytes({size, 1, 1}); }
  Status issue(const DeviceIssuer &on);
  void forEachUse(auto &) {}
};
struct FillMemory {
  PointerOperand to;
  Pattern pattern;
  size_t size;
  cl_command_type type;

  cl_command_type commandType() const { return type; }
  uint64_t expectedNanoseconds() const { return nanosecondsOfBytes({size, 1, 1}); }
  Status issue(const DeviceIssuer &on);
  void forEachUse(auto &) {}
};
/// Only a hint: the memory has one address everywhere, and the driver may move it ahead of its use.
struct MigrateMemory {
  std::vector<PointerRange> ranges;
  cl_mem_migration_flags flags;
  cl_command_type type;

  cl_command_type commandType() const { return type; }
  uint64_t expectedNanoseconds() const { return ShortestNanoseconds; }
  Status issue(const DeviceIssuer &on);
  void forEachUse(auto &) {}
};
/// Map or unmap. It keeps its place in the order and keeps the memory alive.
struct MapMemory {
  PointerOperand pointed;
  cl_command_type type;
  size_t size = 0; // of a map
  cl_map_flags flags = 0;
  const void *mappedAt = nullptr; // return address of the application's call

  cl_command_type commandType() const { return type; }
  uint64_t expectedNanoseconds() const { return ShortestNanoseconds; }
  Status issue(const DeviceIssuer &);
  void forEachUse(auto &) {}
};
/// An advice. It keeps its place in the order and keeps the memory alive.
struct NoOpCommand {
  PointerOperand pointed;
  cl_command_type type;

  cl_command_type commandType() const { return type; }
  uint64_t expectedNanoseconds() const { return ShortestNanoseconds; }
  Status issue(const DeviceIssuer &) { return {}; }
  void forEachUse(auto &) {}
};
/// Frees allocations, or calls the application's function for that.
struct FreeMemory {
  std::vector<Ref<Allocation>> allocations;
  std::unique_ptr<SvmFreeCallback> call; // instead of freeing

  cl_command_type commandType() const { return CL_COMMAND_SVM_FREE; }
  uint64_t expectedNanoseconds() const { return ShortestNanoseconds; }
  Status issue(const DeviceIssuer &) { return {}; } // at its end, because earlier commands may use the memory
  void forEachUse(auto &) {}
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

  cl_command_type commandType() const { return CL_COMMAND_COMMAND_BUFFER_KHR; }
  uint64_t expectedNanoseconds() const;
  Status issue(const DeviceIssuer &on);
  void forEachUse(auto &uses) {
    for (RecordedCommand &command : commands)
      std::visit([&](auto &kind) { kind.forEachUse(uses); }, command);
  }
};

/// Internal: makes bytes current on a memory node. See ResidencyManager.
struct Transfer {
  Ref<Buffer> root;
  MemoryNode from, to;
  std::vector<NodeRange> ranges; // of `from`

  cl_command_type commandType() const { return CL_COMMAND_MIGRATE_MEM_OBJECTS; }
  uint64_t expectedNanoseconds() const { return ShortestNanoseconds; }
  Status issue(const DeviceIssuer &on);
  void forEachUse(auto &uses) {
    for (const NodeRange &range : ranges)
      uses.add(NodeUse{*root, range.begin, range.end, to, AccessMode::Overwrite});
  }
};

} // namespace kiln
