// The order of an in-order queue. A command is submitted when every earlier one has been submitted, because the one
// stream keeps order; only its dependencies on other queues are counted.
#pragma once
#include "runtime/queue/CommandList.h"

namespace kiln {

class InOrder {
public:
  static constexpr size_t Streams = 1;

  /// Calls `visit` with each earlier command that needs an edge, and the edge's policy. There are none.
  template <typename Visit> void forEachEarlier(const CommandNode &, Visit) const {}
  void append(CommandNode &node) {
    unsubmitted_.append(node);
    ++appended_;
  }
  /// The node has no unresolved dependency.
  void setReady(CommandNode &node) { node.isReady = true; }
  /// The next node to submit, or null.
  CommandNode *next() const {
    CommandNode *first = unsubmitted_.first();
    return first && first->isReady && !waitsForChildren_ ? first : nullptr;
  }
  /// The node, which `next` returned, waits for more.
  void setWaiting(CommandNode &node) { node.isReady = false; }
  /// The node, which `next` returned, is about to be submitted.
  void onSubmit(CommandNode &node) {
    unsubmitted_.remove(node);
    waitsForChildren_ = node.outlastsStream;
  }
  /// Only for a node that outlasts its stream; the stream ends the others in order.
  void onComplete(CommandNode &) { waitsForChildren_ = false; }

  /// The number of commands so far, modulo 2^32.
  uint32_t appended() const { return appended_; }

private:
  CommandList unsubmitted_;
  bool waitsForChildren_ = false; // a submitted command outlasts its stream
  uint32_t appended_ = 0;
};

} // namespace kiln
