// The residency map of a buffer: its storage on each memory node, and a map from byte ranges to the nodes whose copy is
// current. Belongs to the root buffer, so that two devices can write disjoint sub-buffers.
//
// A memory node is the host's memory, which every device with `sharesHostMemory` uses, or one device's own. Storage on
// a memory node is allocated on first use. `ResidencyManager` (runtime/queue) decides what each command needs and which
// transfers run; this class only stores the map. A context in which all devices share the host's memory has one node
// and no map.
#pragma once
#include "runtime/memory/Context.h"
#include <map>

namespace kiln {

class ResidencyManager;

/// A command or a transfer that changes bytes (CommandNode, runtime/queue). Counts the spans that list it as a pending
/// write.
class BytesWriter {
public:
  virtual void incRef() = 0;
  virtual void decRef() = 0;
  void addPendingWrite() { pendingWrites_.fetch_add(1, std::memory_order_relaxed); }
  void removePendingWrite() { pendingWrites_.fetch_sub(1, std::memory_order_relaxed); }
  bool hasPendingWrites() const { return pendingWrites_.load(std::memory_order_relaxed); }

protected:
  ~BytesWriter() = default;

private:
  std::atomic<uint32_t> pendingWrites_{0};
};

class Residency {
public:
  /// `host`: the application's memory (CL_MEM_USE_HOST_PTR), which becomes the host's storage, or null. With
  /// `initialisedByHost` the host's storage is allocated and only the host's node is current; without, the bytes are
  /// undefined and every node is current.
  static Result<std::unique_ptr<Residency>> create(const Context &context, size_t size, void *host,
                                                   bool initialisedByHost);
  /// For memory with one address everywhere: current on every node, and never transferred. `host` points into the
  /// allocation.
  static Result<std::unique_ptr<Residency>> create(const Context &context, size_t size, std::byte *host,
                                                   Ref<Allocation> allocation);
  ~Residency();

  /// The allocation that contains the bytes if they have one address everywhere; else null.
  Allocation *allocation() const { return allocation_.get(); }
  /// The offset of byte 0 in the storage of a device.
  size_t origin() const { return allocation_ ? allocation_->offsetOf(hostPointer_) : 0; }

  /// The application's memory, or null. It is also the host's storage.
  std::byte *hostPointer() const { return hostPointer_; }
  /// The host's storage, allocated if there is none. Its bytes are current only if the map says so.
  Result<std::byte *> host() KILN_EXCLUDES(mutex_);
  /// The storage that the device uses, allocated if there is none.
  Result<Memory *> storageFor(const DeviceObject &device) KILN_EXCLUDES(mutex_);
  /// Allocates storage on a node if there is none.
  Status reserve(MemoryNode node);
  bool has(MemoryNode node) const;
  /// The start of a node's storage, which exists, as a stream of `device` accesses it.
  Region regionIn(MemoryNode node, const DeviceObject &device);
  size_t size() const { return size_; }

private:
  friend class ResidencyManager;

  /// An incomplete command or transfer that changes a range on a node. ResidencyManager removes it when the writer
  /// completes.
  struct PendingWrite {
    PendingWrite(MemoryNode node, bool isTransfer, BytesWriter &writer);
    PendingWrite(const PendingWrite &other);
    PendingWrite(PendingWrite &&other) noexcept;
    PendingWrite &operator=(PendingWrite other) noexcept;
    ~PendingWrite();
    MemoryNode node;
    bool isTransfer; // a transfer into the node; false: a command that writes there
    Ref<BytesWriter> writer;
  };
  struct Span {
    size_t end;
    uint64_t current; // a bit for each node
    std::vector<PendingWrite> pendingWrites;
  };
  using Spans = std::map<size_t, Span>; // by the first byte, without gaps

  Residency(const Context &context, size_t size, std::byte *hostPointer);
  Status allocateHost() KILN_REQUIRES(mutex_);
  Status allocateOn(size_t memory) KILN_REQUIRES(mutex_);
  /// Makes `at` the first byte of a span, unless it is the end of the buffer.
  void splitAt(size_t at);
  /// The span that contains a byte.
  Spans::iterator spanAt(size_t at) { return std::prev(spans_.upper_bound(at)); }
  /// Merges adjacent spans around a range that are equal.
  void coalesce(size_t begin, size_t end);

  struct NodeStorage {
    std::atomic<Memory *> memory{nullptr};
    std::unique_ptr<Memory> owned; // guarded by mutex_
  };
  const Context &context_; // the buffer holds a reference
  const size_t size_;
  std::byte *const hostPointer_;
  Ref<Allocation> allocation_;
  Mutex mutex_; // for allocating storage, which is not freed before the end
  std::atomic<std::byte *> host_;
  std::unique_ptr<Memory> hostMemory_ KILN_GUARDED_BY(mutex_);
  const std::unique_ptr<NodeStorage[]> nodeStorage_; // as Context::memoryDevices
  Spans spans_;                                      // guarded by the lock of the context's ResidencyManager
};

} // namespace kiln
