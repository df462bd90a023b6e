#include "runtime/queue/CommandNode.h"
#include "runtime/queue/Queue.h"
#include <algorithm>

namespace kiln {

namespace {
/// Returns true if the command may have work left after its stream has run it.
bool mayOutlastStream(const Command &command) {
  if (auto *range = command.as<NDRange>())
    return bool(range->launch.children);
  auto *free = command.as<FreeMemory>();
  return free && free->call;
}
} // namespace

CommandNode::CommandNode(Ref<Context> context, Ref<Queue> queue, Command &&given)
    : Event(std::move(context), std::move(queue), given.commandType()), command(std::move(given)),
      isTransfer(command.as<Transfer>()), outlastsStream(mayOutlastStream(command)) {}

void *CommandNode::operator new(size_t size) {
  void *memory = FreeList<sizeof(CommandNode)>::acquireFreed();
  return memory ? memory : handle_memory::acquire(size);
}

void CommandNode::operator delete(CommandNode *node, std::destroying_delete_t) {
  const bool rests = node->hadHandle();
  node->~CommandNode();
  if (rests)
    handle_memory::release(node, sizeof(CommandNode));
  else
    FreeList<sizeof(CommandNode)>::release(node);
}

void CommandNode::reserveFences(size_t count) {
  if (!count)
    return;
  if (!fences)
    fences = std::make_unique<Fences>();
  fences->after.reserve(fences->after.size() + count);
}

bool CommandNode::isFencedBehind(const CommandNode &other) const {
  return fences && std::ranges::find(fences->after, &other, &Ref<CommandNode>::get) != fences->after.end();
}

void CommandNode::poll() const noexcept {
  const cl_int status = executionStatus();
  if ((status != CL_SUBMITTED && status != CL_RUNNING) || !stream->hasFences())
    return;
  unsigned polls = 0;
  (*stream)->progressUntil(
      {[](const void *count) { return (*static_cast<unsigned *>(const_cast<void *>(count)))++ > 0; }, &polls});
}

} // namespace kiln
