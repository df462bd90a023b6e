// Device-side enqueue: what kernels write and the runtime reads when they have ended, and the reverse. The same for all
// devices. The kernels' side is dialects/library/Enqueue.clcpp, the runtime's is runtime/enqueue.
//
// Each launch of a kernel that enqueues has an EnqueueArena for the records of its children. Two limits hold across
// launches: a queue's capacity in bytes of records, and the number of events. Each has a pair of counters that only
// increase: `acquired` is written by kernels only, `released` by the runtime only. This holds for all tables: what
// kernels write is device memory, what the runtime writes is host memory, and no memory is written by both.
#pragma once
#include "base/abi/AbiTypes.h"

namespace kiln::abi {

/// A queue_t is the address of a DeviceQueue; 0 is CLK_NULL_QUEUE.
struct DeviceQueue {
  uint64_t capacity; // maximum bytes of records whose kernels have not ended
  uint64_t released; // total bytes of records whose kernels have ended
  uint64_t acquired; // address of a counter: total bytes of records
};

/// An event in kernels. A clk_event_t has its index plus one in the lower half and its generation in the upper half; 0
/// is CLK_NULL_EVENT.
struct DeviceEvent {
  uint32_t references; // of kernels: retains minus releases since it was acquired
  int32_t status;      // EventOfCommand, EventDropped; of a user event EventPending until it is set to 0 or negative
  uint64_t profile;    // address for the command's two 64-bit times; 0 for none
  uint32_t generation; // of the acquisition; written last: the other fields are valid from then on
  uint32_t launch;     // EnqueueArena::launch of the acquisition
  uint64_t waiters;    // children of that launch that wait in its executor: a list, or EventHasEnded
};
inline constexpr uint64_t EventHasEnded = ~0ull;
inline constexpr int32_t EventOfCommand = 2, EventPending = 1;
inline constexpr int32_t EventDropped = 3; // its command was not enqueued

/// All events of a context's device. Free indices are in a ring: the next one to be acquired is at `acquired` modulo
/// `count`, while `acquired` is less than `released`.
struct DeviceEvents {
  uint64_t count;
  uint64_t released;
  uint64_t acquired;    // address of a counter
  uint64_t changes;     // address of a counter: changes of events by kernels
  uint64_t events;      // address of DeviceEvent[count], written by kernels
  uint64_t free;        // address of uint32_t[count], written by the runtime
  uint64_t generations; // the same
  uint64_t times;       // address of EventTimes[count], written by the runtime
};

/// The durations of an event's complete command.
struct EventTimes {
  uint64_t generation; // for which the times are valid; written last
  uint64_t run;        // ns from its start to its own end
  uint64_t all;        // ns from its start to the end of its last descendant
};

/// The properties of an enqueued block that kernels may query, by its index in the program.
struct BlockInfo {
  uint64_t maxWorkGroupSize;
  uint64_t preferredMultiple;
  uint64_t subGroupSize;
};

/// The counters of an arena, which kernels increase. The records are the first `used` bytes; if that is more than the
/// capacity, they end at the capacity or at a record whose `bytes` are EndOfRecords.
struct ArenaCounters {
  uint64_t used;
  // Of the executor's queue (below): entries that were added, taken by a group, and finished.
  uint64_t added, taken, finished;
};

/// The arena of one launch.
struct EnqueueArena {
  uint64_t counters;     // address of ArenaCounters
  uint64_t capacity;     // bytes of records
  uint64_t records;      // address
  uint64_t defaultQueue; // address of a DeviceQueue; 0 if there is none
  uint64_t events;       // address of DeviceEvents; 0 if there are none
  uint64_t blocks;       // address of BlockInfo[]
  uint32_t detailed;     // return specific error codes: programs built with -g
  uint32_t uniform;      // local sizes must divide global sizes
  // Of the default queue, so that a kernel need not read its DeviceQueue, which is slow to read for GPUs: `acquired`,
  // and its values for a full and for a half full queue when the launch begins. They only become larger.
  uint64_t defaultAcquired, defaultFull, defaultHalfFull;
  // Of the executor.
  uint64_t entries;      // address of uint64_t[MaxEntries + MaxExecutorGroups]; 0: the program has no executor
  uint64_t copies;       // address of EnqueueArena[MaxExecutorGroups]: each group's own, with its `running`
  uint32_t groups;       // of the executor
  uint32_t leavesEvents; // in copies: children with events are left to the host
  uint64_t running;      // position of the record whose child enqueues to this arena; 0: a launched kernel
  uint32_t launch;       // differs from those of all other launches that have not ended
  uint32_t owner;        // position of the innermost record with an event that `running` is part of; 0: none
  // Of the events, so that a kernel need not read DeviceEvents: the same values, and when the launch begins, copies of
  // `released`, and of `free` and `generations`, which are valid for events that are acquired below `released`.
  uint64_t eventCount, eventsReleased, eventsAcquired, eventChanges, eventList, freeEvents, generations;
};

/// A child command: a block or a marker. Followed by `waits` events, a link for each, `locals` sizes (64 bits each) and
/// `captured` bytes, each at a multiple of 8.
struct EnqueueRecord {
  uint32_t bytes; // with all that follows; a multiple of 8
  uint32_t block; // the block's index in the program, or MarkerBlock
  uint64_t queue;
  uint64_t event; // of the command; 0 for none
  uint32_t waits, locals;
  uint64_t captured;
  uint32_t workDim, flags;
  uint64_t globalOffset[3], globalSize[3], localSize[3]; // a local size of 0: the runtime chooses
  // Of the executor, 0 at first: the child has ended; chunks of it that were taken besides the first, and that have
  // ended.
  uint32_t done, chunksTaken, chunksDone;
  uint32_t owner;   // EnqueueArena::owner
  uint32_t pending; // of a record with an event: the child, and the records that it owns, that have not ended
  uint32_t missing; // events that the child waits for, while it is in their lists
};
inline constexpr uint32_t EndOfRecords = 0xffffffffu;
inline constexpr uint32_t MarkerBlock = 0xffffffffu;

/// In `flags`: what enqueue_kernel was given, why the executor left the child (LeftReason), and that it has run it.
inline constexpr uint32_t RecordUserFlags = 0xffu, RecordReasonShift = 8, RecordHasRun = 0x80000000u;
enum LeftReason : uint32_t {
  NotTaken,       // the program has no executor, or its queue is full
  BlockNeedsHost, // printf, collectives, or local memory that is too large
  HasEvents,      // it waits for an event that the executor has not completed, or the program reads the times of events
  TooLarge,       // more than MaxExecutorItems
  GroupShape,     // a block with barriers whose work-groups do not fit the executor's
  LocalMemory,    // local arguments of more than ExecutorLocalBytes
  NoRoom,         // half of the queue or of the arena is in use
};

// ---- the executor ---------------------------------------------------------------------------------------------------
//
// A GPU runs children by the executor, a kernel without arguments, the last block of a program, which is launched after
// each launch that enqueues (passes/gpu/MakeChildExecutor.cpp, docs/device-enqueue.md). Its groups take children from a
// queue of entries. An entry has the position of a record in the lower half, and that of the record of its parent in
// the upper half; a position is the offset divided by 8, plus 1, and 0 is the launched kernel. An entry is 0 until it
// is added, and the group that takes it sets it to 0 again.

inline constexpr char ChildExecutorName[] = "kiln.run_children";
inline constexpr uint64_t ExecutorSize = 256;       // work-items of a group
inline constexpr uint64_t MaxExecutorGroups = 1024; // launched at a time
inline constexpr uint64_t MaxEntries = 16384;       // added at a time; children without an entry are left to the host
inline constexpr uint64_t EntryPosition = 0x7fffffffu;
inline constexpr uint64_t EntryParent = 32;         // shift of the parent's position, 31 bits
inline constexpr uint64_t EntryReady = 1ull << 63;  // the events that the child waited for are complete
inline constexpr uint64_t EntryHelps = 0x80000000u; // a child of several chunks, that another group runs as well
inline constexpr uint64_t EntrySkip = 1ull << 32;   // no child: the enqueue failed
inline constexpr uint64_t EntryExit = 2ull << 32;   // no child: all entries are finished
/// The largest child that it runs. A larger one takes so long that its launch by the host costs little.
inline constexpr uint64_t MaxExecutorItems = 131072;
/// The local memory of a group for local arguments, and for the local variables of all blocks.
inline constexpr uint64_t ExecutorLocalBytes = 16384;
inline constexpr uint64_t ExecutorLocalAlignment = 128; // of local arguments; LocalAlignment of KernelAbi.h

/// What the executor needs of a block. It has an array of them in constant memory, by the blocks' indices.
struct ExecutorBlock {
  uint32_t needs;  // a sum of BlockNeeds
  uint32_t locals; // the number of arguments in local memory
};
enum BlockNeeds : uint32_t {
  BlockIsInExecutor = 1, // else its children are left to the host
  BlockUsesGroups = 2,   // a barrier or local memory: a work-group of the child is one chunk
  BlockHasBarriers = 4,
  BlockEnqueues = 8,
};

/// The child that a group of the executor runs, in the group's local memory. The group's first work-item writes it.
struct ExecutorChild {
  uint64_t entry;     // 0: the group must end
  uint64_t arguments; // address of what follows the record's events
  uint64_t globalOffset[3];
  uint32_t globalSize[3], localSize[3], groups[3]; // of the NDRange; a local size is that of whole work-groups
  uint32_t workDim, block;
  uint32_t items, groupItems;  // of the child, of a work-group; at most MaxExecutorItems + 1 and ExecutorSize + 1
  uint32_t chunks, chunk, ran; // all, the one that the group runs, and how many it has run
};

/// The work-item of the child that a work-item of the executor runs, in private memory.
struct ExecutorItem {
  uint64_t globalId[3];
  uint32_t localId[3], groupId[3], localSize[3];
};

/// The maximum bytes of a record. More captures or wait list entries are CLK_OUT_OF_RESOURCES.
inline constexpr uint64_t MaxEnqueueRecord = 65536;

} // namespace kiln::abi
