// What can be enqueued. A command holds Refs, so a queued command keeps its objects alive; they are dropped when it has
// ended. Everything in it has been checked.
#pragma once
#include "runtime/memory/Buffer.h"
#include "runtime/program/Kernel.h"
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

/// The pattern is copied: 1 to 128 bytes, a power of two.
struct FillBuffer {
  FillBuffer(Ref<Buffer> buffer, const void *bytes, size_t patternSize, size_t offset, size_t size);
  Ref<Buffer> buffer;
  alignas(16) std::array<std::byte, 128> pattern;
  size_t patternSize, offset, size;
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

/// Ours, not the application's: makes bytes current in a place. See Placement.
struct Transfer {
  Ref<Buffer> root;
  Place from, to;
  std::vector<Piece> pieces; // of `from`
};

/// Up to eleven kinds, the library's visit is a switch.
using Command = std::variant<Marker, ReadBuffer, WriteBuffer, CopyBuffer, FillBuffer, MapBuffer, UnmapMem, NDRange,
                             Migrate, NativeKernel, Transfer>;

cl_command_type commandType(const Command &command);
/// For the log and the trace.
const char *commandName(cl_command_type type);

} // namespace kiln
