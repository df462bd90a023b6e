// The interface between the runtime and hardware: everything that a backend implements.
//
// A Stream is an in-order sequence of operations of a device. The runtime submits Operations. The stream calls their
// `issue` in order, with an Issuer, whose `copy`, `fill` and `launch` carry the operation out, and calls `onEnded` once
// all of that is done. A GPU stream calls `issue` inside `submit`; `onEnded` is called by a thread that finds the
// driver's event reached: the poller, a waiting thread, or the submitting thread in `flush`. The CPU's stream calls
// both on the thread that runs the stream. The runtime's event graph decides which operations may run concurrently.
#pragma once
#include "backends/DeviceInfo.h"
#include "backends/LaunchCode.h"
#include "backends/LaunchFault.h"
#include "base/abi/ProgramInfo.h"
#include "base/support/Status.h"
#include "base/support/Wire.h"
#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

namespace kiln {
namespace abi {
struct CheckLaunch;
struct Image;
} // namespace abi

/// Storage on a device. The destructor frees it.
class Memory {
public:
  Memory(uint64_t address, void *host, size_t size) : address(address), host(host), size(size) {}
  virtual ~Memory() = default;
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;

  const uint64_t address; // for kernels on the device
  void *const host;       // for the host; null if it cannot access the memory
  const size_t size;
};

/// Texture objects over the pixels of an image. The destructor destroys them; no launch uses them then.
class Texture {
public:
  Texture() = default;
  virtual ~Texture() = default;
  Texture(const Texture &) = delete;
  Texture &operator=(const Texture &) = delete;

  uint64_t handle = 0, filter = 0; // abi::Image::texture and filter
};

/// A box of bytes in a device's storage or in host memory: rows of `extent[0]` bytes, `extent[1]` rows per slice,
/// `extent[2]` slices. A contiguous range is a box of one row.
struct Region {
  Memory *memory = nullptr;  // null: host memory at `host`
  std::byte *host = nullptr; // address of offset 0 if `memory` is null
  size_t offset = 0;         // of the first byte
  size_t rowPitch = 0, slicePitch = 0;
  std::array<size_t, 3> extent{0, 1, 1};
};

/// A point in the sequence of a stream that another stream of the same device can wait for.
class Fence {
public:
  virtual ~Fence() = default;
};

/// A kernel in loaded code. Owned by its Code.
class Function {
public:
  virtual ~Function() = default;
  /// Returns true if the driver measures launches of the function.
  virtual bool isMeasured() const { return false; }
  /// The estimated duration of `items` work-items, from earlier launches; nothing before the first one has ended.
  virtual std::optional<uint64_t> expectedNanoseconds(uint64_t items) const { return {}; }
};

/// A property of a kernel's machine code: "registers per work-item", 40.
struct CodeNumber {
  const char *name;
  uint64_t value;
};

/// The assembler of a device's driver: a library that a compiler process loads, so that a crash or an endless loop
/// fails a build and not the application.
struct Assembler {
  std::string library{};         // its path, or a name that the loader searches; empty: the device has none
  uint32_t major = 0, minor = 0; // the version that it must have
  std::string identity{};        // all that machine code depends on besides the code, as text: processor, version
};

/// Files of a program's code. They are unchanged while the code is loaded.
struct CodePaths {
  std::string code;          // the compiler's
  std::string machineCode{}; // that the device's assembler made of it; empty: the driver gets the code itself
  /// Assembles the contents of `code` such that the functions have room for the device's largest groups. Returns the
  /// machine code; nothing if the driver must assemble the code itself. Null without `machineCode`.
  std::function<Result<wire::Bytes>(std::string_view code)> assembleForLargestGroups{};
};

/// A program's code on a device.
class Code {
public:
  virtual ~Code() = default;
  /// What the driver says about a kernel's machine code, for the explorer's page. Empty if it says nothing.
  virtual std::vector<CodeNumber> numbersOf(const KernelInfo &) { return {}; }
  /// The function lives as long as the code.
  virtual Result<Function *> function(const KernelInfo &kernel) = 0;
};

/// One checked NDRange: local sizes are at least 1, dimensions past `workDim` have size 1 and offset 0. If a global
/// size is not a multiple of the local size, the last group in that dimension is smaller.
struct Launch {
  Function *function = nullptr;
  LaunchUpgrade *upgrade = nullptr;         // may be null; valid until the operation has ended
  LaunchTrial *trial = nullptr;             // the same
  const DebuggedGroups *debugged = nullptr; // the same; only with DeviceInfo::runsInIssue
  const KernelPlan *plan = nullptr;
  const void *arguments = nullptr; // KernelAbi.h; valid until the operation has ended
  size_t argumentBytes = 0;
  uint32_t workDim = 1;
  std::array<uint64_t, 3> globalOffset{}, globalSize{1, 1, 1}, localSize{1, 1, 1};
  uint64_t localBytes = 0;       // local memory of a group: static variables and arguments
  uint64_t programVariables = 0; // device address of the program's block of variables; 0 without one
  uint64_t enqueueArena = 0;     // device address of an abi::EnqueueArena; 0 for a kernel that does not enqueue
  uint64_t printfBuffer = 0;     // device address of an abi::PrintfBuffer; 0 for a kernel that does not print
  uint64_t gpuCheck = 0;         // device address of an abi::GpuCheck; 0 for a kernel that checks nothing
  const abi::CheckLaunch *check = nullptr;       // what code for the CPU that checks calls; null: it accepts all
  bool distinctArguments = false;                // no argument that the kernel may write through overlaps another one
  LaunchFault *fault = nullptr;                  // may be null; set by a driver if a fault has ended the launch
  const std::atomic<bool> *terminated = nullptr; // null if the launch cannot be terminated; set: it fails with
                                                 // CL_CONTEXT_TERMINATED_KHR
  bool repeatable = false; // groups run in order on one thread, in zeroed memory; only with DeviceInfo::runsInIssue
};

/// The hints of cl_khr_priority_hints and cl_khr_throttle_hints: priority among queues, and the share of the device. A
/// device may ignore them.
enum class HintLevel : uint8_t { Low, Medium, High };
struct QueueHints {
  HintLevel priority = HintLevel::Medium, throttle = HintLevel::Medium;
};

class Issuer;

/// An operation of a stream. The submitter keeps it alive until `onEnded` returns.
class Operation {
public:
  /// Carries out the operation through the issuer, which is valid until this returns. Every earlier operation of the
  /// stream has ended, or has been issued if the device has fences. May be called on any thread, like `onEnded`, and
  /// must not throw.
  virtual Status issue(Issuer &issuer) = 0;
  /// Every earlier operation of the stream has ended. May be called between `issue` and `onEnded`, with no lock held.
  virtual void onFirst() {}
  /// Returns true if every operation of another stream that it was issued behind, by a fence, has ended: `onEnded` may
  /// be called. Once true, it stays true. Those operations were issued earlier, so no two wait for each other.
  virtual bool mayEnd() const { return true; }
  /// The end of the last of them; 0 if none has times. Once `mayEnd` is true.
  virtual uint64_t earliestStart() const { return 0; }
  /// The work is done, or failed with `code`. Times are nowNanoseconds()'s, and zero unless `needsTimes`. May destroy
  /// the operation and submit to any stream. Called with no lock held.
  virtual void onEnded(cl_int code, uint64_t start, uint64_t end) = 0;

  bool needsTimes = false;          // onEnded needs start and end times
  bool isWaitable = true;           // a thread may wait for this operation, not only for a later one
  Operation *streamNext = nullptr;  // next operation; used by the stream
  cl_int streamStatus = CL_SUCCESS; // used by the stream

protected:
  ~Operation() = default;
};

/// A condition that a thread waits for.
struct WaitCondition {
  bool (*test)(const void *what);
  const void *what;
  bool operator()() const { return test(what); }
};

/// The time at which a stream reached a point, in nowNanoseconds()'s clock. Must be destroyed before its device.
class TimeMark {
public:
  TimeMark() = default;
  explicit TimeMark(uint64_t time) : time_(time) {}
  virtual ~TimeMark() = default;
  /// Returns 0 if the time is unknown because the device failed. The operation that made the mark must have ended.
  virtual uint64_t time() { return time_; }

private:
  const uint64_t time_ = 0;
};

/// Carries out operations of one stream: the functions that Operation::issue calls. Storage in a Region is the device's
/// or, as a source, that of a device for which `canAccessPeer` is true.
class Issuer {
public:
  virtual Status copy(const Region &to, const Region &from) = 0;
  /// The size of every row is a multiple of the pattern's, which is 1 to 128 bytes.
  virtual Status fill(const Region &to, std::span<const std::byte> pattern) = 0;
  virtual Status launch(const Launch &launch) = 0;
  /// Runs the work-groups of a fault of `launch` again and returns where the fault happens. The function is of the
  /// located form (base/abi/AccessNote.h). Everything that the work-groups write is lost, except to memory that
  /// the process shares with others. Nothing if the fault does not happen within `limit` nanoseconds.
  virtual std::optional<FaultPlace> replay(const Launch &launch, const LaunchFault &fault, uint64_t limit) {
    return {};
  }
  /// A hint: memory of allocateShared is used next by this device, or by the host if `toHost`.
  virtual Status prefetch(const Region &, bool toHost) { return {}; }
  /// Returns a mark of the time at which everything issued so far is done.
  virtual Result<std::unique_ptr<TimeMark>> markTime() {
    return fail(CL_INVALID_OPERATION, "this device marks no times");
  }
  /// Returns true if earlier operations may not have ended.
  virtual bool hasEarlierWork() const { return false; }
  /// Later operations start when the fence, of another stream of this device, is reached. Only with
  /// DeviceInfo::hasFences.
  virtual Status waitFence(const Fence &) { return fail(CL_INVALID_OPERATION, "this device has no fences"); }

protected:
  ~Issuer() = default;
};

/// What the runtime submits operations to.
class Stream {
public:
  virtual ~Stream() = default;

  /// Appends the operation. It may not run before `flush` or `progressUntil`; with DeviceInfo::hasFences, `issue` has
  /// been called when this returns, also after a failure. Never calls `onEnded` before it returns: the caller holds
  /// locks.
  virtual void submit(Operation &operation) = 0;
  /// Lets everything submitted run without further calls.
  virtual void flush() = 0;
  /// The same, but a stream may keep launches back for up to some 100 us, to issue them with later ones.
  virtual void flushLazily() { flush(); }
  /// The calling thread waits until `done` is true, which must depend only on operations of this stream. Meanwhile it
  /// may run or poll them. Returns early if it can neither run nor poll one.
  virtual void progressUntil(WaitCondition done) {}
  /// Returns a fence after everything issued to this stream so far. Only with DeviceInfo::hasFences. Called from any
  /// thread, but never while another one is in this stream's `submit` or `recordFence`.
  virtual Result<std::shared_ptr<Fence>> recordFence() {
    return fail(CL_INVALID_OPERATION, "this device has no fences");
  }
};

class Device {
public:
  virtual ~Device() = default;
  virtual const DeviceInfo &info() const = 0;
  /// Returns false once the device is lost. Every later command on it fails.
  virtual bool isAvailable() const { return true; }
  /// Ends the launches that run and whose Launch::terminated has been set. Does not wait for their ends. Only of a
  /// device with cl_khr_terminate_context.
  virtual void endTerminatedLaunches() {}
  virtual Result<std::unique_ptr<Memory>> allocate(size_t bytes) = 0;
  /// Host memory that this device uses in place, allocated by another device or by the application. Null if it cannot;
  /// a device with sharesHostMemory always can. Does not own the memory; an earlier import of it must outlive this one.
  virtual Result<std::unique_ptr<Memory>> import(void *host, size_t bytes) = 0;
  /// Host memory that this device copies from and to fastest, such as pinned memory.
  virtual Result<std::unique_ptr<Memory>> allocateHost(size_t bytes) = 0;
  /// Wraps a device address that a kernel wrote, so that the runtime can copy to it. Does not own the memory. Returns
  /// null if kernels of the device use host addresses.
  virtual std::unique_ptr<Memory> wrapAddress(uint64_t, size_t) { return nullptr; }
  /// Memory that host and device access at one address, concurrently and with atomics, and that moves to where it is
  /// used. Null if the device has no such memory.
  virtual Result<std::unique_ptr<Memory>> allocateShared(size_t) { return std::unique_ptr<Memory>(); }
  /// Texture objects for reads of an image. Its slices are one plane of rows, each abi::Image::sliceRows after the one
  /// before. `handle` returns the pixel at integer coordinates, and `filter` the blend of the four pixels around a
  /// position; both clamp coordinates to the plane. Null if the device has none for this image: kernels then read the
  /// pixels by loads. The log has the reason.
  virtual std::unique_ptr<Texture> createTexture(const abi::Image &) { return nullptr; }
  /// The row pitch of an image of this abi::imageFormat should be a multiple of this number of bytes, so that
  /// `createTexture` can return a texture object. The memory of `allocate` is aligned as it needs. 1: any row pitch.
  virtual size_t imageRowAlignment(uint32_t) const { return 1; }
  /// Returns true if this device's streams copy directly from that device's storage.
  virtual bool canAccessPeer(const Device &) const { return false; }
  /// The assembler whose machine code `load` accepts beside the compiler's code. None if a switch turns it off.
  virtual Assembler assembler() const { return {}; }
  /// Loads the machine code, or the code if there is none. The driver's messages are appended to `log`, the build log.
  virtual Result<std::unique_ptr<Code>> load(const CodePaths &paths, const ProgramInfo &info, std::string &log) = 0;
  virtual Result<std::unique_ptr<Stream>> createStream(QueueHints hints = {}) = 0;

  // For partitionable devices (DeviceInfo). Compute units are numbered from 0.
  /// The compute units by the memory or cache that they share (CL_DEVICE_AFFINITY_DOMAIN_NUMA to _L1_CACHE), one list
  /// each. Empty if that is unknown.
  virtual std::vector<std::vector<unsigned>> computeUnitsByAffinity(cl_device_affinity_domain) const { return {}; }
  /// A device that uses some of this one's compute units, its memory and its code. `bound`: true if the sub-device must
  /// run on exactly these units; false if only their number matters.
  virtual Result<std::unique_ptr<Device>> createSubDevice(const std::vector<unsigned> &units, bool bound) {
    return fail(CL_INVALID_OPERATION, "this device has no parts");
  }
};

} // namespace kiln
