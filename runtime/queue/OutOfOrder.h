// The order of an out-of-order queue. A command is submitted when its dependencies are resolved: its wait list, the
// last barrier, and for a marker or barrier without a wait list everything before it.
#pragma once
#include "runtime/queue/CommandList.h"

namespace kiln {

class OutOfOrder {
public:
  static constexpr size_t Streams = 4; // that is, how many of its commands can run at once

  /// Calls `visit` with each earlier command that needs an edge, and the edge's policy. An earlier command may fail
  /// without effect on a barrier. A failed barrier makes later commands fail: its wait list counts as theirs.
  template <typename Visit> void forEachEarlier(const CommandNode &node, Visit visit) const {
    if (auto *marker = node.command.as<Marker>(); marker && marker->all) {
      for (CommandNode *earlier = incomplete_.first(); earlier; earlier = earlier->next)
        visit(*earlier, EdgePolicy::IgnoreFailure);
    } else if (lastBarrier_) {
      visit(*lastBarrier_, EdgePolicy::WaitListError);
    }
  }
  void append(CommandNode &node) {
    incomplete_.append(node);
    if (auto *marker = node.command.as<Marker>(); marker && marker->barrier)
      lastBarrier_ = &node;
  }
  /// As InOrder's.
  void setReady(CommandNode &node) { ready_ = &node; }
  CommandNode *next() { return std::exchange(ready_, nullptr); }
  void setWaiting(CommandNode &) {}
  void onSubmit(CommandNode &) {}
  void onComplete(CommandNode &node) {
    incomplete_.remove(node);
    if (lastBarrier_.get() == &node)
      lastBarrier_ = nullptr;
  }

private:
  CommandList incomplete_;
  Ref<CommandNode> lastBarrier_; // until it is complete
  CommandNode *ready_ = nullptr; // submitted next, under the same lock
};

} // namespace kiln
