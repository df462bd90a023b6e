// Pipes: rings of packets in global memory, the same for all devices. The kernels' side is dialects/library/Pipe.clcpp;
// the host creates them (runtime/memory/Pipe, and the importer for program-scope storage). A pipe contains no address,
// so that copying its bytes moves it between devices.
//
// A packet has a position, which only increases; its low bits are the packet's index in the ring. Writers and readers
// each have two positions: packets before `reserved` are reserved by that side, and packets before `done` are finished.
// Writers reserve up to `capacity` packets beyond the readers' `done`, readers up to the writers' `done`. The packets
// of one reservation are a block. The ring's word at the first packet of a block has the block's end, so that a block
// that is committed before an older one keeps its place in the order and waits for that one.
#pragma once
#include "base/abi/AbiTypes.h"

namespace kiln::abi {

enum PipeSide : uint32_t { PipeWriters, PipeReaders };

/// Alone on a cache line, because different threads write and read.
struct alignas(64) PipePosition {
  uint64_t value;
};

struct PipeHead {
  uint32_t packetSize;               // bytes; a kernel's packets have the same size, or its calls fail
  uint32_t capacity;                 // the maximum number of packets
  uint64_t mask;                     // size of the ring, a power of two, minus one
  uint64_t key;                      // a reservation is the position of its first packet xor this
  PipePosition reserved[2], done[2]; // by side
};
// Followed by a word for each packet of the ring, initially 0, and the packets, aligned for every type.
inline constexpr uint64_t PipeAlignment = 128;

/// The value of a word: pipeBlock(end, side) of a committed block, with PipeOpen of one that is not committed.
inline constexpr uint64_t PipeOpen = 1;
inline constexpr uint64_t pipeBlock(uint64_t end, uint32_t side) { return end << 2 | side << 1; }

/// The bits that mark a reservation. Positions do not have them, nor has CLK_NULL_RESERVE_ID, which is 0.
inline constexpr uint64_t PipeKeyBits = 2ull << 62, PipeKeyMask = 3ull << 62;

inline constexpr uint64_t pipePlaces(uint32_t capacity) {
  uint64_t places = 1;
  while (places < capacity)
    places *= 2;
  return places;
}
/// Bytes from the head to the packets.
inline constexpr uint64_t pipePacketsAt(uint64_t places) {
  return (sizeof(PipeHead) + places * 8 + PipeAlignment - 1) / PipeAlignment * PipeAlignment;
}
inline constexpr uint64_t pipeBytes(uint32_t packetSize, uint32_t capacity) {
  return pipePacketsAt(pipePlaces(capacity)) + pipePlaces(capacity) * packetSize;
}

/// The head of an empty pipe. `number` differs between pipes, so that a reservation of one is invalid for others.
inline PipeHead emptyPipe(uint32_t packetSize, uint32_t capacity, uint64_t number) {
  PipeHead head = {};
  head.packetSize = packetSize;
  head.capacity = capacity;
  head.mask = pipePlaces(capacity) - 1;
  // Spreads consecutive numbers: multiplies by odd factors and mixes the upper half into the lower.
  uint64_t mixed = (number + 1) * 0x9e3779b97f4a7c15ull;
  mixed = (mixed ^ mixed >> 32) * 0xd6e8feb86659fd93ull;
  head.key = (mixed & ~PipeKeyMask) | PipeKeyBits;
  return head;
}

} // namespace kiln::abi
