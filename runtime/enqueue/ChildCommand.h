// A child command: one command that a kernel enqueued, a launch of a block or a marker.
#pragma once
#include "runtime/enqueue/ChildScheduler.h"

namespace kiln {

struct ChildCommand;

/// A child in the list of the children that wait for one event.
struct EventWaiter {
  ChildCommand *child = nullptr;
  EventWaiter *next = nullptr;
};

struct ChildCommand final : Operation {
  /// `maxWaits`: the number of events in its wait list. May throw std::bad_alloc.
  ChildCommand(ChildScheduler &scheduler, LaunchRecords &root, CompletionNode &parent, size_t maxWaits);

  /// Reads a record, which the kernel may have overwritten, and checks all of it again. Fails with CL_OUT_OF_RESOURCES
  /// or the code that a launch by the host would get.
  Status prepare(const abi::EnqueueRecord &record, const uint64_t *locals, const std::byte *captured);

  /// What its kernel enqueues; null unless it does.
  LaunchRecords *children() const { return static_cast<LaunchRecords *>(launch.children.get()); }

  Status issue(Issuer &issuer) noexcept override;
  void onEnded(cl_int code, uint64_t start, uint64_t end) noexcept override;

  ChildScheduler &scheduler;
  LaunchRecords &root; // of the launch by the host; outlives all its descendants
  CompletionNode node;
  static constexpr uint32_t NoEvent = UINT32_MAX;
  uint32_t event = NoEvent;         // the index of its event
  uint32_t waits = 1;               // events that it waits for, plus one until it is prepared
  std::vector<EventWaiter> waiters; // one for each event that it waits for; never reallocated
  cl_int failure = CL_SUCCESS;
  uint64_t bytes = 0; // of its queue's capacity
  size_t queue = 0;   // index
  uint64_t start = 0, end = 0;
  bool runs = false; // has a launch

  CheckedLaunch launch;
  const KernelInfo *info = nullptr;          // of a launch
  std::vector<LocalArgument> localArguments; // only with KILN_CHECK
  const char *name = "marker";
  ChildCommand *next = nullptr; // in a list of DeferredActions
};

} // namespace kiln
