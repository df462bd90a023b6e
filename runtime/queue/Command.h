// What can be enqueued. A command holds Refs, so a queued command keeps its objects alive; they are dropped when it has
// ended. Everything in it has been checked.
#pragma once
#include "runtime/memory/Buffer.h"
#include "runtime/program/Kernel.h"
#include "runtime/queue/FreeCall.h"
#include <span>
#include <variant>

namespace kiln {

/// Where a box of bytes lies in a buffer or in the host's memory; a pitch of 0 means tight.
struct Layout {
  size_t offset = 0, rowPitch = 0, slicePitch = 0;
};
using Extent = std::array<size_t, 3>; // bytes, rows, slices

/// Whether the box is one range without gaps.
inline bool isFlat(const Layout &layout, const Extent &extent) {
  size_t row = layout.rowPitch ? layout.rowPitch : extent[0];
  size_t slice = layout.slicePitch ? layout.slicePitch : row * extent[1];
  return (extent[1] == 1 || row == extent[0]) && (extent[2] == 1 || slice == extent[0] * extent[1]);
}

/// Bytes of a buffer, counted in its root, that a command finds in one place.
struct Piece {
  Place place;
  size_t begin, end;
};

struct ReadBuffer {
  Ref<Buffer> buffer;
  Layout from;
  void *host;
  Layout to;
  Extent extent;
  bool rect = false; // came from clEnqueueReadBufferRect
  /// Where to read from, as Placement says: any number where the box is flat, else one. None: the queue's device.
  std::vector<Piece> pieces{};
};

struct WriteBuffer {
  Ref<Buffer> buffer;
  Layout to;
  const void *host;
  Layout from;
  Extent extent;
  bool rect = false;
};

struct CopyBuffer {
  Ref<Buffer> source, destination;
  Layout from, to;
  Extent extent;
  bool rect = false;
};

/// What a fill repeats, copied: 1 to 128 bytes, a power of two.
class Pattern {
public:
  Pattern(const void *bytes, size_t size);
  std::span<const std::byte> bytes() const { return std::span(bytes_).first(size_); }

private:
  alignas(16) std::array<std::byte, 128> bytes_;
  size_t size_;
};

struct FillBuffer {
  FillBuffer(Ref<Buffer> buffer, const void *bytes, size_t patternSize, size_t offset, size_t size)
      : buffer(std::move(buffer)), pattern(bytes, patternSize), offset(offset), size(size) {}
  Ref<Buffer> buffer;
  Pattern pattern;
  size_t offset, size;
};

/// The map itself was made by Buffer::beginMap; a command that fails takes it back.
struct MapBuffer {
  Ref<Buffer> buffer;
  cl_map_flags flags;
  size_t offset, size;
  void *pointer;
};

/// The map was ended by Buffer::endMap when the command was enqueued.
struct UnmapMem {
  Ref<Buffer> buffer;
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
struct Pointed {
  std::byte *at;
  Ref<Allocation> in;
};
struct PointedRange {
  Pointed pointed;
  size_t size;
};

/// The commands on such memory. `type`: SVM and USM have one each.
struct CopyMemory {
  Pointed to, from;
  size_t size;
  cl_command_type type;
};
struct FillMemory {
  Pointed to;
  Pattern pattern;
  size_t size;
  cl_command_type type;
};
/// The memory is where it is used, so this may only bring it there ahead of time.
struct MigrateMemory {
  std::vector<PointedRange> ranges;
  cl_mem_migration_flags flags;
  cl_command_type type;
};
/// Map, unmap and advice: there is nothing to do for them but to come in order and to keep the memory.
struct NoteMemory {
  Pointed pointed;
  cl_command_type type;
};
/// Frees allocations, or has the application do it.
struct FreeMemory {
  std::vector<Ref<Allocation>> allocations;
  std::unique_ptr<FreeCall> call; // in place of freeing
};

/// Up to eleven kinds, the library's visit is a switch: those that come seldom share one.
struct Seldom {
  std::variant<NativeKernel, CopyMemory, FillMemory, MigrateMemory, NoteMemory, FreeMemory> command;
};

/// Ours, not the application's: makes bytes current in a place. See Placement.
struct Transfer {
  Ref<Buffer> root;
  Place from, to;
  std::vector<Piece> pieces; // of `from`
};

using Command = std::variant<Marker, ReadBuffer, WriteBuffer, CopyBuffer, FillBuffer, MapBuffer, UnmapMem, NDRange,
                             Migrate, Seldom, Transfer>;

/// The command, if it is a FreeMemory.
inline FreeMemory *freeing(Command &command) {
  auto *seldom = std::get_if<Seldom>(&command);
  return seldom ? std::get_if<FreeMemory>(&seldom->command) : nullptr;
}

cl_command_type commandType(const Command &command);
/// For the log and the trace.
const char *commandName(cl_command_type type);

} // namespace kiln
