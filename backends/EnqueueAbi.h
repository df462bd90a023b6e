// Enqueueing from a kernel: what kernels write and the runtime reads when they have ended, and the other way round. The
// same for all devices. Kernels' side is dialects/library/Enqueue.clcpp, the runtime's is runtime/enqueue.
//
// Each launch of a kernel that enqueues has an EnqueueArena for the records of its children. Bounds hold across
// launches: a queue has a capacity in bytes of records, the pool of events a number of events. Each is a pair of
// counters that only go up: `taken` is written by kernels alone, `given` by the runtime alone. So it is with all of
// this: what kernels write is memory of the device, what the runtime writes is the host's, and neither side changes
// memory under the other one.
#pragma once
#include "backends/AbiTypes.h"

namespace kiln::abi {

/// A queue_t is the address of one, 0 is CLK_NULL_QUEUE.
struct DeviceQueue {
  uint64_t capacity; // bytes of records whose kernels have not ended, at most
  uint64_t given;    // bytes of all records ever whose kernels have ended
  uint64_t taken;    // address of a counter: bytes of all records ever
};

/// An event that kernels know. A clk_event_t is its number plus one, and its generation in the upper half; 0 is
/// CLK_NULL_EVENT.
struct DeviceEvent {
  uint32_t references; // by kernels: what they retained since it was taken, less what they released
  int32_t status;      // EventOfCommand, EventDropped; of a user event EventPending until it is set: 0, or negative
  uint64_t profile;    // where the times of the command go: two of 64 bits; 0 for nowhere
  uint32_t generation; // the one that it was taken in, written last: the rest is true from then on
  uint32_t unused;
};
inline constexpr int32_t EventOfCommand = 2, EventPending = 1;
inline constexpr int32_t EventDropped = 3; // its command was not enqueued after all

/// All events of a context's device. Free numbers wait in a ring: the taken-th of them, modulo `count`, is the next one
/// to be taken, as long as fewer are taken than given.
struct DeviceEvents {
  uint64_t count;
  uint64_t given;
  uint64_t taken;       // address of a counter
  uint64_t changes;     // likewise: how often kernels have changed an event
  uint64_t events;      // address of DeviceEvent[count], which only kernels write
  uint64_t free;        // address of uint32_t[count], which only the runtime writes
  uint64_t generations; // the same
  uint64_t times;       // address of EventTimes[count], likewise
};

/// How long an event's command took, once it is complete.
struct EventTimes {
  uint64_t generation; // that it holds for; written last
  uint64_t run;        // ns from its start to its own end
  uint64_t all;        // ns to that of its last descendant
};

/// What kernels may ask about a block that is enqueued, by its number in the program.
struct BlockInfo {
  uint64_t maxWorkGroupSize;
  uint64_t preferredMultiple;
  uint64_t subGroupSize;
};

/// One launch's; the records are in one piece, from `records` to `records + used` when the launch has ended.
struct EnqueueArena {
  uint64_t used, capacity; // bytes of records
  uint64_t records;        // address
  uint64_t defaultQueue;   // address of a DeviceQueue; 0 without one
  uint64_t events;         // address of DeviceEvents; 0 without any
  uint64_t blocks;         // address of BlockInfo[]
  uint32_t detailed;       // whether errors are told apart: programs built with -g
  uint32_t uniform;        // whether local sizes have to divide global ones
};

/// A child, or a marker. Behind it, at multiples of 8: `waits` events, `locals` sizes (64 bits each), and `captured`
/// bytes.
struct EnqueueRecord {
  uint32_t bytes; // of all this, a multiple of 8
  uint32_t block; // the block's number in the program, or MarkerBlock
  uint64_t queue;
  uint64_t event; // that stands for it; 0 for none
  uint32_t waits, locals;
  uint64_t captured;
  uint32_t workDim, flags;
  uint64_t globalOffset[3], globalSize[3], localSize[3]; // a local size of 0: the runtime chooses
};
inline constexpr uint32_t MarkerBlock = 0xffffffffu;

/// The most that one record may take: captures and wait lists beyond it are CLK_OUT_OF_RESOURCES.
inline constexpr uint64_t MaxEnqueueRecord = 65536;

} // namespace kiln::abi
