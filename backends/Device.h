// What the runtime asks of hardware: the whole of what a backend implements.
//
// A Stream is an in-order lane of a device. The runtime gives it Operations; the stream calls `issue`, in order, which
// calls back its `copy`, `fill` and `launch`, and `ended` once all of that is done. A stream over a GPU driver calls
// `issue` at once and `ended` from the driver's completion callback; the CPU's calls both from whichever thread runs
// the lane. So an Operation is a command on its way in, and a fence with a host callback on its way out. Which
// operations may run together is decided above, by the runtime's event graph.
#pragma once
#include "backends/DeviceInfo.h"
#include "runtime/compiler/ProgramInfo.h"
#include "runtime/support/Status.h"
#include <array>
#include <memory>
#include <span>

namespace kiln {

/// Storage on a device; freed when dropped.
class Memory {
public:
  Memory(uint64_t address, void *host, size_t size) : address(address), host(host), size(size) {}
  virtual ~Memory() = default;
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;

  const uint64_t address; // as kernels on the device see it
  void *const host;       // as the host sees it; null where it cannot
  const size_t size;
};

/// A box of bytes in a device's storage or in the host's memory: rows of `extent[0]` bytes, `extent[1]` of them a
/// slice, `extent[2]` slices. Flat ranges are boxes of one row.
struct Region {
  Memory *memory = nullptr;  // null: host memory at `host`
  std::byte *host = nullptr; // where offset 0 lies when `memory` is null
  size_t offset = 0;         // of the first byte
  size_t rowPitch = 0, slicePitch = 0;
  std::array<size_t, 3> extent{0, 1, 1};
};

/// A point in what a stream was given to do; for streams of the same device.
class Fence {
public:
  virtual ~Fence() = default;
};

/// A kernel in loaded code; belongs to its Code.
class Function {
public:
  virtual ~Function() = default;
  /// How long so many work-items will keep the device busy, from launches so far; nothing before the first.
  virtual std::optional<uint64_t> expectedNanoseconds(uint64_t items) const { return {}; }
};

/// A program's code on a device.
class Code {
public:
  virtual ~Code() = default;
  /// The function lives as long as the code.
  virtual Result<Function *> function(const KernelInfo &kernel) = 0;
};

/// One ND-range, checked: local sizes are at least 1, dimensions past `workDim` have size 1 and offset 0. Where a
/// global size is no multiple of the local one, the last group in that dimension is smaller.
struct Launch {
  Function *function = nullptr;
  const Plan *plan = nullptr;
  const void *arguments = nullptr; // KernelAbi.h; valid until the operation has ended
  size_t argumentBytes = 0;
  uint32_t workDim = 1;
  std::array<uint64_t, 3> globalOffset{}, globalSize{1, 1, 1}, localSize{1, 1, 1};
  uint64_t localBytes = 0;       // local memory of a group: static and by argument
  uint64_t programVariables = 0; // device address of the program's block of variables; 0 without one
  uint64_t enqueueArena = 0;     // device address of an abi::EnqueueArena; 0 for a kernel that does not enqueue
  uint64_t printfBuffer = 0;     // device address of an abi::PrintfBuffer; 0 for a kernel that does not print
  bool repeatable = false;       // groups run in order on one thread, in memory of their own that is zero at first;
                                 // only where DeviceInfo::runsInIssue
};

/// What an application wishes of a stream: how urgent its work is beside others', and how much of the device it may
/// take at once. A device does with it what it can.
enum class HintLevel : uint8_t { Low, Medium, High };
struct QueueHints {
  HintLevel priority = HintLevel::Medium, throttle = HintLevel::Medium;
};

class Stream;

/// Something that a stream runs, and how it tells about it. The submitter keeps it alive until `ended` returns.
class Operation {
public:
  /// Everything before it on the stream has ended: do it, through the stream's copy, fill and launch. Throws nothing,
  /// as `ended`: the thread may be anybody's.
  virtual Status issue(Stream &stream) = 0;
  /// All that was issued is done, or failed with `code`. Times are nowNanoseconds()'s; zero unless `timed`. May destroy
  /// the operation; called with no lock held, and may submit to any stream.
  virtual void onEnded(cl_int code, uint64_t start, uint64_t end) = 0;

  bool needsTimes = false;          // whether anybody wants the times
  bool isWaitable = true;           // whether anybody may wait for this one, and not for one behind it
  Operation *streamNext = nullptr;  // the stream's own
  cl_int streamStatus = CL_SUCCESS; // likewise

protected:
  ~Operation() = default;
};

/// Asks whether what a thread waits for has come.
struct WaitCondition {
  bool (*test)(const void *what);
  const void *what;
  bool operator()() const { return test(what); }
};

class Stream {
public:
  virtual ~Stream() = default;

  /// Puts the operation behind those submitted before. It may stay there until `flush` or `help`; where
  /// DeviceInfo::ordersStreams, `issue` has been called when this returns, in every case. Never calls `ended` before it
  /// returns: the caller holds locks.
  virtual void submit(Operation &operation) = 0;
  /// Everything submitted runs without further calls.
  virtual void flush() = 0;
  /// The caller waits for something that this stream's operations lead to, and offers its thread. Returns when that
  /// is reached or when there is nothing to do for it.
  virtual void progressUntil(WaitCondition done) {}

  // For Operation::issue only. Storage in a Region is this device's or, as a source, that of a device it `reaches`.
  virtual Status copy(const Region &to, const Region &from) = 0;
  /// Every row begins with the pattern, 1 to 128 bytes, and is a multiple of it.
  virtual Status fill(const Region &to, std::span<const std::byte> pattern) = 0;
  virtual Status launch(const Launch &launch) = 0;
  /// Memory of allocateShared will be used next by this device, or by the host. Only saves time.
  virtual Status prefetch(const Region &, bool) { return {}; }
  /// Behind all that was issued to this stream so far. Only where DeviceInfo::ordersStreams says so, as `wait` below.
  /// Called from any thread, but never while another one is in this stream's `submit` or `mark`.
  virtual Result<std::shared_ptr<Fence>> recordFence() {
    return fail(CL_INVALID_OPERATION, "this device has no fences");
  }
  /// What is issued from here on starts when the fence, of another stream of this device, is reached. For
  /// Operation::issue only.
  virtual Status waitFence(const Fence &) { return fail(CL_INVALID_OPERATION, "this device has no fences"); }
};

class Device {
public:
  virtual ~Device() = default;
  virtual const DeviceInfo &info() const = 0;
  virtual Result<std::unique_ptr<Memory>> allocate(size_t bytes) = 0;
  /// Host memory, allocated by another device or by nobody, that this one uses in place; null where it cannot, which no
  /// device does that sharesHostMemory. The memory stays the caller's, and what imported it before must outlive this.
  virtual Result<std::unique_ptr<Memory>> import(void *host, size_t bytes) = 0;
  /// Storage in the host's memory that this device copies from and to fastest, such as pinned pages.
  virtual Result<std::unique_ptr<Memory>> allocateHost(size_t bytes) = 0;
  /// Memory that a kernel named by its address, for a copy to it; it stays whose it is. Null where kernels of the
  /// device use the host's addresses.
  virtual std::unique_ptr<Memory> wrapAddress(uint64_t, size_t) { return nullptr; }
  /// Memory that host and device use at one address and at the same time, atomics included, and that lies where it is
  /// used; null where the device has none such.
  virtual Result<std::unique_ptr<Memory>> allocateShared(size_t) { return std::unique_ptr<Memory>(); }
  /// Whether this device's streams copy straight from that device's storage.
  virtual bool canAccessPeer(const Device &) const { return false; }
  /// `path` stays what it is as long as the code lives. What the driver has to say goes to `log`, the build log.
  virtual Result<std::unique_ptr<Code>> load(const std::string &path, const ProgramInfo &info, std::string &log) = 0;
  virtual Result<std::unique_ptr<Stream>> createStream(QueueHints hints = {}) = 0;

  // For devices that are partitionable (DeviceInfo). Their compute units have numbers, from 0 on.
  /// The units by what they share (CL_DEVICE_AFFINITY_DOMAIN_NUMA to _L1_CACHE): one list for each memory or cache.
  /// None where the device does not know of any.
  virtual std::vector<std::vector<unsigned>> computeUnitsByAffinity(cl_device_affinity_domain) const { return {}; }
  /// A device that computes on some of this one's units and in its memory, with its code. `bound`: on these very units,
  /// not only on as many.
  virtual Result<std::unique_ptr<Device>> createSubDevice(const std::vector<unsigned> &units, bool bound) {
    return fail(CL_INVALID_OPERATION, "this device has no parts");
  }
};

} // namespace kiln
