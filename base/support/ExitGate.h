// Keeps threads out of a library whose exit handlers free what its functions use.
//
// `exit` runs handlers in the reverse order of their registration while all other threads go on. NVIDIA's driver
// registers its handlers when it is loaded and in cuInit (12 of them in release 580; its assembler registers 4 more
// when it is loaded). They free the driver's state: a thread that is inside of a driver call then uses freed memory,
// and calls that begin later return an error. So the gate registers a handler after the library has, which runs before
// the library's:
//
//   dlopen, cuInit       registers the library's handlers
//   guard                registers the gate's handler
//   ...
//   exit                 handlers of the application that were registered after `guard`
//                        the gate's handler: closes the gate, waits for the threads that are inside
//                        the library's handlers
//                        handlers of the application that were registered before the library's
//
// After that no thread enters. A thread that tries sleeps for a moment, in which most processes have ended, and is then
// refused: it does as it does for a lost device. So no thread waits for ever that a destructor of the application may
// join, and few applications see commands that fail because the process ends. The thread that runs the handlers is
// refused at once.
//
// `_exit`, `quick_exit`, a signal and `exec` run no exit handler, neither the library's nor this one. The child of a
// fork has its parent's handlers; the gate's does nothing there.
//
// Not handled: a process that ends while the library itself is loaded or initialised.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <sys/types.h>

namespace kiln {

/// The state of a gate, for all threads.
class ExitGateState {
public:
  constexpr ExitGateState() = default;
  bool guard(void (*handler)(void *)) noexcept;
  bool isClosed() const { return closedAt_.load(std::memory_order_relaxed); }
  /// Counts the thread as inside. Returns false and does not count it if the gate is closed.
  bool enter(const void *thread) noexcept {
    std::atomic<int> &inside = shard(thread);
    // Sequentially consistent, as the handler's: either it counts this thread, or this thread reads that it is closed.
    inside.fetch_add(1, std::memory_order_seq_cst);
    if (!closedAt_.load(std::memory_order_seq_cst))
      return true;
    leave(thread);
    return false;
  }
  void leave(const void *thread) noexcept { shard(thread).fetch_sub(1, std::memory_order_release); }
  /// Closes the gate and waits for the threads inside, of which `own` are the calling one.
  void close(int own) noexcept;
  /// The closed gate has refused the calling thread: sleeps until most processes have ended.
  void sleepWhileEnding() const noexcept;

private:
  /// A thread's counter. Threads have different ones, mostly, so that they do not contend for a cache line.
  std::atomic<int> &shard(const void *thread) noexcept {
    return shards_[(uintptr_t(thread) >> 12) * 0x9e3779b97f4a7c15u >> 60].inside;
  }
  struct alignas(64) Shard {
    std::atomic<int> inside{0};
  };
  Shard shards_[16];
  std::atomic<uint64_t> closedAt_{0}; // the time; 0: open
  std::atomic<pid_t> process_{0};     // that has the handler
  std::atomic<pid_t> exiting_{0};     // the thread that runs the handlers
};

/// The gate of a library; `Library` is any type that names it.
template <typename Library> class ExitGate {
public:
  /// Call when the library has registered its exit handlers. May be called again, for handlers that it has registered
  /// later. Returns false if there is no memory.
  static bool guard() noexcept {
    return state.guard([](void *) { state.close(here.isInside ? 1 : 0); });
  }
  /// The calling thread is inside for a scope if it converts to true, and must not call the library otherwise. Scopes
  /// may be nested.
  class Pass {
  public:
    Pass() noexcept {
      if (here.depth++ == 0)
        here.isInside = state.enter(&here);
      isInside_ = here.isInside;
    }
    ~Pass() {
      if (--here.depth == 0 && here.isInside) {
        here.isInside = false;
        state.leave(&here);
      }
    }
    Pass(const Pass &) = delete;
    Pass &operator=(const Pass &) = delete;
    explicit operator bool() const { return isInside_; }

  private:
    bool isInside_;
  };
  static bool isClosed() noexcept { return state.isClosed(); }
  /// Returns true if the calling thread may call the library, or could when it last looked: it is inside, or the gate
  /// is open. If not, returns after some time.
  static bool admits() noexcept {
    if (!state.isClosed() || here.isInside)
      return true;
    state.sleepWhileEnding();
    return false;
  }
  /// For loops that wait inside. Returns true if the thread may go on. If the gate is closed, the thread leaves: it
  /// must not call the library in this scope any more. Then returns false after some time.
  static bool mayStay() noexcept {
    if (!state.isClosed())
      return true;
    if (here.isInside) {
      here.isInside = false;
      state.leave(&here);
    }
    state.sleepWhileEnding();
    return false;
  }

private:
  struct Thread {
    unsigned depth = 0;    // of scopes
    bool isInside = false; // counted
  };
  static inline constinit ExitGateState state;
  static inline constinit thread_local Thread here;
};

} // namespace kiln
