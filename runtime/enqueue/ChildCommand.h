// One command that a kernel enqueued: a launch of a block, or a marker.
#pragma once
#include "runtime/enqueue/DeviceScheduler.h"
#include "runtime/program/ArgumentBlock.h"

namespace kiln {

struct ChildCommand final : Operation {
  ChildCommand(DeviceScheduler &scheduler, LaunchRecords &root, CompletionNode &parent);

  /// What the record says, checked once more: `Children` has had no say in what kernels write. CL_OUT_OF_RESOURCES and
  /// what else a launch from the host would have got, where it cannot run.
  Status prepare(const abi::EnqueueRecord &record, const uint64_t *locals, const std::byte *captured);

  Status issue(Stream &stream) noexcept override;
  void onEnded(cl_int code, uint64_t start, uint64_t end) noexcept override;

  DeviceScheduler &scheduler;
  LaunchRecords &root; // of the launch from the host: it outlives all
  CompletionNode node;
  static constexpr uint32_t NoEvent = UINT32_MAX;
  uint32_t event = NoEvent; // its number
  uint32_t waits = 1;       // for that many events, and for being made
  cl_int failure = CL_SUCCESS;
  uint64_t bytes = 0; // of its queue
  size_t queue = 0;   // place
  uint64_t start = 0, end = 0;
  bool runs = false; // on the device

  std::unique_ptr<LaunchRecords> children; // of a block that enqueues
  std::unique_ptr<PrintfRun> output;       // of one that prints
  std::shared_ptr<void> variant;           // keeps the code of a variant
  Ref<ArgumentBlock> arguments;
  Launch launch;
  const char *name = "marker";
  ChildCommand *next = nullptr; // on a Turn's list

private:
  Status issueOrThrow(Stream &stream);
};

} // namespace kiln
