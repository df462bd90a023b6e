// Where a buffer's bytes are: the storage that it has in each place, and a map from byte ranges to the places whose
// copy is current. Kept on the root buffer, so that disjoint sub-buffers are written on two devices at once.
//
// A place is the host's memory, in which every device computes that sharesHostMemory, or one device's own. Storage
// comes into being when a place is first used. What a command needs in which place, and what is moved for it, is
// decided in runtime/queue/Placement; here is only the book that it keeps. A context in which all devices share the
// host's memory has one place and no book.
#pragma once
#include "runtime/platform/Context.h"
#include <map>

namespace kiln {

class Event;
class ResidencyManager;

class Residency {
public:
  /// `host`: the application's memory (CL_MEM_USE_HOST_PTR), which is the host's place then, or null. With `hostFirst`
  /// the bytes are the host's and storage is made there; otherwise their values are nobody's yet, so all places have
  /// them.
  static Result<std::unique_ptr<Residency>> create(const Context &context, size_t size, void *host,
                                                   bool initialisedByHost);
  /// Bytes of memory that is at one address everywhere: what is in it is current in every place, always, and nothing is
  /// ever moved. `host` lies in the allocation.
  static Result<std::unique_ptr<Residency>> create(const Context &context, size_t size, std::byte *host,
                                                   Ref<Allocation> allocation);
  ~Residency();

  /// What it lies in where it is at one address everywhere; else null.
  Allocation *allocation() const { return allocation_.get(); }
  /// Where byte 0 lies in the storage of a device.
  size_t origin() const { return allocation_ ? allocation_->offsetOf(hostPointer_) : 0; }

  /// What the application gave, or null. Also the host's place then.
  std::byte *hostPointer() const { return hostPointer_; }
  /// Where the host finds the bytes, if they are current there.
  Result<std::byte *> host() KILN_EXCLUDES(mutex_);
  /// The storage that the device computes in.
  Result<Memory *> storageFor(const DeviceObject &device) KILN_EXCLUDES(mutex_);
  /// Storage in a place, made if there is none.
  Status reserve(Place node);
  bool has(Place node) const;
  /// The first byte of a place's storage, which is there, as a stream of `device` copies to and from it.
  Region regionIn(Place node, const DeviceObject &device);
  size_t size() const { return size_; }

private:
  friend class ResidencyManager;

  /// A command or transfer that has not ended and changes a range in a place. The event counts its marks, and takes
  /// them away when it ends.
  struct PendingWrite {
    PendingWrite(Place node, bool isTransfer, Event &event);
    PendingWrite(const PendingWrite &other);
    PendingWrite(PendingWrite &&other) noexcept;
    PendingWrite &operator=(PendingWrite other) noexcept;
    ~PendingWrite();
    Place node;
    bool isTransfer; // a transfer into the place; otherwise a command that writes there
    Ref<Event> event;
  };
  struct Span {
    size_t end;
    uint64_t current; // places, a bit each
    std::vector<PendingWrite> pendingWrites;
  };
  using Spans = std::map<size_t, Span>; // by their first byte; no gaps

  Residency(const Context &context, size_t size, std::byte *hostPointer);
  Status allocateHost() KILN_REQUIRES(mutex_);
  Status allocateOn(size_t memory) KILN_REQUIRES(mutex_);
  /// Makes `at` the beginning of a span, unless it is the end of all.
  void splitAt(size_t at);
  /// The span that holds a byte.
  Spans::iterator spanAt(size_t at) { return std::prev(spans_.upper_bound(at)); }
  /// Joins spans around a range that nothing tells apart any more.
  void coalesce(size_t begin, size_t end);

  struct NodeStorage {
    std::atomic<Memory *> memory{nullptr};
    std::unique_ptr<Memory> owned; // under mutex_
  };
  const Context &context_; // held by the buffer
  const size_t size_;
  std::byte *const hostPointer_;
  Ref<Allocation> allocation_;
  Mutex mutex_; // of making storage; what is made stays
  std::atomic<std::byte *> host_;
  std::unique_ptr<Memory> hostMemory_ KILN_GUARDED_BY(mutex_);
  const std::unique_ptr<NodeStorage[]> nodeStorage_; // as Context::memories
  Spans spans_;                                      // under the lock of the context's Placement
};

} // namespace kiln
