#include "runtime/queue/EventGraph.h"
#include "base/support/Log.h"
#include <cassert>

namespace kiln {

// Closes a list of dependents: no edge can be added any more.
#define KILN_CLOSED reinterpret_cast<Edge *>(uintptr_t(1))

void EdgeStorage::reserve(size_t count) {
  const size_t needed = reserved_ + count;
  if (needed > left_) {
    auto block = std::make_unique<Edge[]>(needed);
    blocks_.push_front(std::move(block));
    next_ = blocks_.front().get();
    left_ = needed;
  }
  reserved_ = needed;
}

Edge &EdgeStorage::take() noexcept {
  assert(reserved_);
  --reserved_;
  --left_;
  return *next_++;
}

void EventNode::dependOn(EventNode &dependency, WaitUntil until, EdgePolicy policy) noexcept {
  Edge &edge = edges_.take();
  edge = {this, nullptr, until, policy};
  if (push(until == WaitUntil::Issued ? dependency.issueDependents_ : dependency.dependents_, edge))
    return;
  const cl_int status = until == WaitUntil::Issued ? dependency.failure() : dependency.executionStatus();
  if (status < 0)
    dependencyFailed(policy, status);
  if (until == WaitUntil::End)
    dependencyEnded(dependency.endTime());
}

bool EventNode::push(std::atomic<Edge *> &list, Edge &edge) noexcept {
  edge.dependent->incNodeRef();
  std::atomic<uint32_t> *counter = edge.dependent->counterOf(edge.until);
  if (counter)
    counter->fetch_add(1, std::memory_order_relaxed);
  Edge *first = list.load(std::memory_order_acquire);
  do {
    if (first == KILN_CLOSED) {
      if (counter) // never the last of `unresolved_`: the adding of edges is still counted
        counter->fetch_sub(1, std::memory_order_relaxed);
      edge.dependent->decNodeRef();
      return false;
    }
    edge.next = first;
  } while (!list.compare_exchange_weak(first, &edge, std::memory_order_release, std::memory_order_acquire));
  return true;
}

void EventNode::dependencyFailed(EdgePolicy policy, cl_int code) noexcept {
  if (policy == EdgePolicy::IgnoreFailure)
    return;
  setFailure(policy == EdgePolicy::PropagateCode ? code : CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  KILN_LOG(Info, Event, name(), " skipped: a dependency failed with ", code);
}

void EventNode::dependencyEnded(uint64_t endTime) noexcept {
  uint64_t latest = endOfDependencies_.load(std::memory_order_relaxed);
  while (latest < endTime && !endOfDependencies_.compare_exchange_weak(latest, endTime, std::memory_order_relaxed))
    ;
}

void EventNode::resolveComplete(cl_int status) noexcept {
  if (resolve(dependents_, status, endTime()))
    ReadyList::drain();
}

bool EventNode::resolve(std::atomic<Edge *> &list, cl_int status, uint64_t endTime) noexcept {
  Edge *edge = list.exchange(KILN_CLOSED, std::memory_order_acq_rel);
  if (edge == KILN_CLOSED)
    return false;
  // The list has the newest edge first; dependents become ready in the order of their enqueues.
  Edge *inOrder = nullptr;
  while (edge) {
    Edge *next = edge->next;
    edge->next = inOrder;
    inOrder = edge;
    edge = next;
  }
  bool anyReady = false;
  while (inOrder) {
    EventNode *dependent = inOrder->dependent; // which stores the edge
    const WaitUntil until = inOrder->until;
    EdgePolicy policy = inOrder->policy;
    inOrder = inOrder->next;
    if (status < 0)
      dependent->dependencyFailed(policy, status);
    if (until == WaitUntil::End) {
      dependent->dependencyEnded(endTime);
      // The thread that then reads 0 also reads the failure and the time.
      dependent->unended_.fetch_sub(1, std::memory_order_release);
    } else if (until != WaitUntil::Nothing && dependent->countDown()) {
      ReadyList::push(*dependent);
      anyReady = true;
    }
    dependent->decNodeRef();
  }
  return anyReady;
}

namespace {
struct ThreadList {
  EventNode *first = nullptr, *last = nullptr;
  bool busy = false;
};
thread_local ThreadList ready;
} // namespace

void ReadyList::push(EventNode &node) noexcept {
  node.incNodeRef();
  node.nextReady_ = nullptr;
  (ready.last ? ready.last->nextReady_ : ready.first) = &node;
  ready.last = &node;
}

void ReadyList::drain() noexcept {
  if (ready.busy || !ready.first)
    return;
  ready.busy = true;
  while (EventNode *node = ready.first) {
    ready.first = node->nextReady_;
    if (!ready.first)
      ready.last = nullptr;
    node->onReady();
    node->decNodeRef();
  }
  ready.busy = false;
}

} // namespace kiln
