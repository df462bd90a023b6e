// What a command uses of buffers, and on which memory node: the input of ResidencyManager.
#pragma once
#include "runtime/memory/Buffer.h"

namespace kiln {

struct ReadBuffer;

enum class AccessMode : uint8_t {
  Read,
  ReadWrite,
  Overwrite, // every byte
  HostWrote, // the host has written through a map: its node is current already
};

/// One range of a root buffer that a command uses on one memory node.
struct NodeUse {
  Buffer &buffer;
  size_t begin, end; // in the root buffer
  MemoryNode node;
  AccessMode access;
  ReadBuffer *read = nullptr;       // a read, which may take the bytes from any node
  const Buffer::Map *map = nullptr; // HostWrote for the rows alone, not the gaps between them
};

/// Calls `visit` with each NodeUse that a command names by the functions below. Leaves out memory that has one address
/// everywhere. `own` is the node of the command's device.
template <typename Visit> struct NodeUses {
  const MemoryNode own;
  Visit visit;

  void box(Buffer &buffer, MemoryNode node, const BoxLayout &layout, const Extent &extent, AccessMode access,
           ReadBuffer *read = nullptr) {
    if (!extent[0] || !extent[1] || !extent[2])
      return;
    const BoxRows rows(layout, extent);
    if (access == AccessMode::Overwrite && !rows.isContiguous())
      access = AccessMode::ReadWrite; // the gaps keep their values
    add(NodeUse{buffer, buffer.offset() + rows.begin, buffer.offset() + rows.end(), node, access, read});
  }
  void whole(MemObject &object, MemoryNode node, AccessMode access) {
    Buffer &buffer = object.storage();
    add(NodeUse{buffer, buffer.offset(), buffer.offset() + buffer.size(), node, access});
  }
  void add(const NodeUse &use) {
    if (!use.buffer.residency().allocation())
      visit(use);
  }
};

} // namespace kiln
