// A command in the event graph: its event, and its state on the path from the enqueue to its end, which CommandPath.cpp
// describes.
//
// States: queued -> ready (no unresolved dependency) -> submitted (given to a stream) -> issued (the stream has called
// Operation::issue) -> running -> ended (the command's own work is done) -> complete (its child commands are done as
// well; a negative status counts as complete). Ready, issued and ended are internal. OpenCL's execution model (section
// 3.2) puts ready after submitted. A command that a failed dependency stops is skipped.
#pragma once
#include "base/support/FreeList.h"
#include "runtime/platform/DeferredCompletion.h"
#include "runtime/platform/LockedStream.h"
#include "runtime/queue/Command.h"
#include "runtime/queue/Event.h"

namespace kiln {

class CommandNode final : public Event, public BytesWriter, private Operation, private DeferredCompletion {
public:
  CommandNode(Ref<Context> context, Ref<Queue> queue, Command &&given);

  static void *operator new(size_t size);
  /// Events of which the application had a handle rest before their memory is used again (HandleMemory.h).
  static void operator delete(CommandNode *node, std::destroying_delete_t);
  static void operator delete(void *memory) { FreeList<sizeof(CommandNode)>::release(memory); } // the constructor threw

  const char *name() const override { return isTransfer ? "transfer" : Event::name(); }

  /// Makes room for `count` dependencies on other streams of a device with fences, so that adding them cannot fail.
  void reserveFences(size_t count);
  /// Returns true if the device keeps this command after `other`.
  bool isFencedBehind(const CommandNode &other) const;
  /// Submits the command to its stream. It may be complete when this returns, and freed.
  void submit() noexcept;
  /// The same; also resolves the dependents that wait for the issue. For transfers and for devices with fences.
  void submitAndResolveIssued() noexcept;

  void incRef() override { Event::incRef(); }
  void decRef() override { Event::decRef(); }

  using Operation::isWaitable, Operation::needsTimes;
  Command command;
  const bool isTransfer;
  const bool outlastsStream;      // may complete later than its stream has run it (DeferredCompletion.h)
  LockedStream *stream = nullptr; // set when the command is first in its queue
  bool mayBeSkipped = false;      // a dependency may still fail after this command is submitted
  /// Only for commands of a device with fences.
  struct Fences {
    std::vector<Ref<CommandNode>> after; // on other streams; until this command is submitted
    std::vector<std::shared_ptr<Fence>> reached;
  };
  std::unique_ptr<Fences> fences;
  CommandTimes times;

  // For the queue, guarded by its lock.
  CommandNode *next = nullptr, *previous = nullptr; // CommandList
  bool isReady = false;                             // InOrder: waits only for the commands before it

private:
  ~CommandNode() override = default;
  void onReady() noexcept override;
  const CommandTimes *commandTimes() const override { return &times; }
  void poll() const noexcept override;

  Status issue(Issuer &issuer) noexcept override;
  Status issueOrThrow(Issuer &issuer);
  void onFirst() noexcept override;
  bool mayEnd() const noexcept override { return !hasUnendedDependency(); }
  uint64_t earliestStart() const noexcept override { return endOfDependencies(); }
  uint64_t endTime() const noexcept override { return times.end.load(std::memory_order_relaxed); }
  void onEnded(cl_int code, uint64_t start, uint64_t end) noexcept override;
  void onDeferredComplete(cl_int code) noexcept override;
  /// Logs the failure and calls the context's callback.
  void reportFailure(cl_int code) noexcept;
  std::unique_ptr<const std::string> failureText_; // of the issue that failed
  /// The command's own work and its child commands are done, or it failed.
  void onComplete(cl_int code) noexcept;
};

/// The node of a command's event; null for a user event.
inline CommandNode *commandOf(Event &event) { return event.isUser() ? nullptr : static_cast<CommandNode *>(&event); }

} // namespace kiln
