// A list of commands, linked through their nodes. Adding to it allocates nothing.
#pragma once
#include "runtime/queue/CommandNode.h"

namespace kiln {

class CommandList {
public:
  CommandNode *first() const { return first_; }
  void append(CommandNode &node) {
    node.previous = last_;
    (last_ ? last_->next : first_) = &node;
    last_ = &node;
  }
  void remove(CommandNode &node) {
    (node.previous ? node.previous->next : first_) = node.next;
    (node.next ? node.next->previous : last_) = node.previous;
    node.next = node.previous = nullptr;
  }

private:
  CommandNode *first_ = nullptr, *last_ = nullptr;
};

} // namespace kiln
