// The event graph: nodes, the edges between them, and the list of nodes that became ready. It contains no device, no
// queue and no command; Event derives from a node.
//
//      dependency                        dependent
//      +---------------+    Edge         +-----------------------+
//      | dependents    |---> stored in ->| edges                 |
//      | issue         |     dependent   | unresolved = 1 + edges that are counted
//      +---------------+                 +-----------------------+
//
// A node counts its unresolved dependencies. Each incomplete dependency lists its dependents through Edges, which are
// stored in the dependents. A node that completes closes its list and decrements the count of each dependent; a
// dependent whose count reaches zero is ready. There is a second list, which is closed when the node has been issued,
// for dependents on the same device (DeviceInfo::hasFences): a fence keeps the order from there on. Different threads
// may find the ends of such nodes, so each counts those that must be complete before it ends. Nothing here recurses and
// no thread waits: a chain of a million nodes is a million iterations of a stream's loop.
//
// Memory: an enqueue reserves all edges of a node before it adds the first one. Adding an edge cannot fail.
#pragma once
#include "base/support/OpenCL.h"
#include <array>
#include <atomic>
#include <forward_list>
#include <memory>

namespace kiln {

class EventNode;

/// What a dependency's failure does to the dependent.
enum class EdgePolicy : uint8_t {
  IgnoreFailure, // a marker's or barrier's edges to earlier commands, and events that hold the bytes this one needs
  WaitListError, // fails with CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
  PropagateCode, // fails with the dependency's code: a transfer on its behalf
};

/// Until when the dependent waits.
enum class WaitUntil : uint8_t {
  Complete, // the dependency is complete
  Issued,   // the dependency has been issued
  Nothing,  // the device keeps the order, and only a failure is passed on
  End,      // the same; the dependent runs, but does not end before the dependency is complete
};

/// An entry in a dependency's list, which names one dependent. Stored in the dependent.
struct Edge {
  EventNode *dependent = nullptr; // holds a reference
  Edge *next = nullptr;
  WaitUntil until = WaitUntil::Complete;
  EdgePolicy policy = EdgePolicy::WaitListError;
};

/// The edges of one dependent. Their addresses are stable.
class EdgeStorage {
public:
  /// Allocates so that `count` more edges can be taken. May throw std::bad_alloc; nothing has changed then.
  void reserve(size_t count);
  bool isReserved() const { return reserved_; }
  /// One of the reserved edges.
  Edge &take() noexcept;

private:
  std::array<Edge, 2> inline_;
  std::forward_list<std::unique_ptr<Edge[]>> blocks_;
  Edge *next_ = inline_.data();
  size_t left_ = inline_.size(); // from `next_` on
  size_t reserved_ = 0;          // of these
};

/// A part of a reference-counted object.
class EventNode {
public:
  EventNode(const EventNode &) = delete;
  /// CL_QUEUED, CL_SUBMITTED, CL_RUNNING, CL_COMPLETE, or a negative code.
  cl_int executionStatus() const { return cl_int(status_.load(std::memory_order_acquire)); }
  bool isComplete() const { return executionStatus() <= CL_COMPLETE; }
  /// The failure of a dependency or of the node itself, known before the node is complete; 0 if there is none.
  cl_int failure() const { return failure_.load(std::memory_order_relaxed); }
  void setFailure(cl_int code) { failure_.store(code, std::memory_order_relaxed); }

  /// Reserves memory for `count` more calls of dependOn.
  void reserveEdges(size_t count) { edges_.reserve(count); }
  bool hasReservedEdge() const { return edges_.isReserved(); }
  /// Adds an edge to `dependency`, with a reserved edge. If what it waits for has happened already, the edge only takes
  /// over the dependency's failure, as `policy` says. Before the last countDown.
  void dependOn(EventNode &dependency, WaitUntil until, EdgePolicy policy) noexcept;
  /// Resolves one dependency, or ends the adding of edges, which counts as one. Returns true if it was the last.
  bool countDown() { return unresolved_.fetch_sub(1, std::memory_order_acq_rel) == 1; }
  /// All dependencies are resolved, and more edges will be added. Ends with another countDown.
  void restartCount() { unresolved_.store(1, std::memory_order_relaxed); }

  /// Returns true if a dependency with WaitUntil::End is not complete yet. After the last countDown.
  bool hasUnendedDependency() const { return unended_.load(std::memory_order_acquire) != 0; }
  /// The latest endTime() of the complete ones.
  uint64_t endOfDependencies() const { return endOfDependencies_.load(std::memory_order_relaxed); }

  /// Resolves the dependents that wait for the issue. The caller then releases its locks and drains the ready list.
  void resolveIssued() noexcept { (void)resolve(issueDependents_, failure(), 0); }

  /// A name for the log.
  virtual const char *name() const = 0;

protected:
  explicit EventNode(cl_int status) : status_(uint32_t(status)) {}
  ~EventNode() = default;

  /// The lifetime count of the object.
  virtual void incNodeRef() noexcept = 0;
  virtual void decNodeRef() noexcept = 0;

  /// The last dependency was resolved, after the enqueue. Called by ReadyList::drain.
  virtual void onReady() noexcept = 0;
  /// When the node's work ended; 0 if that is unknown. Once it is complete.
  virtual uint64_t endTime() const noexcept { return 0; }
  /// Resolves all dependents. `status` is the final status, which has been set: a thread that finds the list closed
  /// reads it.
  void resolveComplete(cl_int status) noexcept;

  std::atomic<uint32_t> status_; // cl_int
  std::atomic<cl_int> failure_{0};

private:
  friend class ReadyList;
  static bool push(std::atomic<Edge *> &list, Edge &edge) noexcept;
  /// Returns true if a dependent became ready.
  static bool resolve(std::atomic<Edge *> &list, cl_int status, uint64_t endTime) noexcept;
  void dependencyFailed(EdgePolicy policy, cl_int code) noexcept;
  void dependencyEnded(uint64_t endTime) noexcept;
  /// What of the node counts the edges of this kind; null if they are not counted.
  std::atomic<uint32_t> *counterOf(WaitUntil until) {
    return until == WaitUntil::Nothing ? nullptr : until == WaitUntil::End ? &unended_ : &unresolved_;
  }

  std::atomic<uint32_t> unresolved_{1};          // plus one while edges are added
  std::atomic<uint32_t> unended_{0};             // dependencies that the end waits for
  std::atomic<uint64_t> endOfDependencies_{0};   // of those, as far as they are complete
  std::atomic<Edge *> dependents_{nullptr};      // closed once the node is complete
  std::atomic<Edge *> issueDependents_{nullptr}; // closed once the node is issued, on a device with fences
  EdgeStorage edges_;                            // of this node, in its dependencies' lists
  EventNode *nextReady_ = nullptr;               // in the ready list of a thread
};

/// The nodes that the calling thread has made ready, in order. `onReady` takes locks, so it is called later, without
/// any.
class ReadyList {
public:
  static void push(EventNode &node) noexcept;
  /// Calls `onReady` of each node, and of those that become ready meanwhile. Called with no lock held. If a caller up
  /// the stack is draining the list, that one continues.
  static void drain() noexcept;
};

} // namespace kiln
