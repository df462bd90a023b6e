// Lists that handlers of signals read: their nodes are never freed, so no lock is needed.
#pragma once
#include <atomic>

namespace kiln::cpu {

/// Adds a node to a list that only grows.
template <typename Node> void push(std::atomic<Node *> &first, Node *node) {
  node->next = first.load(std::memory_order_relaxed);
  while (!first.compare_exchange_weak(node->next, node, std::memory_order_release, std::memory_order_relaxed)) {
  }
}

} // namespace kiln::cpu
