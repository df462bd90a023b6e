// The records of one launch: what its kernel enqueues, in an arena.
#pragma once
#include "base/abi/EnqueueAbi.h"
#include "runtime/enqueue/DeviceQueue.h"
#include "runtime/enqueue/MirroredMemory.h"
#include "runtime/platform/DeferredCompletion.h"
#include "runtime/platform/LockedStream.h"
#include "runtime/program/Kernel.h"

namespace kiln {

class ChildScheduler;
struct ChildCommand;

/// Counts a command and its children. Complete when `pending` is zero.
struct CompletionNode {
  CompletionNode *parent = nullptr;
  uint64_t pending = 1; // children, and the command itself
  cl_int code = CL_SUCCESS;
  DeferredCompletion *completion = nullptr; // of a launch by the host
  ChildCommand *child = nullptr;            // of a child command
  CompletionNode *nextComplete = nullptr;
};

class LaunchRecords final : public ChildLaunches {
public:
  /// Adds them to a launch by the host if its kernel enqueues. CL_INVALID_DEVICE_QUEUE.
  static Status addTo(HostLaunch &launch, const DeviceObject &device);
  /// `queues`: those that the launch has as arguments, so that it may enqueue to them.
  LaunchRecords(ChildScheduler &scheduler, std::shared_ptr<const DeviceProgram> program, EnqueueRules rules,
                std::vector<Ref<DeviceQueue>> queues)
      : scheduler_(scheduler), program_(std::move(program)), rules_(rules), queues_(std::move(queues)) {}
  ~LaunchRecords() override;

  Status begin(Issuer &issuer, uint64_t &address) override;
  Status end(Issuer &issuer) override;
  void startChildren(DeferredCompletion &completion, LockedStream &stream) noexcept override;
  /// The launch has ended: its records become children of `node`, the launch's own, in the tree below `root`.
  void collectRecords(LaunchRecords &root, CompletionNode &node, cl_int code) noexcept;

  const std::shared_ptr<const DeviceProgram> &program() const { return program_; }
  const EnqueueRules &rules() const { return rules_; }
  /// Of a launch by the host: its kernel's program. Null of a child command.
  Program *hostProgram() const { return hostProgram_; }
  /// What the launch by the host uses, only with KILN_CHECK. None of a child command.
  std::span<const MemoryUse> hostUses() const { return hostUses_; }
  /// The program's executor; null if it has none.
  DeviceKernel *executor() const;
  LockedStream *launchStream() const { return launchStream_; }

  /// The bytes of the records; any number may be in them. Kernels may have written any size; it is limited to the
  /// arena's.
  std::span<const std::byte> records() const;
  /// A copy of the tables that kernels write, made after the launch; null if the host can access them.
  const std::byte *snapshot() const { return arena_.isCopied() ? arena_.host() + arena_.size() : nullptr; }
  /// The arena, to be released; empty if the launch was not issued.
  MirroredMemory takeArena() { return std::exchange(arena_, {}); }

private:
  class RemainingRecords;
  Status runExecutor(Issuer &issuer);

  ChildScheduler &scheduler_;
  const std::shared_ptr<const DeviceProgram> program_;
  const EnqueueRules rules_;
  Program *hostProgram_ = nullptr;      // the launch holds its kernel
  std::span<const MemoryUse> hostUses_; // of the launch, which may be moved
  const std::vector<Ref<DeviceQueue>> queues_;
  MirroredMemory arena_;
  size_t recordsAt_ = 0, capacity_ = 0; // of the records in the arena: offset and maximum bytes
  CompletionNode root_;
  LockedStream *launchStream_ = nullptr; // the stream of a launch by the host
};

} // namespace kiln
