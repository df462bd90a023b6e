// Pipes: rings of packets in global memory, the same for all devices. Kernels' side is dialects/library/Pipe.clcpp, the
// host makes them (runtime/memory/Pipe, and the importer for storage at program scope). There is no address in it, so
// that a pipe moves between devices as the bytes that it is.
//
// A packet has a position, which only goes up, and lies in the ring where the position's lower bits say. Each side,
// those who write and those who read, has two positions: packets before `reserved` are somebody's of that side, packets
// before `done` are finished with. Writers reserve up to `capacity` packets beyond what readers are done with, readers
// up to what writers are done with. What is reserved together is a block. The ring's word where a block begins says
// where it ends; so a block that was committed while an older one is open has its place in the order, and waits there.
#pragma once
#include "backends/AbiTypes.h"

namespace kiln::abi {

enum PipeSide : uint32_t { PipeWriters, PipeReaders };

/// Each on a line of the cache of its own, for those who write and those who read are different threads.
struct alignas(64) PipePosition {
  uint64_t value;
};

struct PipeHead {
  uint32_t packetSize;               // bytes; a kernel's packets are of the same size, or it gets none
  uint32_t capacity;                 // packets that it holds at most
  uint64_t mask;                     // places in the ring, a power of two, less one
  uint64_t key;                      // reservations are the positions of their first packets, in disguise: xor this
  PipePosition reserved[2], done[2]; // by side
};
// Behind it: a word for each place, which is 0 at first, and then the packets, aligned as any type is.
inline constexpr uint64_t PipeAlignment = 128;

/// What the words say: PipeBlockEnd(end, side) of a block that is committed or, with PipeOpen, of one that is not.
inline constexpr uint64_t PipeOpen = 1;
inline constexpr uint64_t pipeBlock(uint64_t end, uint32_t side) { return end << 2 | side << 1; }

/// Marks a reservation: no position has such bits, nor has CLK_NULL_RESERVE_ID, which is 0.
inline constexpr uint64_t PipeKeyBits = 2ull << 62, PipeKeyMask = 3ull << 62;

inline constexpr uint64_t pipePlaces(uint32_t capacity) {
  uint64_t places = 1;
  while (places < capacity)
    places *= 2;
  return places;
}
/// From the head's start to the packets.
inline constexpr uint64_t pipePacketsAt(uint64_t places) {
  return (sizeof(PipeHead) + places * 8 + PipeAlignment - 1) / PipeAlignment * PipeAlignment;
}
inline constexpr uint64_t pipeBytes(uint32_t packetSize, uint32_t capacity) {
  return pipePacketsAt(pipePlaces(capacity)) + pipePlaces(capacity) * packetSize;
}

/// How an empty pipe begins. `number` tells it from others, so that reservations of theirs are none of its own.
inline PipeHead emptyPipe(uint32_t packetSize, uint32_t capacity, uint64_t number) {
  PipeHead head = {};
  head.packetSize = packetSize;
  head.capacity = capacity;
  head.mask = pipePlaces(capacity) - 1;
  // Numbers that follow one another are far apart as keys: an odd factor, and its upper half on top of the lower.
  uint64_t mixed = (number + 1) * 0x9e3779b97f4a7c15ull;
  mixed = (mixed ^ mixed >> 32) * 0xd6e8feb86659fd93ull;
  head.key = (mixed & ~PipeKeyMask) | PipeKeyBits;
  return head;
}

} // namespace kiln::abi
